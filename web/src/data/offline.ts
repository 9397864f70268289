import { Store } from './store.ts';
import type { ConnectionView } from './views.ts';

/** A connection that is back within this time is not reported as lost, unless the device has no network. */
const PATIENCE_MS = 2_000;

/**
 * Whether the page is cut off from the service: without a network at once, without a connection after `PATIENCE_MS`; then
 * until the connection is live again.
 */
export class Offline extends Store<boolean> {
  #connection: ConnectionView['state'] = 'off';
  #hasNetwork = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super(false);
  }

  onConnection(state: ConnectionView['state']): void {
    this.#connection = state;
    this.#update();
  }

  onNetwork(hasNetwork: boolean): void {
    this.#hasNetwork = hasNetwork;
    this.#update();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #update(): void {
    const isWell = this.#hasNetwork && (this.#connection === 'live' || this.#connection === 'off');
    const isCertain = !this.#hasNetwork || this.#connection === 'stopped';
    if (isWell || isCertain) {
      this.close();
      this.set(isCertain);
    } else if (!this.getSnapshot()) this.#timer ??= setTimeout(() => this.set(true), PATIENCE_MS);
  }
}
