// Checks the types of every part at once, each by a tsc of its own.
//   npm run types           every tsconfig*.json of the repository
//   npm run types -- web    one of them: a folder, or a file
// Results are cached in node_modules/.cache/types: the next run checks what has changed since.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const TSC = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const isColoured = process.stdout.isTTY === true;

const named = process.argv.slice(2);
const projects = named.length > 0 ? named : globSync('**/tsconfig*.json', { exclude: ['**/node_modules'] });
const checks = projects.sort().map((project) => ({ project, failure: check(project) }));
let failed = 0;
for (const { project, failure } of checks) {
  if ((await failure) === undefined) continue;
  console.log(`${project}:\n${await failure}\n`);
  failed++;
}
console.log(failed > 0 ? `${failed} of ${checks.length} failed` : `${checks.length} passed`);
if (failed > 0 || checks.length === 0) process.exitCode = 1;

/** @returns the output of tsc for a project, if its types are wrong */
async function check(project) {
  const known = `node_modules/.cache/types/${project.replaceAll(/\W+/g, '-')}.tsbuildinfo`;
  const options = [
    ...['--noEmit', '--pretty', `${isColoured}`],
    // Each of several checkers would check the types they share: side by side, that takes twice as long.
    '--singleThreaded',
    ...['--incremental', '--tsBuildInfoFile', known],
  ];
  const tsc = spawn(process.execPath, [TSC, '-p', project, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(tsc.stdout), once(tsc, 'close')]);
  return code === 0 ? undefined : output.trimEnd() || `tsc ended with ${code}`;
}
