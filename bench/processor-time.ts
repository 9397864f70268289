import { readdir, readFile } from 'node:fs/promises';

/** Processor time in microseconds, in user and kernel mode together, since some fixed moment; `undefined` where it is not known. */
export type ProcessorClock = () => Promise<number | undefined>;

/** Linux counts in ticks of 10 ms (`sysconf(_SC_CLK_TCK)`) on every machine that Node runs on. */
const TICK_MICROS = 10_000;

/** Of one process with all its threads, exact to 10 ms; `undefined` where the system has no /proc. */
export async function processMicros(pid: number): Promise<number | undefined> {
  const stat = await readStat(pid);
  return stat && stat.own * TICK_MICROS;
}

/** Of a process, the children it has now, and the children that ended: a PostgreSQL cluster, asked by its first process. */
export async function familyMicros(pid: number): Promise<number | undefined> {
  const first = await readStat(pid);
  if (!first) return undefined;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(readStat));
  const children = stats.filter((stat) => stat?.parent === pid);
  const ticks = children.reduce((sum, stat) => sum + (stat?.own ?? 0), first.own + first.endedChildren);
  return ticks * TICK_MICROS;
}

/** Of the children of this process that have ended. */
export async function endedMicros(): Promise<number> {
  return ((await readStat(process.pid))?.endedChildren ?? Number.NaN) * TICK_MICROS;
}

/** Fields 4 and 14 to 17 of proc(5) `/proc/PID/stat`; the times in ticks. */
async function readStat(
  pid: number,
): Promise<{ parent: number; own: number; endedChildren: number } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (stat === '') return undefined;
  // The second field is the program's name in brackets, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), endedChildren: field(16) + field(17) };
}

/** The processor time of one operation by a clock, over several measurements. */
export class OperationCost {
  readonly #clock: ProcessorClock;
  #micros = 0;
  #count = 0;

  constructor(clock: ProcessorClock) {
    this.#clock = clock;
  }

  /** Adds what the clock shows while `work` runs, and the number of operations that it did. */
  async during<Work extends { readonly count: number }>(work: () => Promise<Work>): Promise<Work> {
    const before = await this.#clock();
    const done = await work();
    const after = await this.#clock();
    this.#micros += (after ?? Number.NaN) - (before ?? Number.NaN);
    this.#count += done.count;
    return done;
  }

  /** Microseconds of one operation; `undefined` if the clock shows nothing. */
  get microsEach(): number | undefined {
    const micros = this.#micros / this.#count;
    return Number.isFinite(micros) ? micros : undefined;
  }
}
