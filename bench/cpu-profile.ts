// Summarizes a CPU profile of `npm run bench -- --cpu-prof=FOLDER`: the functions by their share of the busy time.
//   node bench/cpu-profile.ts FILE.cpuprofile [LINES]
import { readFile } from 'node:fs/promises';

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
}
interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  /** Microseconds between samples. */
  timeDeltas: number[];
}

const [file = '', count = '40'] = process.argv.slice(2);
const profile = JSON.parse(await readFile(file, 'utf8')) as Profile; // V8's own format
const selfMicros = new Map<number, number>();
profile.samples.forEach((id, i) => {
  selfMicros.set(id, (selfMicros.get(id) ?? 0) + (profile.timeDeltas[i] ?? 0));
});

const byFunction = new Map<string, number>();
let busyMicros = 0;
for (const { id, callFrame } of profile.nodes) {
  const micros = selfMicros.get(id) ?? 0;
  const { functionName, url, lineNumber } = callFrame;
  if (functionName === '(idle)' || functionName === '(program)') continue;
  busyMicros += micros;
  const place = url.replace(/^file:\/\//, '').replace(/^.*\/(?=node_modules\/|src\/)/, '');
  const name = `${functionName || '(anonymous)'} ${place === '' ? '' : `${place}:${lineNumber + 1}`}`;
  byFunction.set(name, (byFunction.get(name) ?? 0) + micros);
}

const sorted = [...byFunction].sort(([, a], [, b]) => b - a).slice(0, Number(count));
for (const [name, micros] of sorted)
  console.log(`${((micros / busyMicros) * 100).toFixed(1).padStart(5)} %  ${name}`);
