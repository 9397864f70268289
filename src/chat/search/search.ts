import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Db } from '../../db/db.ts';
import { asTable, indexOf } from '../../db/fragments.ts';
import { MESSAGE_COLUMNS, type MessageRow, toMessage } from '../../inbox/stored-messages.ts';
import type { Refusal } from '../../limits/local-limits.ts';
import type { ChatServices } from '../chat-services.ts';
import { readPeople } from '../conversations.ts';
import { takeFromLimit } from '../sending.ts';
import { holdsAll, readParts, type SearchParts } from './parts.ts';
import type { SearchFields, SearchPage } from './schemas.ts';
import { type SearchPlace, type Span, spansOf, toSearchCursor } from './spans.ts';

const TOO_MANY: Refusal = ['too_many_searches', '搜索过于频繁，请稍后再试'];
const SEARCH_LIMIT = 20;
/** How many messages one call reads. */
const MAX_READ = 20_000;

/** How many texts are compared before others are served. */
const COMPARED = 200;

const SPANS = { peer: 'text', low_id: 'text', high_id: 'text', after: 'bigint', until: 'bigint' } as const;
const HITS = { peer: 'text', low_id: 'text', high_id: 'text', n: 'bigint' } as const;

/** A message that has all that is searched for, with the span where it is. */
interface Hit extends Span {
  readonly n: number;
}

/**
 * A page of the user's messages that have all parts of `q` (docs/protocol.md, `search`), within the limit of their searches
 * (`RATE_LIMIT_SEARCH`). Two searches run at once, and twenty wait.
 *
 * @param signal ends it between two slices
 * @throws {ServiceError} `rate-limited`, words `too_many_searches` and `overloaded`; `invalid`, word `bad_cursor`
 * @throws the signal's reason
 */
export async function searchWithinLimit(
  { chat, db }: { readonly chat: ChatServices; readonly db: Db },
  userId: string,
  fields: SearchFields,
  signal: AbortSignal,
): Promise<SearchPage> {
  await takeFromLimit(chat.searchLimit, userId, TOO_MANY);
  return chat.searches.run(() => searchMessages(db, userId, fields, signal), signal);
}

async function searchMessages(
  db: Db,
  userId: string,
  { q, peer, limit = SEARCH_LIMIT, after }: SearchFields,
  signal: AbortSignal,
): Promise<SearchPage> {
  const sought = readParts(q);
  const groups = spansOf(db, userId, peer, after);
  const hits: Hit[] = [];
  let spans: Span[] = [];
  let next: SearchPlace | undefined;
  let searched = 0;
  for (;;) {
    while (spans.length === 0) {
      const { value: group } = await groups.next();
      if (!group) break;
      spans = group.filter(({ after, until }) => after < until);
    }
    const [first] = spans;
    next = first && { ...first, below: first.until + 1 };
    if (!first || searched >= MAX_READ || hits.length >= limit) break;
    const slice = takeSlice(spans, Math.min(db.maxRead, MAX_READ - searched));
    const found = await findIn(db, slice, sought);
    const room = limit - hits.length;
    hits.push(...found.slice(0, room));
    const last = found.length > room ? hits.at(-1) : undefined;
    searched += countMessages(slice, last);
    if (last) {
      next = { ...last, below: last.n };
      break;
    }
    signal.throwIfAborted();
  }
  return {
    ...(await readHits(db, userId, hits, sought)),
    searched,
    ...(next && { next: toSearchCursor(next) }),
  };
}

/** Takes the next `size` messages from the front of `spans`. */
function takeSlice(spans: Span[], size: number): Span[] {
  const slice: Span[] = [];
  for (let [span] = spans; span && size > 0; [span] = spans) {
    const after = Math.max(span.after, span.until - size);
    slice.push({ ...span, after });
    size -= span.until - after;
    if (after === span.after) spans.shift();
    else span.until = after;
  }
  return slice;
}

/** How many messages a slice has, down to the last hit that is taken of it. */
function countMessages(slice: readonly Span[], last: Hit | undefined): number {
  const end = slice.findIndex(({ peer }) => peer === last?.peer) + 1 || slice.length;
  const lowest = (span: Span) => (span.peer === last?.peer ? last.n - 1 : span.after);
  return slice.slice(0, end).reduce((sum, span) => sum + span.until - lowest(span), 0);
}

/** The hits of a slice in its order, the newest first in each conversation. */
async function findIn(db: Db, slice: readonly Span[], sought: SearchParts): Promise<Hit[]> {
  const rows = await db.all<{ peer: string; n: number; body: string }>`
    select spans.peer, messages.n, messages.body from ${asTable(SPANS, slice)} as spans
    join messages on messages.low_id = spans.low_id and messages.high_id = spans.high_id
      and messages.n > spans.after and messages.n <= spans.until
    where ${indexOf}(lower(messages.body), ${sought.filter}) > 0`;
  const found: typeof rows = [];
  // Long texts take some 20 µs each.
  for (let i = 0; i === 0 || i < rows.length; i += COMPARED) {
    found.push(...rows.slice(i, i + COMPARED).filter(({ body }) => holdsAll(sought, body)));
    await yieldToEventLoop();
  }
  found.sort((one, other) => other.n - one.n);
  const byPeer = Map.groupBy(found, ({ peer }) => peer);
  return slice.flatMap((span) => (byPeer.get(span.peer) ?? []).map(({ n }) => ({ ...span, n })));
}

/** The messages as they are now: what was unsent, edited or deleted since it was found has to be found again. */
async function readHits(
  db: Db,
  userId: string,
  hits: readonly Hit[],
  sought: SearchParts,
): Promise<Pick<SearchPage, 'items' | 'people'>> {
  return db.snapshot(async (snapshot) => {
    const rows = await snapshot.all<MessageRow & { peer: string }>`
      select found.peer, ${MESSAGE_COLUMNS} from ${asTable(HITS, hits)} as found
      join messages on messages.low_id = found.low_id and messages.high_id = found.high_id and messages.n = found.n
      where messages.n > coalesce((
          select cleared_n from conversation_settings where user_id = ${userId} and peer_id = found.peer), 0)`;
    const isSame = (row: (typeof rows)[number], { peer, n }: Hit) => row.peer === peer && row.n === n;
    const items = hits
      .flatMap((hit) => rows.find((row) => isSame(row, hit)) ?? [])
      .filter(({ body }) => holdsAll(sought, body))
      .map((row) => ({ peer: row.peer, ...toMessage(row, userId, row.peer) }));
    const people = await readPeople(snapshot, userId, [...new Set(items.map(({ peer }) => peer))]);
    return { items, people };
  });
}
