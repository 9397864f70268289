import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { readEvents } from '../src/inbox/stored-events.ts';
import { everythingStored } from './bad-input/stored.ts';
import type { TestDatabase } from './databases.ts';
import type { Body, Person } from './harness.ts';
import { startSockets, type TestSocket } from './sockets.ts';

/** The HTTP twins of frames about messages and conversations. */
const PATHS = {
  send: '/api/messages',
  unsend: '/api/messages/unsend',
  edit: '/api/messages/edit',
  react: '/api/messages/react',
  mark: '/api/messages/mark',
  clear: '/api/conversations/clear',
} as const;
type Act = keyof typeof PATHS;
/** The tables that such a call writes, without those of pushes, which the push worker writes whenever the clock has moved. */
const WRITTEN = [
  'messages',
  'conversations',
  'conversation_settings',
  'inbox',
  'inbox_heads',
  'message_requests',
];

/** Alice, Bob and Carol, each with a device on a node of its own where there are several. The clock moves only by the test. */
export async function startChanging(
  t: TestContext,
  database: TestDatabase,
  env: Record<string, string> = {},
) {
  const clock = { now: Date.now() };
  const service = await startSockets(t, database, {
    env: { TOKEN_TTL: '180d', RATE_LIMIT_MESSAGES: 'off', ...env },
    world: { now: () => clock.now },
  });
  const { db } = service.services;
  const people = [
    await service.join('alice'),
    await service.join('bob'),
    await service.join('carol'),
  ] as const;
  const [alice, bob, carol] = people;
  const [phone, his, hers] = [
    await service.enter(alice, { node: 0 }),
    await service.enter(bob, { node: 1 }),
    await service.enter(carol, { node: 2 }),
  ];
  await service.settled();
  /** Each person's socket for frames, a new one in time for its budget of frames. */
  const asking = new Map<Person, { socket: TestSocket; left: number }>();
  const ask = async (by: Person, frame: object): Promise<Body> => {
    let line = asking.get(by);
    if (!line || line.left === 0) {
      line?.socket.ws.terminate();
      line = { socket: await service.enter(by, { node: people.indexOf(by) }), left: 50 };
      asking.set(by, line);
    }
    line.left--;
    return line.socket.ask(frame);
  };
  const overSocket = (by: Person, act: Act, fields: object) => ask(by, { type: act, ...fields });
  const overHttp = async (by: Person, act: Act, fields: object): Promise<Body> =>
    (await service.post(PATHS[act], fields, { token: by.token })).body;
  const stored = async () => {
    const all = await everythingStored(db);
    return WRITTEN.map((table) => all[table] ?? assert.fail(table));
  };
  let calls = 0;
  let cids = 0;
  /** A frame and its HTTP twin in turn. @returns `data` of the answer */
  const act = async (by: Person, name: Act, fields: object): Promise<Body> => {
    const call = ++calls % 2 === 0 ? overSocket : overHttp;
    const { code, data, error } = await call(by, name, fields);
    assert.equal(code, 200, `${name}: ${error}`);
    return data;
  };
  return {
    service,
    db,
    clock,
    alice,
    bob,
    carol,
    phone,
    his,
    hers,
    act,
    /** The reply to a frame. */
    ask,
    /** The rows of what such calls write, to check that nothing was stored. */
    stored,
    /** @returns the number of the message */
    send: async (from: Person, to: Person, body = 'hi', more: object = {}): Promise<number> =>
      (await act(from, 'send', { to: to.id, cid: `c${++cids}`, body, ...more })).n,
    /** Over a frame and its HTTP twin, which refuse alike and store nothing. @returns the code and the word */
    refused: async (by: Person, name: Act, fields: object): Promise<[code: number, word: string]> => {
      const before = await stored();
      const { code, error, msg } = await overSocket(by, name, fields);
      const twin = await overHttp(by, name, fields);
      assert.deepEqual([twin.code, twin.error, twin.msg], [code, error, msg]);
      assert.deepEqual(await stored(), before);
      return [code, error];
    },
    block: async (by: Person, other: Person, what: 'block' | 'unblock' = 'block') => {
      const { status } = await service.post(
        `/api/user/${what}`,
        { blockedId: other.id },
        { token: by.token },
      );
      assert.equal(status, 200);
    },
    history: async (by: Person, peer: Person, query = ''): Promise<Body> =>
      (await service.get(`/api/messages?peer=${peer.id}${query}`, { token: by.token })).body.data,
    /** The entry of the conversation in the list. */
    entry: async (by: Person, peer: Person): Promise<Body> =>
      (await service.get(`/api/conversations?peer=${peer.id}`, { token: by.token })).body.data[0],
    /** The user's log as a device gets it that reads it from the beginning. */
    log: ({ id }: Person) => readEvents(db, id, 0, 1_000),
    /** The counts of changes on both sides, the first user's first. */
    revisions: async (one: Person, other: Person): Promise<number[]> => {
      const rows = await db.all<{ user_id: string; revision: number }>`
        select user_id, revision from conversations
        where (user_id, peer_id) in ((${one.id}, ${other.id}), (${other.id}, ${one.id}))`;
      return [one, other].map(({ id }) => rows.find((row) => row.user_id === id)?.revision ?? -1);
    },
  };
}
