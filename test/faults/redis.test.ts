import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onNodes } from '../databases.ts';
import { openProxy } from '../postgres-proxy.ts';
import { startRedis } from '../redis-server.ts';
import { startSockets } from '../sockets.ts';
import { FaultStory } from './story.ts';

onNodes('when Redis fails', (database) => {
  test('nothing is lost, and blocks and ended sessions hold', async (t) => {
    const redis = await startRedis();
    t.after(() => redis[Symbol.asyncDispose]());
    // The third node has a path of its own to Redis.
    const proxy = await openProxy(t, redis.url);
    const service = await startSockets(t, database, {
      env: (node) => ({ REDIS_URL: node === 2 ? proxy.url : redis.url }),
      world: { nodeTimes: { readMs: 600, unknownMs: 600 } },
    });
    const story = await FaultStory.start(t, service);
    await story.flow();

    await t.test('while it is gone, and when it is back', async () => {
      await redis.restart(async () => {
        await Promise.all([story.block(), story.endSession(), story.comeAndGo()]);
        await story.flow();
        await story.delivered();
      });
      await story.healed();
    });

    await t.test('after it lost its data, its scripts and its subscribers', async () => {
      assert.equal(await redis.command('FLUSHALL'), '+OK');
      assert.equal(await redis.command('SCRIPT FLUSH'), '+OK');
      assert.equal(await redis.command('CLIENT KILL TYPE pubsub'), ':3');
      await Promise.all([story.block(), story.endSession(), story.flow()]);
      await story.healed();
    });

    await t.test('while one node reaches PostgreSQL but not Redis', async () => {
      await proxy.cut();
      await Promise.all([story.block(), story.endSession(), story.comeAndGo()]);
      await story.flow();
      await story.delivered();
      for (const node of service.nodes) assert.equal((await node.get('/readyz')).status, 200);
      await proxy.restore();
      await story.healed();
    });

    await story.verify(t);
  });
});
