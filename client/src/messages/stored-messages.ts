import type { MessageEvent, Outgoing } from '../events.ts';
import { Deferred } from './deferred.ts';

const MAX_MESSAGES = 200;

interface StoredMessage {
  readonly outgoing: Outgoing;
  readonly deferred: Deferred<Outgoing>;
  /** It was edited or unsent: recipient and `cid` alone show which message it is. */
  readonly isChanged: boolean;
}

/** The latest messages of the user that the service stored, from any of their devices, so that a `cid` names one message. */
export class StoredMessages {
  readonly #byCid = new Map<string, StoredMessage>();

  withCid(cid: string): StoredMessage[] {
    const known = this.#byCid.get(cid);
    return known ? [known] : [];
  }

  /** @param deferred of the promise that `send` returned; left out for a message of another tab or device */
  add(outgoing: Outgoing, isChanged: boolean, deferred = new Deferred<Outgoing>()): void {
    const { cid } = outgoing;
    deferred.resolve(outgoing);
    this.#byCid.set(cid, { outgoing, deferred, isChanged });
    const [oldest] = this.#byCid.keys();
    if (this.#byCid.size > MAX_MESSAGES && oldest !== undefined) this.#byCid.delete(oldest);
  }

  /** The user edited or unsent message `n`, on any of their devices. */
  onChange({ peer, n, body = '' }: { peer: string; n: number; body?: string }): void {
    for (const [cid, { outgoing, deferred }] of this.#byCid)
      if (outgoing.to === peer && outgoing.n === n)
        this.#byCid.set(cid, { outgoing: { ...outgoing, body }, deferred, isChanged: true });
  }

  clear(): void {
    this.#byCid.clear();
  }
}

/** A message of its sender's log, in the shape that `send` returns. The log does not have the time of writing. */
export function toStored({ peer, cid, body, replyTo, picture, n, at }: MessageEvent): Outgoing {
  return {
    to: peer,
    cid,
    body,
    ...(replyTo !== undefined && { replyTo }),
    ...(picture && { picture }),
    writtenAt: at,
    state: 'stored',
    n,
    at,
  };
}
