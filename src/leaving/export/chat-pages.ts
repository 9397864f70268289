import { readFollowing } from '../../chat/history.ts';
import { SETTINGS, type SettingsRow, toSettings } from '../../chat/keeping/conversation-settings.ts';
import type { Db } from '../../db/db.ts';
import { readStoredEvents } from '../../inbox/stored-events.ts';
import { toMessage } from '../../inbox/stored-messages.ts';
import { readKeptPicture } from '../../pictures/read-picture.ts';
import { PAGE_ROWS, type Pages } from './lines.ts';

type Side = SettingsRow & { readonly peer: string; readonly n: number; readonly request: string | null };

/** All conversations by the ids of their peers, each with its messages behind it, as far as the user has not deleted them. */
export async function* readConversationPages(db: Db, userId: string, now: number): Pages {
  for (let after = ''; ; ) {
    const sides = await db.all<Side>`
      select mine.peer_id as peer, mine.n, mine.unread, coalesce(theirs.disclosed_received, 0) as received,
        coalesce(theirs.disclosed_read, 0) as read, mine.read as "ownRead", mine.revision, requests.state as request, ${SETTINGS}
      from conversations mine
      left join conversations theirs on theirs.user_id = mine.peer_id and theirs.peer_id = mine.user_id
      left join conversation_settings kept on kept.user_id = mine.user_id and kept.peer_id = mine.peer_id
      left join message_requests requests on requests.user_id = mine.user_id and requests.peer_id = mine.peer_id
      where mine.user_id = ${userId} and mine.peer_id > ${after} order by mine.peer_id limit ${PAGE_ROWS}`;
    for (const { request, muted_until, pinned_at, archived_n, marked_unread, cleared_n, ...side } of sides) {
      const kept = toSettings({ muted_until, pinned_at, archived_n, marked_unread, cleared_n }, side.n, now);
      yield [{ type: 'conversation', ...side, ...kept, ...(request !== null && { request }) }];
      yield* readMessagePages(db, userId, side.peer, cleared_n, side.n);
    }
    const last = sides.at(-1);
    if (!last || sides.length < PAGE_ROWS) return;
    after = last.peer;
  }
}

/** The messages with a peer after one number and up to another, as they are now. */
async function* readMessagePages(db: Db, userId: string, peer: string, after: number, upTo: number): Pages {
  for (let last = after; last < upTo; ) {
    const rows = await readFollowing(db, [userId, peer], last, Math.min(PAGE_ROWS, upTo - last));
    yield rows.map((row) => ({ type: 'message', peer, ...toMessage(row, userId, peer) }));
    last = rows.at(-1)?.n ?? upTo;
  }
}

interface PictureRow {
  readonly id: string;
  readonly media_type: string;
  readonly create_time: number;
}

/** The pictures that the user uploaded, for their profile and for messages, each read alone. */
export async function* readPicturePages(db: Db, userId: string): Pages {
  const toLine = (use: string, row: PictureRow, pieces: readonly Uint8Array[]) => [
    { type: 'picture', use, ...row, base64: Buffer.concat(pieces).toString('base64') },
  ];
  const avatars = await db.all<PictureRow & { bytes: Uint8Array }>`
    select id, type as media_type, created_at as create_time, bytes from avatars where user_id = ${userId} order by id`;
  for (const { bytes, ...row } of avatars) yield toLine('profile', row, [bytes]);
  for (let last = { id: '', create_time: 0 }; ; ) {
    const row = await db.get<PictureRow>`
      select id, type as media_type, created_at as create_time, width, height,
        case low_id when ${userId} then high_id else low_id end as peer
      from pictures where owner_id = ${userId} and is_whole = 1 and (created_at, id) > (${last.create_time}, ${last.id})
      order by created_at, id limit 1`;
    if (!row) return;
    const picture = await readKeptPicture(db, row.id);
    yield picture ? toLine('message', row, picture.pieces) : [];
    last = row;
  }
}

/** The events of the last days, as they are stored: the text of a message is in its own line alone, and gone if the user deleted it. */
export async function* readEventPages(db: Db, userId: string) {
  for (let seq = 0; ; ) {
    const events = await readStoredEvents(db, userId, seq, PAGE_ROWS);
    yield events.map((event) => ({ type: 'event', ...event }));
    const last = events.at(-1);
    // Not until there are none: each page may be followed by new ones.
    if (!last || events.length < PAGE_ROWS) return;
    seq = last.seq;
  }
}
