import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteUser } from '../../src/leaving/remove-user.ts';
import { onEachDatabase } from '../databases.ts';
import { type Answer, type Person, startService } from '../harness.ts';
import { startPushService } from '../push-service.ts';
import { type SocketService, startSockets } from '../sockets.ts';
import { everythingStored } from './stored.ts';
import { apiRoutes, plainest } from './surface.ts';

const ADDRESS = '203.0.113.77';
const headers = { 'x-forwarded-for': ADDRESS };

onEachDatabase('Bad input: network addresses', (database) => {
  test('a user’s address is in their own list of sessions and account log, and in no other answer, frame, push or line of the log', async (t) => {
    await using pushService = await startPushService();
    const service = await startSockets(t, database, {
      env: { TRUST_PROXY: 'loopback', PUSH_ALLOW_PRIVATE: '1' },
    });
    const [alice, bob] = [await join(service, 'alice'), await service.join('bob')];
    const sockets = [await service.enter(alice, { headers }), await service.enter(bob)];
    const devices = [alice, bob].map((person) => ({ person, subscription: pushService.subscribe() }));
    const as = ({ id, token }: Person) => ({ token, ...(id === alice.id && { headers }) });
    for (const { person, subscription } of devices)
      await service.post('/api/push/subscribe', { userId: person.id, subscription }, as(person));
    for (const [from, to] of [
      [alice, bob],
      [bob, alice],
    ] as const)
      await service.post('/api/messages', { to: to.id, cid: from.id, body: 'hello' }, as(from));
    await service.post('/api/friends/request', { userId: bob.id }, as(alice));
    await service.pushes.runDue();
    await service.get(`/api/push/test-send?userId=${alice.id}&detail=1`, as(alice));

    const shown: string[] = [];
    for (const person of [alice, bob, undefined])
      for (const { method, path, body } of apiRoutes(service.app)) {
        if (['/api/logout', '/api/account/delete'].includes(path)) continue;
        const url = path.replace(/:\w+/, person === bob ? alice.id : bob.id);
        const query = method === 'GET' ? `?userId=${person?.id}&peer=${alice.id}` : '';
        const answer = await service.call(method, url + query, {
          ...(person ? as(person) : { headers }),
          ...(body && { body: plainest(body) }),
        });
        if (holds(answer)) shown.push(`${method} ${path} as ${person?.username}`);
      }
    assert.deepEqual(shown.sort(), ['GET /api/account/log as alice', 'GET /api/sessions as alice']);

    const requests = [
      { type: 'sync' },
      { type: 'conversations' },
      { type: 'friends' },
      { type: 'watch', userIds: [alice.id] },
    ];
    for (const socket of sockets) {
      const replies: unknown[] = [];
      for (const frame of requests) replies.push(await socket.ask(frame));
      for (const frame of [...replies, ...socket.unread]) assert.ok(!JSON.stringify(frame).includes(ADDRESS));
    }
    const pushes = devices.flatMap(({ subscription }) => pushService.attempts(subscription.endpoint));
    assert.ok(pushes.length >= 2, String(pushes.length));
    for (const push of pushes) assert.ok(!JSON.stringify(push).includes(ADDRESS));
    for (const line of service.logLines) assert.ok(!line.includes(ADDRESS), line);
  });

  test('an address is stored with its session, where it ends with that, and in the account log, and removed with the account', async (t) => {
    const service = await startService(t, database, { env: { TRUST_PROXY: 'loopback' } });
    const { db } = service.services;
    const tables = async () =>
      Object.entries(await everythingStored(db))
        .filter(([, rows]) => rows.some((row) => row.includes(ADDRESS)))
        .map(([table]) => table);
    const alice = await join(service, 'alice');
    await service.post('/api/token', {}, { token: alice.token, headers });
    await service.services.accounts.authentication.flushUse();
    assert.deepEqual(await tables(), ['account_log', 'sessions']);
    await service.post('/api/logout', {}, { token: alice.token, headers });
    assert.deepEqual(await tables(), ['account_log']);
    await service.post('/api/login', alice, { headers });
    assert.deepEqual(await tables(), ['account_log', 'sessions']);
    await db.transaction((tx) => deleteUser(tx, alice.id));
    assert.deepEqual(await tables(), []);
  });
});

/** Registers a user whose requests come from {@link ADDRESS}. */
async function join(service: Pick<SocketService, 'post'>, username: string): Promise<Person> {
  const account = { username, password: `password-of-${username}` };
  const { body } = await service.post('/api/register', account, { headers });
  return { ...account, id: body.data.id, token: body.data.token };
}

function holds({ text, headers }: Answer): boolean {
  return text.includes(ADDRESS) || JSON.stringify(headers).includes(ADDRESS);
}
