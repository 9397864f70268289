import type { Queries } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { badCursor, PAGE_ENTRIES } from '../../http/pages.ts';
import { readPeers } from '../conversations.ts';
import { SEARCH_CURSOR } from './schemas.ts';

/** The messages of a conversation that a search has not read: those above `after`, up to `until`. */
export interface Span {
  readonly peer: string;
  readonly low_id: string;
  readonly high_id: string;
  /** When the last message of the conversation was stored. */
  readonly at: number;
  readonly after: number;
  until: number;
}

/** Where a search goes on: in this conversation, with the messages below a number. */
export interface SearchPlace extends Pick<Span, 'peer' | 'at'> {
  readonly below: number;
}

const CURSOR = new RegExp(SEARCH_CURSOR);

export function toSearchCursor({ peer, at, below }: SearchPlace): string {
  return `${below}:${at}:${peer}`;
}

function readCursor(after: string): SearchPlace {
  const [, below, at, peer] = CURSOR.exec(after) ?? [];
  if (peer === undefined) throw badCursor();
  return { below: Number(below), at: Number(at), peer };
}

/**
 * The user's conversations in the order of their list, or the one with `peer`, in groups. Without what the user
 * deleted for themselves, and without message requests that wait or were declined.
 *
 * @param after where the search before ended. It goes on in the same conversation, also when that has new messages
 * @throws {ServiceError} `invalid`, word `bad_cursor`, also for a conversation that is not the user's or another one than with `peer`
 */
export async function* spansOf(
  db: Queries,
  userId: string,
  peer: string | undefined,
  after: string | undefined,
): AsyncGenerator<Span[], void> {
  const start = after === undefined ? undefined : readCursor(after);
  const first = start?.peer ?? peer;
  if (first !== undefined) {
    const [span] = await readSpans(db, userId, [first]);
    if (start && (!span || first !== (peer ?? first))) throw badCursor();
    if (span) yield [{ ...span, until: Math.min(span.until, (start?.below ?? Infinity) - 1) }];
    if (peer !== undefined) return;
  }
  for (let place = start && `${start.at}:${start.peer}`; ; ) {
    const peers = await readPeers(db, userId, undefined, PAGE_ENTRIES, place);
    const last = peers.at(-1);
    if (!last) return;
    const ids = peers.map(({ id }) => id);
    yield await readSpans(db, userId, ids);
    place = `${last.at}:${last.id}`;
  }
}

async function readSpans(db: Queries, userId: string, peers: readonly string[]): Promise<Span[]> {
  const ids = inList(peers);
  return db.all<Span>`
    select mine.peer_id as peer, mine.last_at as at, coalesce(kept.cleared_n, 0) as after,
      case when mine.user_id < mine.peer_id then mine.user_id else mine.peer_id end as low_id,
      case when mine.user_id < mine.peer_id then mine.peer_id else mine.user_id end as high_id,
      case when requests.state is null then mine.n else 0 end as until
    from conversations mine
    left join conversation_settings kept on kept.user_id = mine.user_id and kept.peer_id = mine.peer_id
    left join message_requests requests on requests.user_id = mine.user_id and requests.peer_id = mine.peer_id
    where mine.user_id = ${userId} and mine.peer_id in ${ids}
    order by mine.last_at desc, mine.peer_id desc`;
}
