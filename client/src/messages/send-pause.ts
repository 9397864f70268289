import type { DoormanError } from '../errors.ts';
import type { Timeouts } from '../timeouts.ts';

/** The time in which no message is sent, after the service refused one as too many or had a fault. */
export class SendPause {
  readonly #timeouts: Timeouts;
  readonly #onEnd: () => void;
  #faults = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onEnd called when a pause is over, not when it is cancelled */
  constructor(timeouts: Timeouts, onEnd: () => void) {
    this.#timeouts = timeouts;
    this.#onEnd = onEnd;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /** After a 429 a fixed time, since frames do not say how long to wait; after a fault of the service a doubling one. */
  start({ code, retryAfterMs }: DoormanError): void {
    const { pauseMs, maxPauseMs } = this.#timeouts;
    const ms = code === 429 ? pauseMs : Math.min(maxPauseMs, pauseMs * 2 ** this.#faults++);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onEnd();
    }, retryAfterMs ?? ms);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The service stored a message: the pause after the next fault is the first one again. */
  resetFaults(): void {
    this.#faults = 0;
  }
}
