import type { MessageChange, Outgoing, SessionEnd } from '../events.ts';

/** Messages between tabs of one browser. They read the session itself from the shared storage. */
export type TabMessage =
  | { readonly kind: 'session'; readonly end: SessionEnd | undefined }
  | { readonly kind: 'outgoing'; readonly userId: string; readonly outgoing: Outgoing }
  /** `of`, not `userId`: a tab with an earlier version of the kit reads everything of its user as `outgoing`. */
  | { readonly kind: 'change'; readonly of: string; readonly change: MessageChange }
  /** A kind of its own for a message with a picture: a tab with an earlier version would send the message without it. */
  | { readonly kind: 'with-picture'; readonly of: string; readonly outgoing: Outgoing };

/** Reaches the other tabs that share a storage. Without a name, or without `BroadcastChannel`, there are none. */
export class TabChannel {
  readonly #channel: BroadcastChannel | undefined;

  constructor(name: string | undefined, onMessage: (message: TabMessage) => void) {
    if (name === undefined || typeof BroadcastChannel === 'undefined') return;
    this.#channel = new BroadcastChannel(`doorman ${name}`);
    this.#channel.onmessage = ({ data }) => onMessage(data as TabMessage); // sent by this file of the same origin only
    // Outside of browsers an open channel would keep the program from ending.
    if ('unref' in this.#channel && typeof this.#channel.unref === 'function') this.#channel.unref();
  }

  post(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }
}
