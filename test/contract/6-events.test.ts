import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../databases.ts';
import { startService } from '../harness.ts';
import { startPushService } from '../push-service.ts';

onEachDatabase('6 Events', (database) => {
  test('6 The HTTP interface calls nobody: avatars are not fetched, subscriptions only pushed to', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const call = { token: alice.token };
    const avatar = `${push.origin}/picture.png`;
    await service.post('/api/register', { username: 'carol', password: 'secret1', avatar });
    await service.post('/api/user/profile', { avatar }, call);
    await service.post('/api/push/subscribe', { userId: alice.id, subscription: push.subscribe() }, call);
    await service.post('/api/push/subscribe', { userId: bob.id, subscription: push.subscribe() });
    await service.get('/api/users', call);
    await service.get(`/api/user/profile/${alice.id}`);
    await service.post('/api/user/block', { blockedId: bob.id }, call);
    await service.get('/api/user/blocked', call);
    await service.post('/api/user/unblock', { blockedId: bob.id }, call);
    assert.equal(push.connections, 0);
    await service.get(`/api/push/test-send?userId=${alice.id}`, call);
    assert.equal(push.requests, 1);
  });
});
