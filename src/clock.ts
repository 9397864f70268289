export interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  /** Calls `run` every `ms` milliseconds until it is disposed. */
  readonly every: (ms: number, run: () => void) => Disposable;
  /** Keeps `now` right; absent where that is the machine's clock. */
  readonly job?: PeriodicJob;
}

/** Work that a room repeats. `periodic-jobs.ts` runs it at the start, and then after every interval. */
export interface PeriodicJob {
  /** For the log. */
  readonly name: string;
  readonly everyMs: number;
  /** @param stopping ends a run that takes long when the service stops */
  readonly run: (stopping?: AbortSignal) => Promise<void>;
  /** Run once more when the service stops, to write what was collected until then. */
  readonly runsAtStop?: boolean;
}

/** The clocks of the machine, each replaced by the test's own if given. */
export function createClock({
  now = Date.now,
  monotonicMs = () => performance.now(),
  every = startInterval,
}: Partial<Clock> = {}): Clock {
  return { now, monotonicMs, every };
}

/** The timer does not keep the process alive. */
function startInterval(ms: number, run: () => void): Disposable {
  const timer = setInterval(run, ms).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
