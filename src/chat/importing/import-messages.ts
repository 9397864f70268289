import type { Queries } from '../../db/db.ts';
import { asTable } from '../../db/fragments.ts';
import { type ImportVerdict, readNamedUsers } from '../../users/imported.ts';
import {
  cidOf,
  type ImportedMessage,
  type ImportFacts,
  judgeImported,
  type Side,
  type StoredCid,
  sideOf,
} from './judge-imported.ts';

const CIDS = { sender_id: 'text', cid: 'text' } as const;
const PAIRS = { user_id: 'text', peer_id: 'text' } as const;
const MESSAGES = {
  low_id: 'text',
  high_id: 'text',
  n: 'bigint',
  sender_id: 'text',
  cid: 'text',
  body: 'text',
  at: 'bigint',
} as const;
const SIDES = {
  user_id: 'text',
  peer_id: 'text',
  n: 'bigint',
  last_at: 'bigint',
  last_hour: 'bigint',
  received: 'bigint',
  read: 'bigint',
  unread: 'bigint',
  disclosed_received: 'bigint',
  disclosed_read: 'bigint',
} as const;

/** Messages of an import: no events, no pushes, no message requests; blocks and privacy are not asked. */
export const messageImport = {
  async look(db: Queries, lines: readonly ImportedMessage[]): Promise<ImportFacts> {
    const cids = lines.map(({ from, cid }) => ({ sender_id: from, cid }));
    const pairs = lines.flatMap(({ from, to }) => [
      { user_id: from, peer_id: to },
      { user_id: to, peer_id: from },
    ]);
    const sides = [...new Map(pairs.map((pair) => [sideOf(pair.user_id, pair.peer_id), pair])).values()];
    const [users, known, stored] = await Promise.all([
      readNamedUsers(
        db,
        sides.map(({ user_id }) => user_id),
      ),
      db.all<StoredCid & { sender_id: string; cid: string }>`
        select asked.sender_id, asked.cid,
          case when known.low_id = known.sender_id then known.high_id else known.low_id end as known_peer,
          known.body as known_body, known.reply_to as known_reply_to, known.unsent_at as known_unsent_at,
          known.original_hash as known_original_hash, known.picture_id as known_picture_id
        from ${asTable(CIDS, cids)} as asked
        join messages known on known.sender_id = asked.sender_id and known.cid = asked.cid`,
      db.all<Side>`
        select asked.user_id, asked.peer_id,
          coalesce(mine.n, 0) as n, coalesce(mine.last_at, 0) as last_at, coalesce(mine.received, 0) as received,
          coalesce(mine.read, 0) as read, coalesce(mine.unread, 0) as unread,
          coalesce(mine.disclosed_received, 0) as disclosed_received, coalesce(mine.disclosed_read, 0) as disclosed_read,
          coalesce(
            (select 1 from blocks where blocker_id = asked.user_id and blocked_id = asked.peer_id),
            (select 1 from blocks where blocker_id = asked.peer_id and blocked_id = asked.user_id),
            (select 1 from message_requests where user_id = asked.user_id and peer_id = asked.peer_id), 0) as is_kept_back
        from ${asTable(PAIRS, sides)} as asked
        left join conversations mine on mine.user_id = asked.user_id and mine.peer_id = asked.peer_id`,
    ]);
    return {
      users,
      known: new Map(known.map((row) => [cidOf(row.sender_id, row.cid), row])),
      sides: new Map(stored.map((row) => [sideOf(row.user_id, row.peer_id), row])),
    };
  },

  write(
    tx: Queries | null,
    lines: readonly ImportedMessage[],
    facts: ImportFacts,
    now: number,
  ): ImportVerdict[] {
    const { verdicts, additions } = judgeImported(lines, facts, now);
    if (!tx || additions.messages.length === 0) return verdicts;
    void tx.run`insert into messages ${asTable(MESSAGES, additions.messages)}`;
    void tx.run`
      insert into conversations ${asTable(SIDES, additions.sides)}
      on conflict (user_id, peer_id) do update set
        n = excluded.n, last_at = excluded.last_at, last_hour = excluded.last_hour, received = excluded.received,
        read = excluded.read, unread = excluded.unread, disclosed_received = excluded.disclosed_received,
        disclosed_read = excluded.disclosed_read`;
    return verdicts;
  },
};
