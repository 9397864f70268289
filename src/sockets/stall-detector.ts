import { setTimeout as delay } from 'node:timers/promises';

/** A process that did nothing for this long may have missed that sessions ended (architecture 9). */
const STALL_MS = 2_000;
const RETRY_MS = 500;
/** How long frames wait for the reading after the process stood still. */
const AFTER_STANDSTILL_MS = 2_500;
/** The same where the process has tried to read for 3 s already: an answer within 3.5 s. */
const AFTER_FAILED_READS_MS = 200;

/**
 * `running`: everything may be written to sockets. `reading`: nothing may be, until the process has read what it missed. `cut-off`: it
 * could not read for too long; what carries no data may be written.
 */
export type StallState = 'running' | 'reading' | 'cut-off';

interface StallListeners {
  /** Called when `reading` ends in `cut-off`. */
  onCutOff(): void;
  /** Called when everything may be written again. @param stoodStill false where only reading failed */
  onRecovered(stoodStill: boolean): void;
}

/**
 * Detects that this process stood still (a suspended machine, an overloaded one, a stopped process), or could not read what other
 * nodes changed. From then on no data may be written to sockets until the process has read what it may have missed.
 */
export class StallDetector {
  readonly #monotonicMs: () => number;
  readonly #isCurrent: () => boolean;
  readonly #recover: () => Promise<boolean>;
  readonly #listeners: StallListeners;
  #checkedAtMs: number;
  #state: StallState = 'running';
  /** Resolves when nothing is held back for the reading any more. */
  #reading = Promise.resolve();

  /**
   * @param isCurrent whether what other nodes changed was read lately; if not, the process counts as stalled
   * @param recover reads what was missed and returns whether it could; if not, it is called again after half a second
   */
  constructor(
    monotonicMs: () => number,
    isCurrent: () => boolean,
    recover: () => Promise<boolean>,
    listeners: StallListeners,
  ) {
    this.#monotonicMs = monotonicMs;
    this.#isCurrent = isCurrent;
    this.#recover = recover;
    this.#listeners = listeners;
    this.#checkedAtMs = monotonicMs();
  }

  get state(): StallState {
    if (this.#state !== 'running') return this.#state;
    const stoodStill = this.#monotonicMs() - this.#checkedAtMs >= STALL_MS;
    if (stoodStill || !this.#isCurrent()) void this.#start(stoodStill);
    return this.#state;
  }

  /** Resolves when the state is not `reading`. */
  get settled(): Promise<void> {
    return this.#reading;
  }

  /** Notes that the process runs. Call it several times a second. */
  check(): void {
    if (this.state === 'running') this.#checkedAtMs = this.#monotonicMs();
  }

  async #start(stoodStill: boolean): Promise<void> {
    this.#state = 'reading';
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reading = promise;
    const cutOff = () => {
      if (this.#state !== 'reading') return;
      this.#state = 'cut-off';
      this.#listeners.onCutOff();
      resolve();
    };
    // After another standstill an answer that has arrived is read first.
    const timer = setTimeout(
      () => setImmediate(cutOff),
      stoodStill ? AFTER_STANDSTILL_MS : AFTER_FAILED_READS_MS,
    ).unref();
    while (!(await this.#recover())) await delay(RETRY_MS, undefined, { ref: false });
    clearTimeout(timer);
    this.#checkedAtMs = this.#monotonicMs();
    this.#state = 'running';
    resolve();
    this.#listeners.onRecovered(stoodStill);
  }
}
