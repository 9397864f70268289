import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** The machine and the day of a table. */
export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const day = new Date().toISOString().slice(0, 10);
  return `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gigabytes} GB, ${process.platform}, Node ${process.versions.node}, ${day}`;
}

/** The load before the run: below 0.3 it does not affect the ratios. */
export function describeLoad(): string {
  return `load before the run: ${loadavg()[0]?.toFixed(1)}`;
}
