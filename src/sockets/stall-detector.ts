import { setTimeout as delay } from 'node:timers/promises';

/** A process that did nothing for this long may have missed that sessions ended (architecture 9). */
const STALL_MS = 2_000;
const RETRY_MS = 500;

/**
 * Detects that this process stood still (a suspended machine, an overloaded one, a stopped process), or could not read what other
 * nodes changed. From then on nothing may be written to sockets until the process has read what it may have missed.
 */
export class StallDetector {
  readonly #monotonicMs: () => number;
  readonly #isCurrent: () => boolean;
  readonly #recover: () => Promise<boolean>;
  readonly #onRecovered: (stoodStill: boolean) => void;
  #checkedAtMs: number;
  #isRecovering = false;

  /**
   * @param isCurrent whether what other nodes changed was read lately; if not, the process counts as stalled
   * @param recover reads what was missed and returns whether it could; if not, it is called again after half a second
   * @param onRecovered called when sockets may be written to again; `stoodStill` is false where only reading failed
   */
  constructor(
    monotonicMs: () => number,
    isCurrent: () => boolean,
    recover: () => Promise<boolean>,
    onRecovered: (stoodStill: boolean) => void,
  ) {
    this.#monotonicMs = monotonicMs;
    this.#isCurrent = isCurrent;
    this.#recover = recover;
    this.#onRecovered = onRecovered;
    this.#checkedAtMs = monotonicMs();
  }

  /** Whether the process stood still and has not recovered yet. */
  get isStalled(): boolean {
    if (this.#isRecovering) return true;
    const stoodStill = this.#monotonicMs() - this.#checkedAtMs >= STALL_MS;
    if (stoodStill || !this.#isCurrent()) void this.#start(stoodStill);
    return this.#isRecovering;
  }

  /** To be called about twice a second. @returns whether the process ran without a stall since the last call */
  check(): boolean {
    if (this.isStalled) return false;
    this.#checkedAtMs = this.#monotonicMs();
    return true;
  }

  async #start(stoodStill: boolean): Promise<void> {
    this.#isRecovering = true;
    while (!(await this.#recover())) await delay(RETRY_MS, undefined, { ref: false });
    this.#checkedAtMs = this.#monotonicMs();
    this.#isRecovering = false;
    this.#onRecovered(stoodStill);
  }
}
