import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hashSync } from '@node-rs/bcrypt';
import { pino } from 'pino';
import { migrate } from '../src/db/migrate.ts';
import { openSqlite } from '../src/db/sqlite/sqlite.ts';
import { PASSWORD } from './people.ts';

const HOUR_MS = 60 * 60 * 1000;
const KEPT_HOURS = 7 * 24;
const KEPT_EVENTS = 5_000;
/** Last in the order of ids, which is the order of the hourly work. */
const LAST = 'z';

/** The user who knows everyone in the town. */
export const VICTIM = 'victim';

/** The id and the username of person `number` of the town. */
export function personOf(number: number): string {
  return `person${String(number).padStart(7, '0')}`;
}

export interface Town {
  /** How many persons there are besides the victim. */
  readonly persons: number;
  /** Adds what an hour brings to trim. */
  addAnHour(): void;
  /** Whether that is trimmed. */
  isTrimmed(): boolean;
  close(): void;
}

/**
 * Fills a new database in `folder`: for `messages` messages a fourth as many conversations and blocks. A fifth of the
 * conversations, and a fiftieth as many friend requests, are the victim's. Everyone's password is {@link PASSWORD}.
 */
export async function fillTown(folder: string, messages: number): Promise<Town> {
  const db = await openSqlite({ folder, log: pino({ level: 'silent' }) });
  await migrate(db);
  await db[Symbol.asyncDispose]();

  const persons = messages / 20;
  const file = new DatabaseSync(join(folder, 'doorman.db'), { timeout: 60_000 });
  const hash = hashSync(PASSWORD, 4);
  const now = Date.now();
  const id = (number: string) => `'person' || substr('0000000' || (${number}), -7)`;
  file.exec(`
    pragma synchronous = off;
    pragma cache_size = -400000;
    pragma temp_store = memory;
    begin;
    create temp table n as
      with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${persons}) select i from n;
    create temp table ids as select ${id('i')} as id from n union all values ('${VICTIM}'), ('${LAST}');
    insert into users (id, username, username_key, password_hash, nickname, nickname_key, created_at)
      select id, id, id, '${hash}', 'Nick of ' || id, '', ${now} from ids;
    insert into inbox_heads (user_id, seq) select id, 1000 from ids;

    create temp table pairs as
      select ${id('i')} as low, '${VICTIM}' as high, ${now} - i as at from n
      union all
      select min(a, b), max(a, b), at from (
        select ${id('n.i')} as a, ${id(`(n.i + k.i + 1) % ${persons}`)} as b, ${now} - n.i as at
        from n, (select i from n where i < 4) k);
    insert into conversations (user_id, peer_id, n, last_at, unread)
      select low, high, 4, at, 1 from pairs union all select high, low, 4, at, 1 from pairs order by 1, 2;
    insert into messages (low_id, high_id, n, sender_id, cid, body, at)
      select low, high, k.i + 1, low, high || '-' || k.i, 'See you at eight then, I bring the tickets', at
      from pairs, (select i from n where i < 4) k order by 1, 2, 3;
    insert into blocks (blocker_id, blocked_id, created_at, position)
      select ${id('n.i')}, ${id(`(n.i + k.i + 10) % ${persons}`)}, ${now}, k.i from n, (select i from n where i < 5) k;
    insert into friends (user_id, peer_id, state, at)
      select '${VICTIM}', ${id('i')}, 'asked', ${now} - i from n where i < ${persons / 10}
      union all select ${id('i')}, '${VICTIM}', 'requested', ${now} - i from n where i < ${persons / 10};
    insert into inbox (user_id, seq, at, event, data)
      select ${id('n.i')}, 1000 - k.i, ${now}, 'message', '{"body":"See you at eight then, I bring the tickets"}'
      from n, (select i from n where i < 5) k order by 1, 2;
    commit;
    pragma wal_checkpoint(truncate);
    analyze temp.n`);

  let hours = 0;
  return {
    persons,
    addAnHour() {
      hours++;
      // Each message is an event of both sides.
      const events = Math.ceil((2 * messages) / KEPT_HOURS);
      const old = now - (KEPT_HOURS + 1) * HOUR_MS;
      file.exec(`
        begin immediate;
        insert into inbox (user_id, seq, at, event, data)
          with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${events})
          select ${id(`i % ${persons}`)}, ${hours} * 50 + i / ${persons}, ${old}, 'message', '{"body":"See you at eight"}' from n;
        insert into inbox (user_id, seq, at, event, data) values ('${LAST}', ${hours}, ${now}, 'message', '{}');
        update inbox_heads set seq = ${KEPT_EVENTS + hours} where user_id = '${LAST}';
        commit`);
    },
    isTrimmed: () => file.prepare('select 1 from inbox where user_id = ?').get(LAST) === undefined,
    close: () => file.close(),
  };
}
