import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onEachDeployment, type TestDatabase } from '../../../test/databases.ts';
import { eventually } from '../../../test/eventually.ts';
import type { Person } from '../../../test/harness.ts';
import { startSearching, storeMessages, watchSlices } from '../../../test/searching.ts';
import { startSockets } from '../../../test/sockets.ts';
import type { FoundMessage } from './schemas.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const SLICE = { sqlite: 200, postgres: 1_000 };

onEachDeployment('a search while others write', (database) => {
  test('shows no message that was unsent, edited or deleted after it was found, and goes on where it was', async (t) => {
    const { service, db, clock, alice, bob, carol, act, send, overHttp, find } = await startSearching(
      t,
      database,
    );
    const size = SLICE[database.kind];
    const bodies = Array.from({ length: 3 * size - 3 }, (_, i) => (i % 50 === 0 ? `tea ${i + 1}` : 'other'));
    await storeMessages(db, alice.id, bob.id, bodies, clock.now);
    await storeMessages(
      db,
      alice.id,
      carol.id,
      ['tea with Carol', 'tea, she wrote', 'more tea'],
      clock.now + 1,
    );
    const slices = watchSlices(service.nodes);
    const newest = 3 * size - 49;
    let changes = 0;
    slices.hold = async (slice) => {
      // The first slice has been searched, the third has not.
      if (slice !== 2 || changes++ > 0) return;
      await act(bob, 'unsend', { peer: alice.id, n: newest });
      await act(bob, 'edit', { peer: alice.id, n: newest - 50, body: 'coffee' });
      await act(bob, 'edit', { peer: alice.id, n: newest - 100, body: 'still TEA' });
      await act(bob, 'edit', { peer: alice.id, n: 2, body: 'now tea' });
      await act(bob, 'unsend', { peer: alice.id, n: 51 });
      await act(alice, 'clear', { peer: carol.id, n: 2 });
      await send(bob, alice, 'tea, too late for this page');
    };
    // One hit more than the first slice has.
    const limit = 3 + size / 50 + 1;
    const {
      data: { items, next },
    } = await overHttp(alice, { q: 'tea', limit });
    assert.equal(changes, 1);
    slices.hold = () => undefined;
    const hits = Array.from({ length: (newest - 1) / 50 - 1 }, (_, i) => newest - 50 * i);
    assert.deepEqual(
      items.map(({ n, body }: FoundMessage) => [n, body]),
      [[3, 'more tea'], ...hits.slice(2, limit - 3).map((n, i) => [n, i === 0 ? 'still TEA' : `tea ${n}`])],
    );
    const rest = await find(alice, { q: 'tea', limit: 50, after: next });
    const expected = hits.slice(limit - 3).map((n) => `bob ${n}`);
    assert.deepEqual(rest, [...expected, 'bob 2', 'bob 1']);
    const again = await find(alice, { q: 'tea' });
    assert.deepEqual(again.slice(0, 2), ['carol 3', `bob ${3 * size - 2}`]);
  });

  test('reads at most 20,000 messages in slices, between which others are served', async (t) => {
    const { service, db, clock, alice, bob, page } = await startSearching(t, database);
    const size = SLICE[database.kind];
    await storeMessages(db, alice.id, bob.id, Array(20_100).fill('hay'), clock.now);
    const slices = watchSlices(service.nodes);
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    t.after(() => clearImmediate(counting));
    const turnsBefore: number[] = [];
    slices.hold = () => void turnsBefore.push(turns);
    // The frame and its twin.
    await page(alice, { q: 'needle' });
    assert.deepEqual(slices.sizes, Array((2 * 20_000) / size).fill(size));
    assert.ok(turnsBefore.every((turn, i) => i === 0 || turn > (turnsBefore[i - 1] ?? 0)));
    // All texts are compared by code, 200 at a time.
    const before = turnsBefore.length;
    await page(alice, { q: 'Ж' });
    const turnsOf = turnsBefore.slice(before).map((turn, i, all) => turn - (all[i - 1] ?? turn));
    assert.ok(
      turnsOf.slice(1, 20).every((turn) => turn >= size / 200),
      String(turnsOf),
    );
  });
});

onEachDeployment('refused searches', (database) => {
  test('a bad query, a foreign cursor and an unknown peer', async (t) => {
    const { alice, bob, carol, send, search, page } = await startSearching(t, database);
    for (const peer of [bob, carol]) for (const body of ['tea', 'tea']) await send(peer, alice, body);
    const { next = '' } = await page(alice, { q: 'tea', limit: 1, peer: bob.id });
    const refused = async (query: Record<string, string | number>) => {
      const { code, error } = await search(alice, query);
      return [code, error];
    };
    for (const query of [{ q: '' }, { q: 'x'.repeat(65) }, { q: '👍'.repeat(65) }, { q: ' \u3000\n' }])
      assert.deepEqual(await refused(query), [400, 'invalid_field'], JSON.stringify(query));
    for (const limit of [0, 51, 1.5])
      assert.deepEqual(await refused({ q: 'tea', limit }), [400, 'invalid_field'], String(limit));
    const [below, at] = next.split(':');
    for (const after of [
      '',
      'x',
      `${at}:${bob.id}`,
      `${next} `,
      `-${next}`,
      `${below}:${at}:${UNKNOWN}`,
      `${below}:${at}:${alice.id}`,
      `${'9'.repeat(16)}:${at}:${bob.id}`,
    ])
      assert.deepEqual(await refused({ q: 'tea', after }), [400, 'bad_cursor'], after);
    assert.deepEqual(await refused({ q: 'tea', peer: carol.id, after: next }), [400, 'bad_cursor']);
    // Of Alice, for Bob.
    assert.deepEqual((await search(bob, { q: 'tea', after: next })).error, 'bad_cursor');
    for (const q of ['👍'.repeat(64), 'x'.repeat(64), 'a b c d e f g h i j k'])
      assert.deepEqual((await page(alice, { q })).items, []);
    for (const peer of [UNKNOWN, alice.id])
      assert.deepEqual(await page(alice, { q: 'tea', peer }), { items: [], people: [], searched: 0 });
    assert.deepEqual(
      (await page(alice, { q: 'tea', peer: bob.id, after: next })).items.map(({ n }) => n),
      [1],
    );
  });
});

onEachDatabase('the limit of searches', (database) => {
  test('it counts the frames and calls of a user together, as many in any window as RATE_LIMIT_SEARCH says', async (t) => {
    let ms = 0;
    const env = { RATE_LIMIT_SEARCH: '3/1m' };
    const service = await startSockets(t, database, { env, world: { monotonicMs: () => ms } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const socket = await service.enter(alice);
    const byFrame = () => socket.ask({ type: 'search', q: 'tea' });
    const byCall = ({ token }: Person = alice) => service.get('/api/search?q=tea', { token });
    assert.equal((await byFrame()).code, 200);
    ms += 30_000;
    assert.deepEqual([(await byCall()).status, (await byFrame()).code], [200, 200]);
    const [frame, call] = [await byFrame(), await byCall()];
    assert.deepEqual([frame.code, frame.error], [429, 'too_many_searches']);
    assert.deepEqual(
      [call.status, call.body.error, call.headers['retry-after']],
      [429, 'too_many_searches', '30'],
    );
    assert.equal((await byCall(bob)).status, 200);
    ms += 30_000;
    assert.deepEqual([(await byFrame()).code, (await byCall()).status], [200, 429]);
  });

  for (const [limit, admitted] of [
    ['', 20],
    ['off', 22],
  ] as const)
    test(`with RATE_LIMIT_SEARCH=${limit}, ${admitted} of 22 searches at once are answered`, async (t) => {
      const service = await startSockets(t, database, { env: { RATE_LIMIT_SEARCH: limit } });
      const { token } = await service.join('alice');
      const calls = Array.from({ length: 22 }, () => service.get('/api/search?q=tea', { token }));
      const answered = (await Promise.all(calls)).filter(({ status }) => status === 200);
      assert.equal(answered.length, admitted);
    });
});

onEachDatabase('searches at once', (database) => {
  test('two run, twenty wait, the next gets 429; who leaves while waiting gives the place away', async (t) => {
    const { slices, held, call, search } = await startHeld(t, database);
    const others = Array.from({ length: 21 }, () => call());
    others.unshift(call());
    await eventually(() => held.length === 2 && slices.waiting === 20);
    const refused = await search();
    assert.deepEqual(
      [refused.status, refused.body.error, refused.headers['retry-after']],
      [429, 'overloaded', '3'],
    );
    others[10]?.sent.destroy();
    others[21]?.sent.destroy();
    await eventually(() => slices.waiting === 18);
    const late = call();
    await eventually(() => slices.waiting === 19);
    assert.equal(held.length, 2);
    slices.hold = () => undefined;
    for (const release of held) release();
    for (const [i, { answer }] of [...others, late].entries())
      if (i !== 10 && i !== 21) assert.equal((await answer).statusCode, 200);
    await eventually(() => slices.running === 0);
  });

  test('a caller who leaves ends the search before its next slice, over HTTP and the socket', async (t) => {
    const { service, slices, held, call, enter } = await startHeld(t, database);
    const socket = await enter();
    for (const begin of [
      () => {
        const { sent } = call();
        return () => sent.destroy();
      },
      () => {
        socket.send({ type: 'search', id: 's', q: 'needle' });
        return () => socket.ws.terminate();
      },
    ]) {
      const before = slices.sizes.length;
      const leave = begin();
      await eventually(() => held.length === 1);
      const open = await connections(service);
      leave();
      await eventually(async () => (await connections(service)) < open);
      held.pop()?.();
      await eventually(() => slices.running === 0);
      assert.equal(slices.sizes.length, before + 1);
    }
    assert.deepEqual(
      service.logLines.filter((line) => /"level":[56]0/.test(line)),
      [],
    );
  });
});

/** A search of two slices at least, each of which waits before its first one until the test lets it go on. */
async function startHeld(t: TestContext, database: TestDatabase) {
  const service = await startSockets(t, database, { env: { RATE_LIMIT_SEARCH: 'off' } });
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];
  await storeMessages(service.services.db, alice.id, bob.id, Array(5_000).fill('hay'), Date.now());
  const slices = watchSlices(service.nodes);
  const held: (() => void)[] = [];
  slices.hold = () => new Promise((resolve) => void held.push(resolve));
  const requests = new Set<ClientRequest>();
  t.after(() => {
    slices.hold = () => undefined;
    for (const sent of requests) sent.destroy();
    for (const release of held) release();
  });
  return {
    service,
    slices,
    held,
    enter: () => service.enter(alice),
    search: () => service.get('/api/search?q=needle', { token: alice.token }),
    /** A call on a connection of its own. */
    call(): { sent: ClientRequest; answer: Promise<IncomingMessage> } {
      const headers = { authorization: `Bearer ${alice.token}` };
      const sent = request({ port: service.port, path: '/api/search?q=needle', agent: false, headers });
      requests.add(sent.on('error', () => {}));
      sent.end();
      const answer = once(sent, 'response').then(([response]) => response.resume());
      answer.catch(() => {}); // of requests that the test destroys
      return { sent, answer };
    },
  };
}

function connections({
  app,
}: {
  app: { server: { getConnections(done: (error: Error | null, count: number) => void): void } };
}) {
  return new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
}
