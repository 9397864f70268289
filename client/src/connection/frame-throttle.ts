/** Within the service's budget of 20 frames a second in bursts of 60, which includes pongs. */
const PER_SECOND = 15;
const BURST = 40;

/** Sends frames in order, as fast as the service accepts them. */
export class FrameThrottle {
  readonly #send: (text: string) => void;
  #waiting: string[] = [];
  #budget = BURST;
  #filledAt = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#waiting.push(text);
    if (this.#timer === undefined) this.#flush();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #flush(): void {
    this.#timer = undefined;
    const now = performance.now();
    const filled = ((now - this.#filledAt) / 1000) * PER_SECOND;
    this.#budget = Math.min(BURST, this.#budget + filled);
    this.#filledAt = now;
    const frames = this.#waiting.splice(0, Math.floor(this.#budget));
    this.#budget -= frames.length;
    for (const text of frames) this.#send(text);
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#flush(), 1000 / PER_SECOND);
  }
}
