import type { EventEmitter } from 'node:events';

export interface LinkEvents {
  /** The link has come up, and all channels are subscribed. */
  up: [];
  down: [];
}

/**
 * Messages between nodes. Each of them may be lost, and nothing waits for one: the truth is in the database. Names of channels
 * are those of this service alone, also where several services share a Redis; other programs may publish on them all the same.
 */
export interface Link extends EventEmitter<LinkEvents>, AsyncDisposable {
  /** Messages can be published, and those of all subscribed channels are received. */
  readonly isUp: boolean;
  /** Lost while the link is down. Messages of one node arrive in their order, over all channels. */
  publish(channel: string, bytes: Buffer): void;
  /** Stays subscribed when the link was down; a channel has one listener. A node receives its own messages too. */
  subscribe(channel: string, listener: (bytes: Buffer) => void): void;
}
