import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeReader } from '../events/change-reader.ts';

/** A process that did nothing for this long may have missed that sessions ended (architecture 9). */
const STALL_MS = 2_000;
const RETRY_MS = 500;
/** How long frames wait for the reading after the process stood still. */
const AFTER_STANDSTILL_MS = 2_500;
/** The same for a process that cannot read: until the last read is so old, so that a frame is answered within 3.5 s, and for so long at least. */
const CUT_OFF_AGE_MS = 3_200;
const LEAST_READING_MS = 200;

/**
 * `running`: everything may be written to sockets. `reading`: nothing may be, until the process has read what it missed. `cut-off`: it
 * could not read for too long; what carries no data may be written.
 */
export type StallState = 'running' | 'reading' | 'cut-off';

interface StallOptions {
  readonly monotonicMs: () => number;
  /** Where what other nodes changed was not read lately, the process counts as stalled. */
  readonly changes: Pick<ChangeReader, 'ageMs' | 'hasReadLately'>;
  /** Reads what was missed and returns whether it could; if not, it is called again after half a second. */
  readonly recover: () => Promise<boolean>;
  /** Called when `reading` ends in `cut-off`. */
  readonly onCutOff: () => void;
  /** Called when everything may be written again. */
  readonly onRecovered: () => void;
}

/**
 * Detects that this process stood still (a suspended machine, an overloaded one, a stopped process), or could not read what other
 * nodes changed. From then on no data may be written to sockets until the process has read what it may have missed.
 */
export class StallDetector {
  readonly #options: StallOptions;
  #checkedAtMs: number;
  #state: StallState = 'running';
  /** Resolves when the state is not `reading`. */
  settled = Promise.resolve();

  constructor(options: StallOptions) {
    this.#options = options;
    this.#checkedAtMs = options.monotonicMs();
  }

  get state(): StallState {
    if (this.#state !== 'running') return this.#state;
    const stoodStill = this.#options.monotonicMs() - this.#checkedAtMs >= STALL_MS;
    if (stoodStill || !this.#options.changes.hasReadLately) void this.#start(stoodStill);
    return this.#state;
  }

  /** Notes that the process runs. Call it several times a second. */
  check(): void {
    if (this.state === 'running') this.#checkedAtMs = this.#options.monotonicMs();
  }

  async #start(stoodStill: boolean): Promise<void> {
    this.#state = 'reading';
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    const cutOff = () => {
      if (this.#state !== 'reading') return;
      this.#state = 'cut-off';
      this.#options.onCutOff();
      resolve();
    };
    // After another standstill an answer that has arrived is read first.
    const timer = setTimeout(
      () => setImmediate(cutOff),
      stoodStill
        ? AFTER_STANDSTILL_MS
        : Math.max(LEAST_READING_MS, CUT_OFF_AGE_MS - this.#options.changes.ageMs),
    ).unref();
    // During a slow read others change more. Running again for a moment would restart the timer, and leave frames without an answer.
    while (!(await this.#options.recover()) || !this.#options.changes.hasReadLately)
      await delay(RETRY_MS, undefined, { ref: false });
    clearTimeout(timer);
    this.#checkedAtMs = this.#options.monotonicMs();
    this.#state = 'running';
    resolve();
    this.#options.onRecovered();
  }
}
