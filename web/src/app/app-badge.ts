import type { Surroundings } from '../data/browser-environment.ts';

/** The number of unread messages on the app's icon. */
export class Badge {
  readonly #surroundings: Surroundings;
  #shown: number | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** @param options `anyway`: the worker may have set another meanwhile */
  show(count: number, { anyway = false } = {}): void {
    if (count === this.#shown && !anyway) return;
    this.#shown = count;
    this.#surroundings.setBadge(count);
  }
}
