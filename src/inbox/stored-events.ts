import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import type { LogEvent, LogEventName, StoredEvent, StoredEventData } from '../events/log-events.ts';

type MessageData = StoredEventData['message'];

const KEYS = { place: 'bigint', low_id: 'text', high_id: 'text', n: 'bigint' } as const;

/**
 * Up to `limit` events after `seq`, in order. An event whose message is missing (the service removes none) is left out, as if it was
 * trimmed: a device that has not got it does a sync.
 */
export async function readEvents(
  db: Queries,
  userId: string,
  seq: number,
  limit: number,
): Promise<LogEvent[]> {
  const rows = await db.all<{ seq: number; at: number; event: LogEventName; data: string }>`
    select seq, at, event, data from inbox where user_id = ${userId} and seq > ${seq} order by seq limit ${limit}`;
  // `data` belongs to `event`, which a type cannot say of a union.
  const stored = rows.map((row) => ({ ...row, data: parseEventData(row.data) }) as StoredEvent);
  const messages = stored.filter((one) => one.event === 'message');
  const texts = await readTexts(
    db,
    messages.map(({ data }) => ({ userId, data })),
  );
  return stored.flatMap((one): LogEvent[] => {
    if (one.event !== 'message') return [one];
    const body = texts.get(one.data);
    return body === undefined ? [] : [{ ...one, data: { ...one.data, body } }];
  });
}

/** The column `data` of an event of this kind. Not compared with its schema: only `append` writes the column. */
export function parseEventData<E extends LogEventName>(data: string): StoredEventData[E] {
  return JSON.parse(data);
}

/**
 * Whether a device that has everything up to `seq` can be brought up to date from the log: it is not ahead of the
 * head, and the event after it was not trimmed.
 */
export async function canResume(db: Queries, userId: string, seq: number, head: number): Promise<boolean> {
  if (seq === head) return true;
  if (seq > head || seq < 0) return false;
  const [next] = await readEvents(db, userId, seq, 1);
  return next?.seq === seq + 1 || (seq === 0 && next !== undefined);
}

/**
 * The texts of `message` events, by their data. Rows of earlier versions have theirs; the others are read from `messages`, in one
 * statement. A message is stored in the transaction of its events and never changed, so this needs no snapshot with the
 * statement that read the events. A text is missing only if the message was removed, which the service never does.
 *
 * @param events each with the user in whose log it is
 */
export async function readTexts(
  db: Queries,
  events: readonly { readonly userId: string; readonly data: MessageData }[],
): Promise<Map<MessageData, string>> {
  const texts = new Map<MessageData, string>();
  const missing = events.filter(({ data }) => data.body === undefined);
  for (const { data } of events) if (data.body !== undefined) texts.set(data, data.body);
  if (missing.length === 0) return texts;
  const keys = missing.map(({ userId, data: { peer, n } }, place) => ({
    place,
    low_id: userId < peer ? userId : peer,
    high_id: userId < peer ? peer : userId,
    n,
  }));
  const rows = await db.all<{ place: number; body: string }>`
    select wanted.place, messages.body
    from ${asTable(KEYS, keys)} as wanted
    join messages on messages.low_id = wanted.low_id and messages.high_id = wanted.high_id and messages.n = wanted.n`;
  for (const { place, body } of rows) {
    const data = missing[place]?.data;
    if (data) texts.set(data, body);
  }
  return texts;
}
