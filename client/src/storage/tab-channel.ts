import type { Outgoing, SessionEnd } from '../events.ts';

/** What tabs of one browser tell each other; who is signed in they read where it is kept. */
export type Told =
  | { readonly kind: 'session'; readonly end: SessionEnd | undefined }
  | { readonly kind: 'outgoing'; readonly userId: string; readonly outgoing: Outgoing };

/** The other tabs that share a storage. Without a name, or where there is no `BroadcastChannel`, there are none. */
export class Tabs {
  readonly #channel: BroadcastChannel | undefined;

  constructor(name: string | undefined, hear: (told: Told) => void) {
    if (name === undefined || typeof BroadcastChannel === 'undefined') return;
    this.#channel = new BroadcastChannel(`doorman ${name}`);
    this.#channel.onmessage = ({ data }) => hear(data as Told); // of the same origin, by this file alone
    // Elsewhere than in browsers it would keep the program from ending.
    if ('unref' in this.#channel && typeof this.#channel.unref === 'function') this.#channel.unref();
  }

  tell(told: Told): void {
    this.#channel?.postMessage(told);
  }
}
