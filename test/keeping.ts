import type { TestContext } from 'node:test';
import type { ClearBody, ConversationBody, KeptConversation } from '../src/chat/schemas.ts';
import type { LogEvent } from '../src/events/log-events.ts';
import { readEvents } from '../src/inbox/stored-events.ts';
import type { DatabaseSettings, TestDatabase } from './databases.ts';
import type { Body, Person } from './harness.ts';
import { startSockets } from './sockets.ts';

/** What a user keeps of a conversation for which they have chosen nothing. */
export const UNCHANGED = { mutedUntil: 0, pinnedAt: 0, archived: 0, markedUnread: 0, clearedN: 0 };

/** Alice, Bob and Carol, and calls by which they keep conversations. The wall clock moves only by the test. */
export async function startKeeping(
  t: TestContext,
  database: TestDatabase,
  env: Record<string, string> = { RATE_LIMIT_MESSAGES: 'off' },
) {
  const clock = { now: Date.now() };
  const created: DatabaseSettings[] = [];
  const service = await startSockets(
    t,
    {
      ...database,
      async create(t) {
        const settings = await database.create(t);
        created.push(settings);
        return settings;
      },
    },
    { env: { TOKEN_TTL: '180d', ...env }, world: { now: () => clock.now } },
  );
  const [settings] = created;
  if (!settings) throw new Error('a service without a database');
  const [alice, bob, carol] = [
    await service.join('alice'),
    await service.join('bob'),
    await service.join('carol'),
  ];
  const { db } = service.services;
  let cids = 0;
  const post = (person: Person, path: string, body: object) =>
    service.post(path, body, { token: person.token });
  const get = async (person: Person, path: string) => (await service.get(path, { token: person.token })).body;
  return {
    service,
    db,
    /** Of the database, for a lock from outside. */
    settings,
    clock,
    alice,
    bob,
    carol,
    post,
    async send(from: Person, to: Person, fields: { replyTo?: number } = {}): Promise<number> {
      const cid = `c${++cids}`;
      const { status, text, body } = await post(from, '/api/messages', {
        to: to.id,
        cid,
        body: cid,
        ...fields,
      });
      if (status !== 200) throw new Error(text);
      return body.data.n;
    },
    keep: (person: Person, peer: Person, body: Omit<ConversationBody, 'peer'>) =>
      post(person, '/api/conversations/settings', { peer: peer.id, ...body }),
    clear: (person: Person, peer: Person, n: ClearBody['n']) =>
      post(person, '/api/conversations/clear', { peer: peer.id, n }),
    mark: (person: Person, peer: Person, read: number) =>
      post(person, '/api/messages/mark', { peer: peer.id, read }),
    /** The answer: `data`, `pinned`, `people` .. */
    list: (person: Person, query = ''): Promise<Body> => get(person, `/api/conversations?${query}`),
    /** The only conversation of the list with this peer. */
    entry: async (person: Person, peer: Person): Promise<Body> =>
      (await get(person, `/api/conversations?peer=${peer.id}`)).data[0],
    history: async (person: Person, peer: Person, query = ''): Promise<Body> =>
      (await get(person, `/api/messages?peer=${peer.id}&${query}`)).data,
    sync: async (person: Person): Promise<Body> => (await get(person, '/api/sync')).data,
    eventsOf: ({ id }: Person): Promise<LogEvent[]> => readEvents(db, id, 0, 1_000),
    /** The events `conversation` of the user, the first first. */
    keptEventsOf: async ({ id }: Person): Promise<KeptConversation[]> =>
      (await readEvents(db, id, 0, 1_000)).flatMap((one) => (one.event === 'conversation' ? [one.data] : [])),
  };
}
