import type { DoormanError } from '../errors.ts';
import type { Timeouts } from '../timeouts.ts';

/** The time in which no message is sent, after the service took no more of them or had a fault. */
export class SendPause {
  readonly #times: Timeouts;
  readonly #ended: () => void;
  #faults = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ended called when a pause is over, not when it is broken off */
  constructor(times: Timeouts, ended: () => void) {
    this.#times = times;
    this.#ended = ended;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /** Too many messages: over the socket it is not said for how long. Else the service has a fault: it is asked ever later. */
  begin({ code, retryAfterMs }: DoormanError): void {
    const { pauseMs, maxPauseMs } = this.#times;
    const ms = code === 429 ? pauseMs : Math.min(maxPauseMs, pauseMs * 2 ** this.#faults++);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#ended();
    }, retryAfterMs ?? ms);
  }

  breakOff(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The service stored a message: the next fault is the first again. */
  forgetFaults(): void {
    this.#faults = 0;
  }
}
