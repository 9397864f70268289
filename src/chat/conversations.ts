import type { Db, Queries } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { cutPage, PAGE_ENTRIES, type Place, readPlace } from '../http/pages.ts';
import { readHead } from '../inbox/inbox.ts';
import { MESSAGE_COLUMNS, type MessageRow, toMessage } from '../inbox/stored-messages.ts';
import type { MessageRequestRow } from '../relations/message-requests.ts';
import { PACKED_SETTINGS, toSettings, unpackSettings } from './keeping/conversation-settings.ts';
import type { Conversation, ConversationPage, ConversationsFields, PersonName } from './schemas.ts';

/** How many conversations a user can pin. */
export const MAX_PINS = 5;

type ConversationRow = MessageRow &
  Pick<Conversation, 'peer' | 'unread' | 'received' | 'read' | 'ownRead' | 'revision'> & {
    readonly request_state: MessageRequestRow['state'] | null;
    readonly settings: string | null;
  };

/**
 * A page of the user's conversations with their last message, the latest first, with the names of the peers, as of `seq` of
 * the user's log.
 *
 * @throws {ServiceError} `invalid`, word `bad_cursor`
 */
export async function listConversations(
  db: Db,
  userId: string,
  request: ConversationsFields,
  now: number,
): Promise<ConversationPage & { seq: number }> {
  return db.snapshot(async (snapshot) => ({
    ...(await readConversations(snapshot, userId, request, now)),
    seq: await readHead(snapshot, userId),
  }));
}

/**
 * The same as part of a larger snapshot. `received` and `read` do not rise during a block. The unread messages of a blocked peer
 * are not counted, nor those of a message request. A conversation whose messages the user has all deleted for themselves is left out.
 */
export async function readConversations(
  db: Queries,
  userId: string,
  { peer, list, limit = PAGE_ENTRIES, after }: ConversationsFields,
  now: number,
): Promise<ConversationPage> {
  const hasPins = peer === undefined && list === undefined && after === undefined;
  const [peers, pins] = await Promise.all([
    peer === undefined ? readPeers(db, userId, list, limit + 1, after) : [{ id: peer, at: 0 }],
    hasPins ? readPins(db, userId) : [],
  ]);
  const { items: page, next } = cutPage(peers, limit, (one) => one);
  const onPage = new Set(page.map(({ id }) => id));
  const shown = [...onPage.union(new Set(pins))];
  const ids = inList(shown);
  const [rows, people] = await Promise.all([
    db.all<ConversationRow>`
      select mine.peer_id as peer, ${MESSAGE_COLUMNS}, mine.revision, requests.state as request_state,
        (select ${PACKED_SETTINGS} from conversation_settings where user_id = mine.user_id and peer_id = mine.peer_id) as settings,
        case when requests.state is null
          and (select 1 from blocks where blocker_id = mine.user_id and blocked_id = mine.peer_id) is null
          then mine.unread else 0 end as unread,
        coalesce(theirs.disclosed_received, 0) as received, coalesce(theirs.disclosed_read, 0) as read,
        mine.read as "ownRead"
      from conversations mine
      join messages on messages.low_id = case when mine.user_id < mine.peer_id then mine.user_id else mine.peer_id end
        and messages.high_id = case when mine.user_id < mine.peer_id then mine.peer_id else mine.user_id end
        and messages.n = mine.n
      left join message_requests requests on requests.user_id = mine.user_id and requests.peer_id = mine.peer_id
      left join conversations theirs on theirs.user_id = mine.peer_id and theirs.peer_id = mine.user_id
      where mine.user_id = ${userId} and mine.peer_id in ${ids}
      order by mine.last_at desc, mine.peer_id desc`,
    readPeople(db, userId, shown),
  ]);
  // The one with `peer` may belong to the other list.
  const listed = rows.filter(({ request_state }) => request_state === (list ? 'waiting' : null));
  const entries = listed
    .map((row) => toConversation(userId, row, now))
    .filter(({ last, clearedN }) => last.n > clearedN);
  const items = entries.filter((entry) => onPage.has(entry.peer));
  const pinned = pins.flatMap((id) => entries.find((entry) => entry.peer === id) ?? []);
  return {
    items,
    ...(hasPins && { pinned }),
    people: entries.length > 0 ? people : [],
    ...(next !== undefined && { next }),
  };
}

/** How the user's peers among these users are shown, by their id; without deleted users. */
export async function readPeople(
  db: Queries,
  userId: string,
  peers: readonly string[],
): Promise<PersonName[]> {
  const ids = inList(peers);
  return db.all<PersonName>`
    select id, username, nickname, avatar from users
    where id in ${ids} and status <> 'deleted' and exists (
      select 1 from conversations where user_id = ${userId} and peer_id = users.id)
    order by id`;
}

function toConversation(userId: string, row: ConversationRow, now: number): Conversation {
  const { peer, unread, received, read, ownRead, revision } = row;
  const last = toMessage(row, userId, peer);
  return {
    peer,
    last,
    unread,
    received,
    read,
    ownRead,
    revision,
    ...toSettings(unpackSettings(row.settings), row.n, now),
  };
}

/** The peers of the user's pinned conversations, the latest pin first. */
async function readPins(db: Queries, userId: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>`
    select peer_id as id from conversation_settings where user_id = ${userId} and pinned_at > 0
    order by pinned_at desc limit ${MAX_PINS}`;
  return rows.map(({ id }) => id);
}

const HOUR_MS = 60 * 60 * 1000;

/** The value of `conversations.last_hour`. The index by it changes once an hour at most, not with each message. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}

/** A page of their list, without pins. Ordered by `last_at`, in the order of an index by hours, within which the database sorts. */
export function readPeers(
  db: Queries,
  userId: string,
  list: ConversationsFields['list'],
  count: number,
  after?: string,
): Promise<Place[]> {
  const place = readPlace(after);
  if (list)
    return db.all<Place>`
      select peer_id as id, at from message_requests
      where user_id = ${userId} and state = 'waiting' and (at, peer_id) < (${place.at}, ${place.id})
      order by at desc, peer_id desc limit ${count}`;
  return db.all<Place>`
    select peer_id as id, last_at as at from conversations
    where user_id = ${userId} and last_hour <= ${hourOf(place.at)} and (last_at, peer_id) < (${place.at}, ${place.id})
      and (select 1 from message_requests where user_id = ${userId} and peer_id = conversations.peer_id) is null
      and (peer_id not in (select peer_id from conversation_settings where user_id = ${userId} and cleared_n > 0)
        or n > (select cleared_n from conversation_settings where user_id = ${userId} and peer_id = conversations.peer_id))
    order by last_hour desc, last_at desc, peer_id desc limit ${count}`;
}
