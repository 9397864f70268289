import type { BrowserEnvironment } from '../data/browser-environment.ts';

/** The number of unread messages on the app's icon. */
export class AppBadge {
  readonly #environment: BrowserEnvironment;
  #shown: number | undefined;

  constructor(environment: BrowserEnvironment) {
    this.#environment = environment;
  }

  /** @param options `force`: sets it even if it is the number that was set last, as the worker may have set another since */
  show(count: number, { force = false } = {}): void {
    if (count === this.#shown && !force) return;
    this.#shown = count;
    this.#environment.setBadge(count);
  }
}
