import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../test/clocks.ts';
import { onEachDeployment } from '../../../test/databases.ts';
import { startService } from '../../../test/harness.ts';
import { startSockets } from '../../../test/sockets.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const HOME = '198.51.100.7';

onEachDeployment('Notices of new sign-ins', (database) => {
  /** A service with alice, who registered at home. */
  async function start(t: TestContext) {
    const clock = new ManualClock();
    const service = await startService(t, database, { world: clock.world });
    const credentials = { username: 'alice', password: 'password-of-alice' };
    const headers = { 'device-proof': 'none', 'user-agent': 'Phone' };
    const registered = await service.post('/api/register', credentials, { from: HOME, headers });
    const { id } = registered.body.data;
    return {
      service,
      clock,
      id,
      proof: String(registered.headers['device-proof']),
      async logIn(from: string, proof = 'none') {
        const sent = { 'device-proof': proof, 'user-agent': `Laptop at ${from}` };
        const answer = await service.post('/api/login', credentials, { from, headers: sent });
        assert.equal(answer.status, 200);
        return answer;
      },
      /** The events of her log, oldest first. */
      async events() {
        const rows = await service.services.db.all<{ event: string; data: string }>`
          select event, data from inbox where user_id = ${id} order by seq`;
        return rows.map(({ event, data }) => ({ event, ...JSON.parse(data) }));
      },
    };
  }

  test('a sign-in by a new device from a new network is an event with the session and the device, without the address', async (t) => {
    const { service, logIn, events } = await start(t);
    assert.deepEqual(await events(), [], 'the registration is none');
    const { body } = await logIn('203.0.113.9');
    const { body: list } = await service.get('/api/sessions', { token: body.data.token });
    const session = list.data.find(({ current }: { current: number }) => current === 1).id;
    const device = 'Laptop at 203.0.113.9';
    assert.deepEqual(await events(), [{ event: 'account', what: 'new_sign_in', session, device }]);
  });

  test('the other devices of the user get the event, on whatever node they are', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const sockets = await Promise.all([0, 1, 2].map((node) => service.enter(alice, { node })));
    const sent = { from: '203.0.113.9', headers: { 'user-agent': 'Laptop' } };
    await service.post('/api/login', { username: 'alice', password: alice.password }, sent);
    for (const socket of sockets) {
      const { seq, event, data } = await socket.first(({ type }) => type === 'event');
      assert.deepEqual([seq, event, data.what, data.device], [1, 'account', 'new_sign_in', 'Laptop']);
      assert.deepEqual(Object.keys(data), ['what', 'session', 'device']);
    }
  });

  test('a known network and a valid proof are no new sign-in', async (t) => {
    const { logIn, events, proof } = await start(t);
    await logIn(HOME);
    await logIn('203.0.113.9', proof);
    await logIn('203.0.113.9');
    assert.deepEqual(await events(), []);
    await logIn('203.0.113.10', 'x'.repeat(43));
    assert.equal((await events()).length, 1, 'a proof of no one counts as none');
  });

  test('the network of an IPv6 address is its /64, that of an IPv4 address the address', async (t) => {
    const { logIn, events, clock } = await start(t);
    for (const [from, count] of [
      ['2001:db8:1:2::1', 1],
      ['2001:db8:1:2:ffff::9', 1],
      ['2001:db8:1:3::1', 2],
      ['198.51.100.8', 3],
      [`::ffff:${HOME}`, 3],
    ] as const) {
      clock.add(HOUR_MS);
      await logIn(from);
      assert.equal((await events()).length, count, from);
    }
  });

  test('a network is known for 30 days', async (t) => {
    const { logIn, events, clock } = await start(t);
    clock.add(30 * DAY_MS - 1);
    await logIn(HOME);
    assert.equal((await events()).length, 0);
    clock.add(30 * DAY_MS);
    await logIn(HOME);
    assert.equal((await events()).length, 1);
  });

  test('a program that signs in each minute from ever new networks is noticed once an hour', async (t) => {
    const { logIn, events, clock } = await start(t);
    for (let minute = 0; minute < 121; minute++) {
      await logIn(`203.0.113.${minute}`);
      clock.add(MINUTE_MS);
    }
    assert.deepEqual(
      (await events()).map(({ device }) => device),
      ['Laptop at 203.0.113.0', 'Laptop at 203.0.113.60', 'Laptop at 203.0.113.120'],
    );
  });

  test('a clock that was set back does not keep notices away', async (t) => {
    const { logIn, events, clock } = await start(t);
    clock.add(DAY_MS);
    await logIn('203.0.113.1');
    clock.add(-DAY_MS + 1);
    await logIn('203.0.113.2');
    assert.equal((await events()).length, 2);
  });

  test('of several logins at once, one is noticed', async (t) => {
    const { service, logIn, events, id } = await start(t);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => logIn(i < 4 ? '203.0.113.9' : `203.0.113.${i}`)),
    );
    assert.equal(new Set(answers.map(({ body }) => body.data.token)).size, 8);
    assert.equal((await events()).length, 1);
    const marked = await service.services.db.all`
      select id from account_log where user_id = ${id} and what = 'signed_in' and data <> '{}'`;
    assert.equal(marked.length, 1);
  });
});
