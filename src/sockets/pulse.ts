/** A process that did nothing for so long may have missed that sessions ended (DESIGN 4). */
const HELD_UP_MS = 2_000;

/**
 * Notices that this process was held up (a stopped machine, a busy one, a stopped process), and lets nobody be written to
 * until what it may have missed was read again.
 */
export class Pulse {
  readonly #monotonicMs: () => number;
  readonly #recover: () => Promise<boolean>;
  #beatMs: number;
  #isRecovering = false;

  /** @param recover reads again; says whether it could, else it is called again at the next beat */
  constructor(monotonicMs: () => number, recover: () => Promise<boolean>) {
    this.#monotonicMs = monotonicMs;
    this.#recover = recover;
    this.#beatMs = monotonicMs();
  }

  get isHeldUp(): boolean {
    if (!this.#isRecovering && this.#monotonicMs() - this.#beatMs >= HELD_UP_MS) void this.#start();
    return this.#isRecovering;
  }

  /** To be called twice a second or so. */
  beat(): void {
    if (!this.isHeldUp) this.#beatMs = this.#monotonicMs();
  }

  async #start(): Promise<void> {
    this.#isRecovering = true;
    this.#beatMs = this.#monotonicMs();
    while (!(await this.#recover())) await new Promise((resolve) => setTimeout(resolve, 500).unref());
    this.#isRecovering = false;
  }
}
