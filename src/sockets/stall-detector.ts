import { setTimeout as delay } from 'node:timers/promises';

/** A process that did nothing for so long may have missed that sessions ended (architecture 9). */
const HELD_UP_MS = 2_000;
const AGAIN_MS = 500;

/**
 * Notices that this process was held up (a stopped machine, a busy one, a stopped process), and allows no writes to sockets
 * until what it may have missed is read.
 */
export class Pulse {
  readonly #monotonicMs: () => number;
  readonly #recover: () => Promise<boolean>;
  readonly #goOn: () => void;
  #beatMs: number;
  #isRecovering = false;

  /**
   * @param recover reads again; says whether it could, else it is called again half a second later
   * @param goOn called when sockets may be written to again
   */
  constructor(monotonicMs: () => number, recover: () => Promise<boolean>, goOn: () => void) {
    this.#monotonicMs = monotonicMs;
    this.#recover = recover;
    this.#goOn = goOn;
    this.#beatMs = monotonicMs();
  }

  get isHeldUp(): boolean {
    if (!this.#isRecovering && this.#monotonicMs() - this.#beatMs >= HELD_UP_MS) void this.#start();
    return this.#isRecovering;
  }

  /** To be called twice a second or so. @returns whether the process was there all the time */
  beat(): boolean {
    if (this.isHeldUp) return false;
    this.#beatMs = this.#monotonicMs();
    return true;
  }

  async #start(): Promise<void> {
    this.#isRecovering = true;
    while (!(await this.#recover())) await delay(AGAIN_MS, undefined, { ref: false });
    this.#beatMs = this.#monotonicMs();
    this.#isRecovering = false;
    this.#goOn();
  }
}
