import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Where and when a table was measured. */
export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const day = new Date().toISOString().slice(0, 10);
  return `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gigabytes} GB, ${process.platform}, Node ${process.versions.node}, ${day}`;
}

/** What else the machine does: below 0.3 nothing that would be seen in a ratio. */
export function describeLoad(): string {
  return `load before the run: ${loadavg()[0]?.toFixed(1)}`;
}
