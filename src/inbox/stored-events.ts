import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import type { LogEvent, LogEventName, StoredEvent, StoredEventData } from '../events/log-events.ts';

type MessageData = StoredEventData['message'];

const STRETCHES = { user_id: 'text', after: 'bigint', up_to: 'bigint' } as const;
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
  const rows = await db.all<LogEventRow>`
    select seq, at, event, data from inbox where user_id = ${userId} and seq > ${seq} order by seq limit ${limit}`;
  const stored = rows.map(toStoredEvent);
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

/** The events of one kind after `seq`, up to `upTo`, in order, as they are stored. */
export async function readEventsOf<E extends LogEventName>(
  db: Queries,
  userId: string,
  event: E,
  seq: number,
  upTo: number,
): Promise<StoredEvent<E>[]> {
  return (
    await db.all<LogEventRow<E>>`
      select seq, at, event, data from inbox
      where user_id = ${userId} and seq > ${seq} and seq <= ${upTo} and event = ${event} order by seq`
  ).map(toStoredEvent<E>);
}

/** Events of one user: those after `after`, up to `up_to`. */
export interface Stretch {
  readonly user_id: string;
  readonly after: number;
  readonly up_to: number;
}

/** The data of the events of one kind in several logs, in any order. */
export async function readEventsTogether<E extends LogEventName>(
  db: Queries,
  event: E,
  stretches: readonly Stretch[],
): Promise<{ userId: string; data: StoredEventData[E] }[]> {
  // The kind is compared here: PostgreSQL would take it for a reason to begin with the log.
  const rows = await db.all<{ user_id: string; event: LogEventName; data: string }>`
    select inbox.user_id, inbox.event, inbox.data from ${asTable(STRETCHES, stretches)} as wanted
    join inbox on inbox.user_id = wanted.user_id and inbox.seq > wanted.after and inbox.seq <= wanted.up_to`;
  return rows
    .filter((row) => row.event === event)
    .map(({ user_id, data }) => ({ userId: user_id, data: parseEventData<E>(data) }));
}

interface LogEventRow<E extends LogEventName = LogEventName> {
  readonly seq: number;
  readonly at: number;
  readonly event: E;
  readonly data: string;
}

function toStoredEvent<E extends LogEventName>({ seq, at, event, data }: LogEventRow<E>): StoredEvent<E> {
  return { seq, at, event, data: parseEventData<E>(data) } as StoredEvent<E>; // `data` belongs to `event`, which a type cannot say of a union
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
