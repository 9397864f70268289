import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { decodeJwt } from 'jose';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDeployment } from '../../test/databases.ts';
import { type Person, startService } from '../../test/harness.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;

onEachDeployment('Leaving', (database) => {
  async function start(t: TestContext, env: Record<string, string> = {}) {
    const clock = new ManualClock();
    const service = await startService(t, database, { env, world: clock.world });
    const { db } = service.services;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    return {
      clock,
      service,
      db,
      alice,
      bob,
      ask: (person: Person = alice) => service.post('/api/account/delete', {}, person),
      logIn: (password = alice.password, username = 'alice') =>
        service.post('/api/login', { username, password }),
      keep: (ticket: unknown) => service.post('/api/account/keep', { ticket }),
      statusNow: async ({ id }: Person = alice) =>
        (await db.get<{ status: string }>`select status from users where id = ${id}`)?.status,
    };
  }

  test('ends all sessions until a time, and a login says so and undoes nothing', async (t) => {
    const { clock, service, alice, bob, ask, logIn, statusNow } = await start(t);
    const other = (await logIn()).body.data;
    const until = clock.world.now() + 30 * DAY_MS;
    const asked = await ask();
    assert.deepEqual([asked.status, asked.body.data], [200, { until }]);
    for (const { token } of [alice, other])
      assert.equal((await service.get('/api/sessions', { token })).status, 401);
    const { status, body } = await logIn();
    const { ticket, ...refused } = body;
    assert.deepEqual(
      [status, refused],
      [403, { code: 403, error: 'account_leaving', msg: '账号将被删除', until }],
    );
    assert.match(ticket, /^[\w-]{43}$/);
    assert.deepEqual((await logIn('a guess')).body, { code: 400, error: 'unknown_user', msg: '用户不存在' });
    assert.equal(await statusNow(), 'deleted');
    const sent = await service.post('/api/messages', { to: alice.id, cid: 'c1', body: 'hi' }, bob);
    assert.deepEqual([sent.status, sent.body.error], [403, 'not_accepting']);
  });

  test('is undone once by a ticket, which signs in', async (t) => {
    const { service, db, alice, ask, logIn, keep, statusNow } = await start(t);
    await ask();
    const { ticket } = (await logIn()).body;
    const { status, body } = await keep(ticket);
    const { token, ...user } = body.data;
    assert.deepEqual([status, user.id, user.username], [200, alice.id, 'alice']);
    assert.equal(await statusNow(), 'active');
    const sessions = (await service.get('/api/sessions', { token })).body.data;
    assert.deepEqual(
      sessions.map(({ id }: { id: string }) => id),
      [decodeJwt(token).sid],
    );
    assert.equal((await service.get('/api/sessions', alice)).status, 401, 'of before');
    assert.equal((await logIn()).status, 200);
    const again = await keep(ticket);
    assert.deepEqual([again.status, again.body.error], [400, 'ticket_invalid']);
    assert.deepEqual(await db.all`select user_id from deletions`, []);
  });

  test('needs a session that was confirmed in the last 5 minutes', async (t) => {
    const { clock, service, alice, ask, statusNow } = await start(t);
    clock.add(5 * MINUTE_MS);
    const refused = await ask();
    assert.deepEqual([refused.status, refused.body.error], [403, 'confirm_required']);
    assert.equal(await statusNow(), 'active');
    await service.post('/api/account/confirm', { password: alice.password }, alice);
    assert.equal((await ask()).status, 200);
  });
});
