import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { hourOf } from '../src/chat/conversations.ts';
import type { FoundMessage, SearchPage } from '../src/chat/search/schemas.ts';
import type { Db } from '../src/db/db.ts';
import { asTable } from '../src/db/fragments.ts';
import { startChanging } from './changing.ts';
import type { TestDatabase } from './databases.ts';
import type { Body, Person, TestNode } from './harness.ts';

const MESSAGES = {
  low_id: 'text',
  high_id: 'text',
  n: 'bigint',
  sender_id: 'text',
  cid: 'text',
  body: 'text',
  at: 'bigint',
} as const;

/** A service as {@link startChanging} starts it, and searches over HTTP and frames in turn. */
export async function startSearching(
  t: TestContext,
  database: TestDatabase,
  env: Record<string, string> = {},
) {
  const world = await startChanging(t, database, { RATE_LIMIT_SEARCH: 'off', ...env });
  const { service } = world;
  const overHttp = async (by: Person, query: Record<string, string | number>): Promise<Body> => {
    const asText = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)]),
    ).toString();
    const { body } = await service.get(`/api/search?${asText}`, { token: by.token });
    const { data: items, people, searched, next, ...rest } = body;
    return body.code === 200
      ? { ...rest, data: { items, people, searched, ...(next !== undefined && { next }) } }
      : body;
  };
  /** The answer of the frame; over HTTP it is the same. */
  const search = async (by: Person, query: Record<string, string | number>): Promise<Body> => {
    const [sent, twin] = [await world.ask(by, { type: 'search', ...query }), await overHttp(by, query)];
    const { type: _, id: __, ...answer } = sent;
    assert.deepEqual(twin, answer, JSON.stringify(query));
    return answer;
  };
  const page = async (by: Person, query: Record<string, string | number>): Promise<SearchPage> => {
    const { code, error, data } = await search(by, query);
    assert.equal(code, 200, `${JSON.stringify(query)}: ${error}`);
    return data;
  };
  /** All pages, one after the other. */
  const pages = async (by: Person, query: Record<string, string | number>): Promise<SearchPage[]> => {
    const all = [await page(by, query)];
    for (let after = all[0]?.next; after !== undefined; after = all.at(-1)?.next)
      all.push(await page(by, { ...query, after }));
    return all;
  };
  return {
    ...world,
    overHttp,
    search,
    page,
    pages,
    /** All hits, as `NAME n`. */
    find: async (by: Person, query: Record<string, string | number>): Promise<string[]> => {
      const names = new Map([world.alice, world.bob, world.carol].map(({ id, username }) => [id, username]));
      const nameOf = ({ peer, n }: FoundMessage) => `${names.get(peer) ?? peer} ${n}`;
      return (await pages(by, query)).flatMap(({ items }) => items.map(nameOf));
    },
  };
}

/** Stores messages of `peer` without a limit or an event, in place of those of before. @param at of the last one */
export async function storeMessages(
  db: Db,
  userId: string,
  peer: string,
  bodies: readonly string[],
  at: number,
): Promise<void> {
  const [low_id = '', high_id = ''] = [userId, peer].sort();
  const rows = bodies.map((body, i) => ({
    low_id,
    high_id,
    n: i + 1,
    sender_id: peer,
    cid: `${userId} ${i + 1}`,
    body,
    at,
  }));
  await db.transaction(async (tx) => {
    for (let first = 0; first < rows.length; first += 1000)
      await tx.run`insert into messages ${asTable(MESSAGES, rows.slice(first, first + 1000))}`;
    for (const [user_id, peer_id] of [
      [userId, peer],
      [peer, userId],
    ] as const)
      await tx.run`
        insert into conversations (user_id, peer_id, n, last_at, last_hour)
        values (${user_id}, ${peer_id}, ${bodies.length}, ${at}, ${hourOf(at)})`;
  });
}

/** Looks at the slices that searches of these nodes read. `hold` stops each search before a slice. */
export function watchSlices(nodes: readonly TestNode[]) {
  const watched = {
    /** How many messages each slice read so far has in its ranges. */
    sizes: [] as number[],
    hold: (_slice: number): Promise<void> | undefined => undefined,
    get running() {
      return nodes.reduce((sum, { services }) => sum + services.chat.searches.running, 0);
    },
    get waiting() {
      return nodes.reduce((sum, { services }) => sum + services.chat.searches.waiting, 0);
    },
  };
  for (const { services } of nodes) {
    const all = services.db.all.bind(services.db);
    services.db.all = async (strings, ...parts) => {
      const [spans] = parts;
      if (
        strings.join('').includes('lower(messages.body)') &&
        typeof spans === 'object' &&
        spans &&
        'rows' in spans
      ) {
        watched.sizes.push(
          spans.rows.reduce((sum, { after, until }) => sum + Number(until) - Number(after), 0),
        );
        await watched.hold(watched.sizes.length);
      }
      return all(strings, ...parts);
    };
  }
  return watched;
}
