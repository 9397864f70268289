import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

const IN_A_CONVERSATION = 200;
/** In no message. */
export const WORD = 'zebra';

/** The messages of a conversation above `after`, up to `until`. */
interface Range {
  readonly low: string;
  readonly high: string;
  readonly after: number;
  readonly until: number;
}

/** The service's database, without the service. */
export interface SearchedDatabase extends AsyncDisposable {
  run(statements: string): Promise<void>;
  /** Does what would else follow later, such as a vacuum. */
  settle(): Promise<void>;
  /** The statement of a search, without its code. */
  read(ranges: readonly Range[]): Promise<unknown>;
  /** How many conversations a search reads by one statement. */
  readonly atOnce: number;
}

/** @param url of PostgreSQL; undefined: the embedded database in `folder` */
export async function openSearched(folder: string, url: string | undefined): Promise<SearchedDatabase> {
  return url === undefined ? openFile(folder) : openServer(url);
}

function openFile(folder: string): SearchedDatabase {
  const file = new DatabaseSync(join(folder, 'doorman.db'), { timeout: 60_000 });
  file.exec('pragma cache_size = -16000');
  const statement = file.prepare(`
    select ? as place, n, body from messages
    where low_id = ? and high_id = ? and n > ? and n <= ? and instr(lower(body), ?) > 0`);
  statement.setReturnArrays(true);
  return {
    atOnce: 1,
    run: async (statements) => file.exec(statements),
    settle: async () => file.exec('pragma wal_checkpoint(truncate)'),
    async read(ranges) {
      for (const { low, high, after, until } of ranges)
        statement.all(0n, low, high, BigInt(after), BigInt(until), WORD);
    },
    [Symbol.asyncDispose]: async () => file.close(),
  };
}

async function openServer(url: string): Promise<SearchedDatabase> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const text = `
    select 0 as place, messages.n, messages.body
    from json_to_recordset($1::text::json) as spans (low text collate "C", high text collate "C", after bigint, until bigint)
    join messages on messages.low_id = spans.low and messages.high_id = spans.high
      and messages.n > spans.after and messages.n <= spans.until
    where strpos(lower(messages.body), $2) > 0`;
  return {
    atOnce: 5,
    run: async (statements) => void (await client.query(statements)),
    settle: async () => void (await client.query('vacuum analyze')),
    read: (ranges) => client.query({ name: 'read', text, values: [JSON.stringify(ranges), WORD] }),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** All ranges of a user of {@link addMessages}. */
export function rangesOf(userId: string, group: string, count: number): Range[] {
  return Array.from({ length: count / IN_A_CONVERSATION }, (_, i) => {
    const [low = '', high = ''] = [userId, `${group}${String(i).padStart(7, '0')}`].sort();
    return { low, high, after: 0, until: IN_A_CONVERSATION };
  });
}

/** Messages of a user with new users, or of as many pairs of new users. */
export interface Messages {
  /** Begins the ids of the new users; one letter. */
  readonly group: string;
  readonly userId?: string;
  readonly count: number;
}

/**
 * Adds conversations of 200 messages, a third of them in Chinese. The messages of all are stored in turn, as people write them: those of
 * one conversation do not lie together.
 */
export async function addMessages(database: SearchedDatabase, all: readonly Messages[]): Promise<void> {
  const pairs = all.map(({ group, userId, count }) => ({
    peers: Math.ceil(count / IN_A_CONVERSATION),
    from: userId === undefined ? idIn(group.toUpperCase()) : `'${userId}'`,
    peer: idIn(group),
    isNew: userId === undefined,
  }));
  const statements = pairs.flatMap(({ peers, from, peer, isNew }) => [
    ...(isNew ? [addUsers(from, peers)] : []),
    addUsers(peer, peers),
    addSides(from, peer, peers),
    addSides(peer, from, peers),
  ]);
  const most = Math.max(...pairs.map(({ peers }) => peers));
  const rows = pairs.map(
    ({ peers, from, peer }) => `
      select case when ${from} < ${peer} then ${from} else ${peer} end as low,
        case when ${from} < ${peer} then ${peer} else ${from} end as high, n, ${peer} as sender, i
      from numbers, each where i < ${peers}`,
  );
  statements.push(`
    insert into messages (low_id, high_id, n, sender_id, cid, body, at)
    with recursive ${numbers(most)}, each (n) as (select 1 union all select n + 1 from each where n < ${IN_A_CONVERSATION})
    select low, high, n, sender, low || cast(n as text),
      case when n % 3 = 0 then '明天下午五点在老地方喝茶，记得带上那本书' else 'See you at eight then, I bring the tickets and the other book' end,
      i * cast(3600000 as bigint)
    from (${rows.join(' union all ')}) as pairs order by n, i`);
  await database.run(`begin; ${statements.join('; ')}; commit`);
  await database.settle();
}

function addUsers(id: string, count: number): string {
  return `
    insert into users (id, username, username_key, password_hash, nickname, nickname_key, created_at)
    with recursive ${numbers(count)} select ${id}, ${id}, ${id}, '!', ${id}, '', 0 from numbers`;
}

function addSides(user: string, peer: string, count: number): string {
  return `
    insert into conversations (user_id, peer_id, n, last_at, last_hour)
    with recursive ${numbers(count)} select ${user}, ${peer}, ${IN_A_CONVERSATION}, i * cast(3600000 as bigint), i from numbers`;
}

/** The id in SQL of the user `i` of a group. */
function idIn(group: string): string {
  return `'${group}' || substr(cast(10000000 + i as text), 2)`;
}

function numbers(count: number): string {
  return `numbers (i) as (select 0 union all select i + 1 from numbers where i + 1 < ${count})`;
}
