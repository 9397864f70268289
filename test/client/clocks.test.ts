import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trackActivity } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { FrameThrottle } from '../../client/src/connection/frame-throttle.ts';
import { onSqlite } from '../databases.ts';
import { moveClocks } from './clocks.ts';
import { Device, join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

const HOUR_MS = 3_600_000;
/** Only catches a hang. */
const limit = { timeout: 30_000 };

onSqlite('With the wall clock of the device set back by an hour', (database) => {
  test('a connection on which nothing arrives any more is still given up', limit, async (t) => {
    const clocks = moveClocks(t);
    const service = await serve(t, database, { world: clocks.world });
    const line = await startLine(t, service.url);
    const alice = await join(t, line.url, 'alice', { times: { silenceMs: 200, pongMs: 1_000 } });
    clocks.wallMs = -HOUR_MS;
    line.freeze();
    await alice.first('connection', ({ state }) => state === 'waiting');
    await alice.is('live');
    assert.equal(line.arrivals.length, 2);
  });

  test('a token is still renewed at half of its lifetime', limit, async (t) => {
    const clocks = moveClocks(t);
    const service = await serve(t, database, { env: { TOKEN_TTL: '60s' }, world: clocks.world });
    const alice = await join(t, service.url, 'alice', { times: { tokenCheckMs: 50 } });
    const { token } = alice.session;
    clocks.wallMs = -HOUR_MS;
    clocks.monotonicMs = 31_000;
    await until(() => alice.session.token !== token);
    assert.equal(alice.doorman.connection.state, 'live');
  });

  test('a token that was stored before is renewed at the start', limit, async (t) => {
    const clocks = moveClocks(t);
    const service = await serve(t, database, { env: { TOKEN_TTL: '60s' }, world: clocks.world });
    const storage = new MemoryStorage();
    const { token } = (await new Device(t, service.url, { storage }).signUp('alice')).session;
    clocks.wallMs = -HOUR_MS;
    clocks.monotonicMs = 40_000;
    const restarted = new Device(t, service.url, { storage });
    await restarted.doorman.restore();
    await until(() => restarted.session.token !== token);
  });

  test('a message that another tab cannot send is still taken over', limit, async (t) => {
    const clocks = moveClocks(t);
    const service = await serve(t, database, { world: clocks.world });
    const line = await startLine(t, service.url);
    const storage = Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
    const bob = await join(t, service.url, 'bob');
    const cut = await join(t, line.url, 'alice', { storage });
    const tab = new Device(t, service.url, { storage, times: { takeOverMs: 300 } });
    await tab.doorman.restore();
    await tab.connect();
    line.isDown = true;
    line.cut();
    await cut.is('waiting');
    cut.doorman.send(bob.id, 'by either tab').catch(() => {});
    await tab.first('outgoing', ({ state }) => state === 'waiting');
    clocks.wallMs = -HOUR_MS;
    await bob.hears('by either tab');
  });

  test('messages keep their order', limit, async (t) => {
    const clocks = moveClocks(t);
    const service = await serve(t, database, { world: clocks.world });
    const bob = await join(t, service.url, 'bob');
    const alice = await join(t, service.url, 'alice');
    const first = await alice.doorman.send(bob.id, 'first');
    clocks.wallMs = -HOUR_MS;
    const second = await alice.doorman.send(bob.id, 'second');
    assert.ok(second.writtenAt > first.writtenAt);
  });
});

onSqlite('With the wall clock of the device set forward by an hour', (database) => {
  test('a token is renewed, as after a sleep in which the monotonic clock stood still', limit, async (t) => {
    const clocks = moveClocks(t);
    const service = await serve(t, database, { env: { TOKEN_TTL: '60s' }, world: clocks.world });
    const alice = await join(t, service.url, 'alice', { times: { tokenCheckMs: 50 } });
    const { token } = alice.session;
    await until(() => Date.now() / 1000 > JSON.parse(atob(token.split('.')[1] ?? '')).iat + 1);
    clocks.wallMs = HOUR_MS;
    await until(() => alice.session.token !== token);
  });

  test('typing is still sent at most once a second', limit, async (t) => {
    const clocks = moveClocks(t);
    const service = await serve(t, database, { world: clocks.world });
    const line = await startLine(t, service.url);
    const bob = await join(t, service.url, 'bob');
    const alice = await join(t, line.url, 'alice');
    const typed = () => line.frames.filter(({ type }) => type === 'typing').length;
    alice.doorman.typing(bob.id);
    clocks.wallMs = HOUR_MS;
    alice.doorman.typing(bob.id);
    await alice.doorman.send(bob.id, 'sent after both');
    assert.equal(typed(), 1);
    clocks.monotonicMs = 1_000;
    alice.doorman.typing(bob.id);
    await until(() => typed() === 2);
  });
});

test('frames are sent by elapsed time, whatever the wall clock says', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clocks = moveClocks(t);
  const sent: string[] = [];
  const throttle = new FrameThrottle((text) => sent.push(text));
  for (let i = 0; i < 100; i++) throttle.push(`${i}`);
  assert.equal(sent.length, 40);
  clocks.wallMs = HOUR_MS;
  t.mock.timers.tick(100);
  assert.ok(sent.length < 60, `${sent.length} sent after the clock was set`);
  clocks.monotonicMs = HOUR_MS;
  t.mock.timers.tick(100);
  assert.ok(sent.length >= 80, `${sent.length} sent after an hour`);
  throttle.end();
});

test('using the page counts for 60 s, whatever the wall clock says', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clocks = moveClocks(t);
  const views: boolean[] = [];
  const page = Object.assign(new EventTarget(), {
    defaultView: new EventTarget(),
    visibilityState: 'visible',
    hasFocus: () => true,
  });
  const doorman = {
    setView: ({ active }: { active: boolean }) => void views.push(active),
    reconnectNow() {},
  };
  t.after(trackActivity(doorman, page as unknown as Document)); // all that it asks of a document
  t.mock.timers.tick(59_000);
  // The wall clock was set back to what it was at the first use.
  clocks.monotonicMs = 59_000;
  page.dispatchEvent(new Event('keydown'));
  t.mock.timers.tick(59_000);
  assert.equal(views.at(-1), true);
});
