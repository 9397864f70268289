import type { Queries } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import type { SendBody, Stored } from './schemas.ts';

/** A message that its sender stored under a `cid`. */
interface StoredMessage {
  readonly peer: string;
  readonly n: number;
  readonly at: number;
  readonly body: string;
}

/** The message that `from` stored under `cid`. The caller has locked the sender's inbox, so no message of theirs is being stored. */
export async function findByCid(tx: Queries, from: string, cid: string): Promise<StoredMessage | undefined> {
  const row = await tx.get<{ low_id: string; high_id: string; n: number; at: number; body: string }>`
    select low_id, high_id, n, at, body from messages where sender_id = ${from} and cid = ${cid}`;
  if (!row) return undefined;
  const { low_id, high_id, n, at, body } = row;
  return { peer: low_id === from ? high_id : low_id, n, at, body };
}

/**
 * The answer to a repeat: the same as when the message was stored.
 *
 * @throws {ServiceError} `invalid`, word `cid_used`, unless the message has the same recipient and the same body, code point by
 *   code point: any other answer would report an unstored message as stored
 */
export function answerRepeat({ peer, n, at, body }: StoredMessage, message: SendBody): Stored {
  if (message.to !== peer || message.body !== body)
    throw new ServiceError('invalid', 'cid_used', '该 cid 已用于另一条消息');
  return { peer, n, at, duplicate: true };
}
