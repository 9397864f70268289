import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import type {
  LogEvent,
  LogEventName,
  MessageState,
  StoredEvent,
  StoredEventData,
} from '../events/log-events.ts';
import { MESSAGE_COLUMNS, type MessageRow, stateOf } from './stored-messages.ts';

/** The data of an event that gets its text from `messages`. */
type TextData = StoredEventData['message' | 'edited'];

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
  const stored = await readStoredEvents(db, userId, seq, limit);
  const messages = stored.filter((one) => one.event === 'message' || one.event === 'edited');
  const texts = await readTexts(
    db,
    messages.map(({ data }) => ({ userId, data })),
  );
  return stored.flatMap((one): LogEvent[] => {
    if (one.event !== 'message' && one.event !== 'edited') return [one];
    const text = texts.get(one.data);
    if (!text) return [];
    if (one.event === 'edited') return [{ ...one, data: { ...one.data, body: text.body } }];
    return [{ ...one, data: { ...one.data, ...text } }];
  });
}

/** The same events as the log stores them: those of messages without their text. */
export async function readStoredEvents(
  db: Queries,
  userId: string,
  seq: number,
  limit: number,
): Promise<StoredEvent[]> {
  const rows = await db.all<{ seq: number; at: number; event: LogEventName; data: string }>`
    select seq, at, event, data from inbox where user_id = ${userId} and seq > ${seq} order by seq limit ${limit}`;
  // `data` belongs to `event`, which a type cannot say of a union.
  return rows.map((row) => ({ ...row, data: parseEventData(row.data) }) as StoredEvent);
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
 * What `messages` holds of these events, by their data: the text and what else may have changed, as it is now. A message is stored in
 * the transaction of its first event. It may change between this statement and the one that read the events: both results are right, as
 * the event of the change follows. Only a message that was removed is missing, which the service never does.
 *
 * @param events each with the user in whose log it is
 */
export async function readTexts<Data extends TextData>(
  db: Queries,
  events: readonly { readonly userId: string; readonly data: Data }[],
): Promise<Map<Data, MessageState>> {
  const texts = new Map<Data, MessageState>();
  if (events.length === 0) return texts;
  const keys = events.map(({ userId, data: { peer, n } }, place) => ({
    place,
    low_id: userId < peer ? userId : peer,
    high_id: userId < peer ? peer : userId,
    n,
  }));
  const rows = await db.all<MessageRow & { place: number }>`
    select wanted.place, ${MESSAGE_COLUMNS}
    from ${asTable(KEYS, keys)} as wanted
    join messages on messages.low_id = wanted.low_id and messages.high_id = wanted.high_id and messages.n = wanted.n`;
  for (const { place, ...row } of rows) {
    const event = events[place];
    if (event) texts.set(event.data, stateOf(row, event.userId, event.data.peer));
  }
  return texts;
}
