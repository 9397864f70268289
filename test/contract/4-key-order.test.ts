import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { type Answer, startService } from '../harness.ts';

/** Keys in their order, those of `data` after a colon. */
function keysOf({ body, text }: Answer): string {
  assert.equal(body.code, 200, text);
  const { data } = body;
  const inner = Array.isArray(data) ? data[0] : data;
  return `${Object.keys(body).join(' ')}: ${inner ? Object.keys(inner).join(' ') : ''}`;
}

onEachDeployment('4 Endpoints: order of keys', (database) => {
  test('4.3 to 4.15: the keys of each answer come in the order in which the interface prints them', async (t) => {
    const service = await startService(t, database);
    const bob = await service.join('bob');
    const alice = { username: 'alice', password: 'secret1' };
    const registered = await service.post('/api/register', alice);
    const { id, token } = registered.body.data;
    const post = (path: string, body: object) => service.post(path, body, { token });
    await post('/api/user/block', { blockedId: bob.id });
    const keys = { p256dh: 'BAAA', auth: 'AAAA' };
    const subscription = { endpoint: 'https://push.example.net/1', keys };
    const orders: [answer: Answer, order: string][] = [
      [registered, 'code message data: id username nickname email token'],
      [
        await post('/api/login', alice),
        'code data: id username nickname email avatar gender bio phone push_enabled dnd_enabled token',
      ],
      [
        await service.get('/api/users', { token }),
        'code data: id username avatar nickname gender bio isOnline',
      ],
      [
        await service.get('/api/users?limit=1', { token }),
        'code data next: id username avatar nickname gender bio isOnline',
      ],
      [
        await service.get(`/api/user/profile/${id}`),
        'code data: id username avatar nickname gender bio phone isOnline',
      ],
      [
        await post('/api/user/profile', { bio: 'x' }),
        'code message data: id username avatar nickname email gender bio phone push_enabled dnd_enabled',
      ],
      [
        await post('/api/user/settings', { dndEnabled: false }),
        'code message data: id username push_enabled dnd_enabled',
      ],
      [await service.get('/api/user/blocked', { token }), 'code data: id username avatar create_time'],
      [await service.get('/api/push/public-key'), 'code publicKey: '],
      [await post('/api/push/subscribe', { userId: id, subscription }), 'code message: '],
      [
        await post('/api/user/change-password', { oldPassword: 'secret1', newPassword: 'secret2' }),
        'code message: ',
      ],
    ];
    for (const [answer, order] of orders) assert.equal(keysOf(answer), order);
    const nothingStored = await service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
    assert.equal(nothingStored.text, '{"code":404,"message":"No push subscription found"}');
  });
});
