import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onNodes, type TestDatabase } from '../databases.ts';
import type { Scope } from '../dispose-after.ts';
import { eventually } from '../eventually.ts';
import { openProxy } from '../postgres-proxy.ts';
import { startSockets, type TestSocket } from '../sockets.ts';

/** Far longer than the service takes, and far shorter than PostgreSQL is away. */
const ANSWERED_MS = 30_000;

onNodes('sockets while PostgreSQL is away', (database) => {
  /** Nodes that reach PostgreSQL through one proxy, and two users with a device on each of them. */
  async function start(t: TestContext, database: TestDatabase) {
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    // PostgreSQL is back before the service ends, and the proxy ends after it.
    const ends: (() => Promise<void>)[] = [];
    const scope: Scope = { after: (end) => ends.push(end as () => Promise<void>) };
    const proxy = await openProxy(scope, settings.databaseUrl);
    const comeBack = async () => {
      await proxy.cut(); // ends the silent connections
      await proxy.restore();
    };
    t.after(comeBack);
    const service = await startSockets(
      t,
      { ...database, create: async () => settings },
      { env: { DATABASE_URL: proxy.url } },
    );
    for (const end of ends) t.after(end);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const enter = (person: typeof alice) =>
      Promise.all(service.nodes.map((_, node) => service.enter(person, { node })));
    const [alices, bobs] = [await enter(alice), await enter(bob)];
    await service.settled();
    return { proxy, comeBack, service, alice, bob, alices, bobs };
  }

  for (const [how, away] of [
    ['refuses connections', 'cut'],
    ['is silent', 'hold'],
  ] as const)
    test(`every frame is answered in its order while it ${how}, and events follow without a gap`, async (t) => {
      const { proxy, comeBack, service, alice, bob, alices, bobs } = await start(t, database);
      const frames = [
        { type: 'send', to: bob.id, cid: 'lost?', body: 'while it is away' },
        { type: 'history', peer: bob.id },
        { type: 'sync' },
        { type: 'watch', userIds: [bob.id] },
        { type: 'mark', peer: bob.id, read: 1 },
        { type: 'friend', op: 'request', userId: bob.id },
        { type: 'conversations' },
        { type: 'typing', to: bob.id },
        { type: 'token', token: alice.token },
        { type: 'sing' },
        { type: 'view', visible: true },
        { type: 'ack', seq: 0 },
      ];
      const outcomes = [...Array<string>(9).fill('internal'), 'unknown_frame', 'ok', 'ok'];
      await proxy[away]();
      // The first of each round are in flight when the node notices, the others wait or come later.
      for (const round of [1, 2, 3]) {
        await Promise.all(
          alices.map(async (socket) => {
            for (const [i, frame] of frames.entries()) socket.send({ ...frame, id: `${round} ${i}` });
            socket.send({ type: 'ping' });
            const isAnswered = () => socket.unread.length > frames.length;
            await eventually(isAnswered, ANSWERED_MS);
            const replies = await takeAll(socket);
            assert.deepEqual(
              replies.map(({ id, type, error }) => (type === 'pong' ? type : `${id}: ${error ?? 'ok'}`)),
              [...outcomes.map((outcome, i) => `${round} ${i}: ${outcome}`), 'pong'],
            );
          }),
        );
      }
      for (const socket of [...alices, ...bobs]) await socket.roundTrip();
      for (const socket of bobs) assert.deepEqual(socket.unread, []);

      await comeBack();
      const message = (n: number) => ({ to: alice.id, cid: String(n), body: String(n) });
      for (const n of [1, 2, 3])
        await eventually(async () => {
          const { status } = await service.post('/api/messages', message(n), { token: bob.token });
          return status === 200;
        });
      for (const socket of [...alices, ...bobs]) {
        await eventually(() => socket.unread.some(({ data }) => data?.cid === '3'));
        const events = (await takeAll(socket)).filter(({ type }) => type === 'event');
        assert.deepEqual(
          events.map(({ seq }) => seq),
          events.map((_, i) => i + 1),
        );
        assert.equal((await socket.ask({ type: 'sync' })).code, 200);
      }
    });
});

/** Takes the frames that were received so far. */
async function takeAll(socket: TestSocket) {
  const frames = [];
  for (let left = socket.unread.length; left > 0; left--) frames.push(await socket.next());
  return frames;
}
