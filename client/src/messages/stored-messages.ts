import type { MessageEvent, Outgoing } from '../events.ts';
import { Promised } from './deferred.ts';

const MAX_REMEMBERED = 200;

interface Remembered {
  readonly outgoing: Outgoing;
  readonly promised: Promised<Outgoing>;
}

/** The user's own messages that were stored last, from any of their devices, so that a `cid` keeps its meaning. */
export class StoredMessages {
  readonly #byCid = new Map<string, Remembered>();

  withCid(cid: string): Remembered[] {
    const known = this.#byCid.get(cid);
    return known ? [known] : [];
  }

  /** @param promised the one that `send` gave; left out for a message of another tab or device */
  add(outgoing: Outgoing, promised = new Promised<Outgoing>()): void {
    const { cid } = outgoing;
    promised.resolve(outgoing);
    this.#byCid.set(cid, { outgoing, promised });
    const [oldest] = this.#byCid.keys();
    if (this.#byCid.size > MAX_REMEMBERED && oldest !== undefined) this.#byCid.delete(oldest);
  }

  clear(): void {
    this.#byCid.clear();
  }
}

/** A message in the log of its sender, as `send` gives it. When it was written is not in the log. */
export function toStored({ peer, cid, body, n, at }: MessageEvent): Outgoing {
  return { to: peer, cid, body, writtenAt: at, state: 'stored', n, at };
}
