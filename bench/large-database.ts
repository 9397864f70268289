import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hashSync } from '@node-rs/bcrypt';
import { pino } from 'pino';
import { migrate } from '../src/db/migrate.ts';
import { openSqlite } from '../src/db/sqlite/sqlite.ts';
import { PASSWORD } from './users.ts';

const HOUR_MS = 60 * 60 * 1000;
const KEPT_HOURS = 7 * 24;
/** Between the last messages of the conversations of one user: 360 an hour, as their list is ordered by an index of hours. */
const APART_MS = 10_000;
const KEPT_EVENTS = 5_000;
/** A user whose id is the last in the order of the hourly work. */
const LAST_USER = 'z';

/** The user with a conversation with everyone. */
export const POPULAR_USER = 'vip';

/** The id and the username of user `number`. */
export function userIdOf(number: number): string {
  return `user${String(number).padStart(7, '0')}`;
}

export interface LargeDatabase {
  /** How many users there are beside {@link POPULAR_USER}. */
  readonly users: number;
  /** Adds the events that become too old within an hour. */
  addOldEvents(): void;
  /** Whether they are trimmed. */
  isTrimmed(): boolean;
  close(): void;
}

/**
 * Fills a new database in `folder` with `messages` messages, a fourth as many conversations and as many blocks. A fifth of the
 * conversations, and a fiftieth as many friend requests, belong to {@link POPULAR_USER}, with {@link APART_MS} between them. Every password is {@link PASSWORD}.
 */
export async function fillLargeDatabase(folder: string, messages: number): Promise<LargeDatabase> {
  const db = await openSqlite({ folder, log: pino({ level: 'silent' }) });
  await migrate(db);
  await db[Symbol.asyncDispose]();

  const users = messages / 20;
  const file = new DatabaseSync(join(folder, 'doorman.db'), { timeout: 60_000 });
  const hash = hashSync(PASSWORD, 4);
  const now = Date.now();
  const id = (number: string) => `'user' || substr('0000000' || (${number}), -7)`;
  file.exec(`
    pragma synchronous = off;
    pragma cache_size = -400000;
    pragma temp_store = memory;
    begin;
    create temp table n as
      with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${users}) select i from n;
    create temp table ids as select ${id('i')} as id from n union all values ('${POPULAR_USER}'), ('${LAST_USER}');
    insert into users (id, username, username_key, password_hash, nickname, nickname_key, keyed_names, created_at)
      select id, id, id, '${hash}', 'Nick of ' || id, '', id || '\n' || 'Nick of ' || id, ${now} from ids;
    insert into inbox_heads (user_id, seq) select id, 1000 from ids;

    create temp table pairs as
      select ${id('i')} as low, '${POPULAR_USER}' as high, ${now} - i * ${APART_MS} as at from n
      union all
      select min(a, b), max(a, b), at from (
        select ${id('n.i')} as a, ${id(`(n.i + k.i + 1) % ${users}`)} as b, ${now} - n.i as at
        from n, (select i from n where i < 4) k);
    insert into conversations (user_id, peer_id, n, last_at, last_hour, unread)
      select low, high, 4, at, at / 3600000, 1 from pairs
      union all select high, low, 4, at, at / 3600000, 1 from pairs order by 1, 2;
    insert into messages (low_id, high_id, n, sender_id, cid, body, at)
      select low, high, k.i + 1, low, high || '-' || k.i, 'See you at eight then, I bring the tickets', at
      from pairs, (select i from n where i < 4) k order by 1, 2, 3;
    insert into blocks (blocker_id, blocked_id, created_at, position)
      select ${id('n.i')}, ${id(`(n.i + k.i + 10) % ${users}`)}, ${now}, k.i from n, (select i from n where i < 5) k;
    insert into friends (user_id, peer_id, state, at)
      select '${POPULAR_USER}', ${id('i')}, 'asked', ${now} - i from n where i < ${users / 10}
      union all select ${id('i')}, '${POPULAR_USER}', 'requested', ${now} - i from n where i < ${users / 10};
    insert into inbox (user_id, seq, at, event, data)
      select ${id('n.i')}, 1000 - k.i, ${now}, 'message', '{"peer":"${POPULAR_USER}","n":1,"from":"${POPULAR_USER}","cid":"a"}'
      from n, (select i from n where i < 5) k order by 1, 2;
    commit;
    pragma wal_checkpoint(truncate);
    analyze temp.n`);

  let hours = 0;
  return {
    users,
    addOldEvents() {
      hours++;
      // Each message is an event of both users.
      const events = Math.ceil((2 * messages) / KEPT_HOURS);
      const old = now - (KEPT_HOURS + 1) * HOUR_MS;
      file.exec(`
        begin immediate;
        insert into inbox (user_id, seq, at, event, data)
          with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${events})
          select ${id(`i % ${users}`)}, ${hours} * 50 + i / ${users}, ${old}, 'message', '{"peer":"${POPULAR_USER}","n":1,"from":"${POPULAR_USER}","cid":"a"}' from n;
        insert into inbox (user_id, seq, at, event, data) values ('${LAST_USER}', ${hours}, ${now}, 'message', '{}');
        update inbox_heads set seq = ${KEPT_EVENTS + hours} where user_id = '${LAST_USER}';
        commit`);
    },
    isTrimmed: () => file.prepare('select 1 from inbox where user_id = ?').get(LAST_USER) === undefined,
    close: () => file.close(),
  };
}
