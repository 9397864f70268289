import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { migrate, migrations } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { type Crowd, join, joinCrowd } from '../crowd.ts';
import { onNodes } from '../databases.ts';
import { Device } from '../devices.ts';
import type { Scope } from '../dispose-after.ts';
import { type NodeProcesses, startNodeProcesses, untilOnline } from '../node-processes.ts';
import { type Caller, callerOf, type ServerProcess, settingsOf } from '../processes.ts';
import { keepPromises } from '../promises.ts';
import { TestSocket } from '../sockets.ts';

const HANG_MS = 240_000;
const CROWD = 30;
/** Longer than the 3 s for which a node believes what it read of the changes, and than the lease of these nodes. */
const STANDSTILL_MS = 3_500;

onNodes('three nodes in processes of their own', (database) => {
  const running = new AsyncDisposableStack();
  after(() => running.disposeAsync());
  let started:
    | Promise<{ settings: Record<string, string>; service: NodeProcesses; crowd: Crowd }>
    | undefined;

  /** The same for all tests, each of which leaves three nodes. */
  function start(t: TestContext) {
    started ??= (async () => {
      const scope: Scope = { after: (end) => running.defer(end) };
      const settings = settingsOf(await database.create(t));
      const service = await startNodeProcesses(scope, settings);
      return { settings, service, crowd: await joinCrowd(scope, service, CROWD) };
    })();
    return started;
  }

  test('kill -9 of a node with sockets on it: nothing acknowledged is lost, and who was on it alone is offline', {
    timeout: HANG_MS,
  }, async (t) => {
    const { service, crowd } = await start(t);
    crowd.write();
    const [first, second, victim] = three(service);
    const gone = new Device(await join(service, 'gone'));
    await gone.enter(victim.url);
    await untilOnline([first, second], [gone], 1);
    const promises = await keepPromises(t, service, 'killed');
    await crowd.more(2);
    await victim.kill();
    await promises.cut();
    await crowd.more(2);
    await untilOnline([first, second], [gone], 0);
    await service.replace(2);
    await crowd.more(2);
    await promises.verify();
    await crowd.stop();
    await untilOnline(service.nodes, [gone], 0);
    await untilOnline(service.nodes, crowd.devices, 1);
  });

  test('a node that stood still for a moment accepts no session that was ended meanwhile', {
    timeout: HANG_MS,
  }, async (t) => {
    const { service } = await start(t);
    const [first, , frozen] = three(service);
    const caller = callerOf(frozen.url);
    const { token } = await join(service, 'ended');
    assert.equal((await caller.get('/api/user/blocked', token)).status, 200);
    frozen.child.kill('SIGSTOP');
    assert.equal((await first.post('/api/logout', {}, token)).status, 200);
    const late = caller.get('/api/user/blocked', token);
    // The standstill itself: longer than the 200 ms after which a node reads what changed.
    await delay(400);
    frozen.child.kill('SIGCONT');
    assert.equal((await late).status, 401);
  });

  test('a node that stands still beyond its lease: what happened meanwhile holds on it before it does anything', {
    timeout: HANG_MS,
  }, async (t) => {
    const { service, crowd } = await start(t);
    crowd.write();
    const [first, second, frozen] = three(service);
    const [alice, bob, carol, dave] = await Promise.all([
      join(service, 'alice'),
      join(service, 'bob'),
      join(service, 'carol'),
      join(service, 'dave'),
    ]);
    const other = (await second.post('/api/login', { username: 'carol', password: 'password' })).body.data;
    const near = await enter(t, first, alice);
    const [far, bobs, carols] = await Promise.all([alice, bob, carol].map((user) => enter(t, frozen, user)));
    assert.ok(far && bobs && carols);
    const { session } = carols.welcome;
    bobs.send({ type: 'typing', to: alice.id });
    for (const device of [near, far]) await device.first(({ type }) => type === 'typing');
    await untilOnline(service.nodes, [{ person: bob }, { person: carol }], 1);

    frozen.child.kill('SIGSTOP');
    bobs.send({ type: 'typing', to: alice.id });
    bobs.send({ type: 'send', id: 'late', to: alice.id, cid: 'late', body: 'after the block' });
    carols.send({ type: 'send', id: 'late', to: dave.id, cid: 'late', body: 'after the end' });
    const late = callerOf(frozen.url).get('/api/user/blocked', carol.token);
    assert.equal((await first.post('/api/user/block', { blockedId: bob.id }, alice.token)).status, 200);
    assert.equal((await second.post('/api/sessions/end', { id: session }, other.token)).status, 200);
    const message = { to: carol.id, cid: 'secret', body: 'not for the ended session' };
    assert.equal((await first.post('/api/messages', message, dave.token)).status, 200);
    await untilOnline([first, second], [{ person: bob }, { person: carol }], 0);
    await delay(STANDSTILL_MS);

    frozen.child.kill('SIGCONT');
    assert.equal((await late).status, 401);
    assert.deepEqual(await carols.ended, { code: 4409, reason: 'session_ended' });
    assert.deepEqual(
      carols.unread.filter(({ type }) => type === 'event'),
      [],
    );
    const refused = await bobs.first(({ id }) => id === 'late');
    assert.deepEqual([refused.code, refused.error], [403, 'not_accepting']);
    await untilOnline(service.nodes, [{ person: bob }], 1);
    await untilOnline(service.nodes, [{ person: carol }], 0);
    for (const device of [near, far]) {
      assert.equal((await device.first(({ type }) => type === 'event')).event, 'block');
      await device.roundTrip();
      assert.deepEqual(
        device.unread.filter(({ type }) => type === 'event' || type === 'typing'),
        [],
      );
    }
    const { items } = (await first.get(`/api/messages?peer=${carol.id}`, dave.token)).body.data;
    assert.deepEqual(
      items.map(({ cid }: { cid: string }) => cid),
      ['secret'],
    );
    await crowd.more(2);
    await crowd.stop();
    await untilOnline(service.nodes, crowd.devices, 1);
  });

  test('a rolling restart onto tables with an additive migration: less than 1 % of the calls fail', {
    timeout: HANG_MS,
  }, async (t) => {
    const { settings, service, crowd } = await start(t);
    crowd.write();
    const promises = await keepPromises(t, service, 'rolled');
    const before = count(crowd);
    const load = startCalls(t, service, crowd.devices);
    await crowd.more(1);
    await using db = await openPostgres({ url: settings.DATABASE_URL ?? '' });
    await migrate(db, [
      ...migrations,
      {
        name: '9999-artificial',
        additive: true,
        statements: (type) => [
          `alter table users add column artificial ${type.text} not null default ''`,
          `alter table messages add column artificial ${type.bigint}`,
          `create table artificial (id ${type.text} primary key not null)`,
        ],
      },
    ]);
    for (const [place, node] of [...service.nodes].entries()) {
      node.child.kill('SIGTERM');
      assert.deepEqual(await node.ended, { code: 0, signal: null, errors: '' });
      await service.replace(place);
      if (place === 0) await promises.cut();
      await crowd.more(1);
    }
    await promises.verify();
    const { calls, failed } = await load.stop();
    await crowd.stop();
    const [sent, errors] = count(crowd).map((n, i) => n - (before[i] ?? 0)) as [number, number];
    const all = calls + sent + errors;
    t.diagnostic(`${failed.length} of ${calls} calls failed, ${errors} of ${sent} messages were refused`);
    assert.ok(
      failed.length + errors < all / 100,
      `${failed.length} and ${errors} of ${all}: ${failed.join(', ')}`,
    );
    await untilOnline(service.nodes, crowd.devices, 1);
  });
});

/** Messages, and how many times one was refused. One whose connection ends is sent again and is no error. */
function count({ devices }: Crowd): [sent: number, refused: number] {
  const sum = (of: (device: Device) => number) => devices.reduce((all, device) => all + of(device), 0);
  return [sum(({ sent }) => sent.size), sum(({ errors }) => errors)];
}

function three({ nodes }: NodeProcesses): [ServerProcess, ServerProcess, ServerProcess] {
  const [first, second, third] = nodes;
  assert.ok(first && second && third);
  return [first, second, third];
}

async function enter(t: TestContext, node: ServerProcess, { token }: { token: string }) {
  const socket = new TestSocket(new WebSocket(`${node.url.replace('http', 'ws')}/ws`));
  t.after(() => socket.ws.terminate());
  await once(socket.ws, 'open');
  return Object.assign(socket, { welcome: (await socket.hello({ token })).data });
}

/** Calls over HTTP, as many a second as messages, until `stop`. */
function startCalls(t: TestContext, service: Caller, devices: readonly Device[]) {
  let calls = 0;
  let isCalling = true;
  const failed: string[] = [];
  t.after(() => {
    isCalling = false;
  });
  const running = devices.map(async ({ person: { id, token } }, i) => {
    await delay(i * 10);
    for (let n = 0; isCalling; n++) {
      const path = ['/api/conversations', '/api/users', `/api/user/profile/${id}`][n % 3] ?? '';
      const call = service.get(path, token).then(
        ({ status }) => status,
        (error: Error) => String(error.cause ?? error),
      );
      const [outcome] = await Promise.all([call, delay(300)]);
      calls++;
      if (outcome !== 200) failed.push(`${outcome}`);
    }
  });
  return {
    async stop() {
      isCalling = false;
      await Promise.all(running);
      return { calls, failed };
    },
  };
}
