import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startSockets } from '../../test/sockets.ts';

onEachDatabase('the limit of messages', (database) => {
  test('it counts the frames and calls of a user together, as many in any window as RATE_LIMIT_MESSAGES says', async (t) => {
    let ms = 0;
    const env = { RATE_LIMIT_MESSAGES: '3/1m' };
    const service = await startSockets(t, database, { env, world: { monotonicMs: () => ms } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const socket = await service.enter(alice);
    const byFrame = (cid: string) => socket.ask({ type: 'send', to: bob.id, cid, body: 'hi' });
    const byCall = (cid: string) =>
      service.post('/api/messages', { to: bob.id, cid, body: 'hi' }, { token: alice.token });
    assert.equal((await byFrame('1')).code, 200);
    ms += 30_000;
    assert.equal((await byCall('2')).status, 200);
    assert.equal((await byFrame('3')).code, 200);
    const [frame, call] = [await byFrame('4'), await byCall('4')];
    assert.deepEqual([frame.code, frame.error], [429, 'too_many_messages']);
    assert.deepEqual([call.status, call.headers['retry-after']], [429, '30']);
    const his = { to: alice.id, cid: '1', body: 'hi' };
    assert.equal((await service.post('/api/messages', his, { token: bob.token })).status, 200);
    ms += 30_000;
    assert.deepEqual([(await byFrame('4')).code, (await byCall('5')).status], [200, 429]);
  });

  for (const [limit, admitted] of [
    ['', 30],
    ['off', 40],
  ] as const)
    test(`with RATE_LIMIT_MESSAGES=${limit}, ${admitted} of 40 messages at once are stored`, async (t) => {
      const service = await startSockets(t, database, { env: { RATE_LIMIT_MESSAGES: limit } });
      const [alice, bob] = [await service.join('alice'), await service.join('bob')];
      const calls = Array.from({ length: 40 }, (_, i) =>
        service.post('/api/messages', { to: bob.id, cid: `${i}`, body: 'hi' }, { token: alice.token }),
      );
      const stored = (await Promise.all(calls)).filter(({ status }) => status === 200);
      assert.equal(stored.length, admitted);
    });
});
