import type { BrowserEnvironment } from '../data/browser-environment.ts';

/** The number of unread messages on the app's icon. */
export class AppBadge {
  readonly #environment: BrowserEnvironment;
  #shown: number | undefined;

  constructor(environment: BrowserEnvironment) {
    this.#environment = environment;
  }

  /** @param options `anyway`: the worker may have set another meanwhile */
  show(count: number, { anyway = false } = {}): void {
    if (count === this.#shown && !anyway) return;
    this.#shown = count;
    this.#environment.setBadge(count);
  }
}
