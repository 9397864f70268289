/** What is sent keeps within the service's budget of 20 frames a second in bursts of 60, pongs among them. */
const PER_SECOND = 15;
const BURST = 40;

/** Lets frames out in their order, as fast as the service takes them. */
export class Pace {
  readonly #send: (text: string) => void;
  #waiting: string[] = [];
  #left = BURST;
  #filledAt = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#waiting.push(text);
    if (this.#timer === undefined) this.#flow();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #flow(): void {
    this.#timer = undefined;
    const now = performance.now();
    const filled = ((now - this.#filledAt) / 1000) * PER_SECOND;
    this.#left = Math.min(BURST, this.#left + filled);
    this.#filledAt = now;
    const free = this.#waiting.splice(0, Math.floor(this.#left));
    this.#left -= free.length;
    for (const text of free) this.#send(text);
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#flow(), 1000 / PER_SECOND);
  }
}
