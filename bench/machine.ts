import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Where and when a table was measured. A load of more than one before the run makes it worth another run. */
export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const day = new Date().toISOString().slice(0, 10);
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  return `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gigabytes} GB, ${process.platform}, Node ${process.versions.node}, ${day}; load at the end ${load}`;
}
