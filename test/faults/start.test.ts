import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onNodes } from '../databases.ts';
import { connectPostgres } from '../postgres-client.ts';
import { startSockets } from '../sockets.ts';

onNodes('many nodes at once', (database) => {
  test('five that start on an empty database are one service', async (t) => {
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    await using sql = await connectPostgres(settings.databaseUrl);
    await sql.rows('drop schema public cascade; create schema public');
    const service = await startSockets(t, { ...database, create: async () => settings }, { count: 5 });
    const keys = new Set<string>();
    for (const node of service.nodes) {
      keys.add((await node.get('/api/push/public-key')).text);
      keys.add((await node.get('/.well-known/jwks.json')).text);
    }
    assert.equal(keys.size, 2, 'all have the same keys');

    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const devices = await Promise.all(service.nodes.map((_, node) => service.enter(alice, { node })));
    for (const [i, node] of service.nodes.entries()) {
      const message = { to: alice.id, cid: `${i}`, body: 'hi' };
      assert.equal((await node.post('/api/messages', message, { token: bob.token })).body.data.n, i + 1);
    }
    for (const device of devices)
      for (const [i] of service.nodes.entries()) assert.equal((await device.next()).data.n, i + 1);
  });
});
