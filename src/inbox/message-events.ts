import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import type { StoredEventData } from '../events/log-events.ts';

/** A message with its place in both logs. */
interface LoggedMessage {
  readonly from: string;
  readonly to: string;
  readonly n: number;
  readonly cid: string;
  readonly at: number;
  readonly fromSeq: number;
  readonly toSeq: number;
}

const HEADS = { user_id: 'text', seq: 'bigint' } as const;
const EVENTS = { user_id: 'text', seq: 'bigint', at: 'bigint', data: 'text' } as const;

/** Appends the event of a message to both logs, with their next numbers. The caller has locked both inboxes. */
export async function appendMessage(tx: Queries, message: LoggedMessage): Promise<void> {
  const { from, to, at, fromSeq, toSeq } = message;
  // A statement for each row: one that writes several keeps a journal of its own on SQLite.
  await Promise.all([
    appendTo(tx, from, fromSeq, at, dataFor(to, message)),
    appendTo(tx, to, toSeq, at, dataFor(from, message)),
  ]);
}

async function appendTo(tx: Queries, userId: string, seq: number, at: number, data: string): Promise<void> {
  await Promise.all([
    tx.run`
      insert into inbox (user_id, seq, at, event, data) values (${userId}, ${seq}, ${at}, 'message', ${data})`,
    tx.run`update inbox_heads set seq = ${seq} where user_id = ${userId}`,
  ]);
}

/** The same for the messages of a batch, in two statements. */
export async function appendMessages(tx: Queries, messages: readonly LoggedMessage[]): Promise<void> {
  const heads = new Map<string, number>();
  const events = messages.flatMap((message) => {
    const { from, to, at, fromSeq, toSeq } = message;
    heads.set(from, fromSeq).set(to, toSeq);
    return [
      { user_id: from, seq: fromSeq, at, data: dataFor(to, message) },
      { user_id: to, seq: toSeq, at, data: dataFor(from, message) },
    ];
  });
  await Promise.all([
    tx.run`
      insert into inbox (user_id, seq, at, event, data)
      select user_id, seq, at, 'message', data from ${asTable(EVENTS, events)} as events`,
    tx.run`
      update inbox_heads set seq = heads.seq
      from ${asTable(
        HEADS,
        [...heads].map(([user_id, seq]) => ({ user_id, seq })),
      )} as heads
      where inbox_heads.user_id = heads.user_id`,
  ]);
}

function dataFor(peer: string, { n, from, cid }: LoggedMessage): string {
  const data: StoredEventData['message'] = { peer, n, from, cid };
  return JSON.stringify(data);
}
