import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startService, type TestService } from '../../test/harness.ts';
import { startSockets } from '../../test/sockets.ts';
import type { SessionEntry } from './schemas.ts';

const HOUR_MS = 3_600_000;
const PASSWORD = 'password-of-alice';

async function list(service: TestService, token: string): Promise<SessionEntry[]> {
  return (await service.get('/api/sessions', { token })).body.data;
}

onEachDatabase('the list of sessions', (database) => {
  test('shows the address of each sign-in, as the service sees it behind its proxies', async (t) => {
    const service = await startService(t, database, { env: { TRUST_PROXY: '10.0.0.0/8' } });
    const account = { username: 'alice', password: PASSWORD };
    await service.post('/api/register', account, { from: '::ffff:203.0.113.7' });
    const forwarded = (value: string) => ({ headers: { 'x-forwarded-for': value } });
    await service.post('/api/login', account, { from: '10.0.0.1', ...forwarded('1.1.1.1, 2001:DB8:0::5') });
    const { body } = await service.post('/api/login', account, {
      from: '198.51.100.9',
      ...forwarded('1.1.1.1'),
    });
    assert.deepEqual(
      (await list(service, body.data.token)).map(({ address }) => address),
      ['198.51.100.9', '2001:db8::5', '203.0.113.7'],
    );
  });

  test('shows the address of the last token and of the last use, which is exact to the hour', async (t) => {
    const clock = new ManualClock();
    const service = await startService(t, database, { world: clock.world });
    const { token } = await service.join('alice');
    const stored = async () => {
      await service.services.accounts.authentication.flushUse();
      const [session] = await list(service, token);
      return [session?.address, (session?.last_used ?? 0) - clock.world.now()];
    };
    await service.get('/api/sync', { token, from: '198.51.100.1' });
    assert.deepEqual(await stored(), ['127.0.0.1', 0]);
    clock.add(60_000);
    await service.post('/api/token', {}, { token, from: '198.51.100.2' });
    assert.deepEqual(await stored(), ['198.51.100.2', 0]);
    await service.get('/api/sync', { token, from: '198.51.100.3' });
    assert.deepEqual(await stored(), ['198.51.100.2', 0]);
    clock.add(HOUR_MS + 1);
    await service.get('/api/sync', { token, from: '198.51.100.4' });
    assert.deepEqual(await stored(), ['198.51.100.4', 0]);
  });

  test('shows the address from which a socket said hello an hour after the last use', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, {
      world: clock.world,
      env: { TRUST_PROXY: 'loopback' },
    });
    const { authentication } = service.services.accounts;
    const alice = await service.join('alice');
    clock.add(HOUR_MS + 1);
    await clock.advance(0);
    const socket = await service.connect({ headers: { 'x-forwarded-for': '198.51.100.1' } });
    await socket.hello({ token: alice.token });
    await authentication.flushUse();
    assert.equal((await list(service, alice.token))[0]?.address, '198.51.100.1');
    // Nothing is known of the address of a socket's later use. Timers do not run, so that no heartbeat is missed.
    clock.add(HOUR_MS);
    await clock.advance(500);
    await authentication.flushUse();
    const [session] = await list(service, alice.token);
    assert.deepEqual([session?.address, session?.active], ['198.51.100.1', 1]);
    assert.ok((session?.last_used ?? 0) >= clock.world.now() - 500);
  });

  test('says of each session whether a socket of it is open', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const other = await service.logIn(alice);
    const bob = await service.join('bob');
    const active = async () => {
      const sessions = await list(service, other.token);
      const isActive = ({ token }: { token: string }) =>
        sessions.find(({ id }) => id === decodeJwt(token).sid)?.active;
      return [isActive(alice), isActive(other)];
    };
    await service.enter(bob);
    const silent = await service.connect();
    assert.deepEqual(await active(), [0, 0]);
    const [first, second] = [await service.enter(alice), await service.enter(alice)];
    assert.deepEqual(await active(), [1, 0]);
    await silent.hello({ token: other.token });
    assert.deepEqual(await active(), [1, 1]);
    silent.ws.close();
    first.ws.close();
    await Promise.all([silent.ended, first.ended]);
    assert.deepEqual(await active(), [1, 0]);
    second.ws.terminate();
    await eventually(async () => (await active())[0] === 0);
  });
});
