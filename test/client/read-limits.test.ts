import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../databases.ts';
import type { Body } from '../harness.ts';
import { Device, join, until } from './device.ts';
import { type Line, startLine } from './line.ts';
import { serve } from './serving.ts';

const WINDOW_MS = 10_000;

/** The codes of the service's replies, in the order of the requests in `frames`. */
function readCodes(line: Line): number[] {
  const codes: number[] = [];
  line.passes = (frame: Body) => {
    if (frame.type === 'reply') codes.push(frame.code);
    return true;
  };
  return codes;
}

onSqlite('The limits of sync and watch', (database) => {
  test('a sync that is refused by the limit is repeated on the same connection', async (t) => {
    const clock = { now: 0 };
    const service = await serve(t, database, { world: { monotonicMs: () => clock.now } });
    const line = await startLine(t, service.url);
    const codes = readCodes(line);
    const alice = await new Device(t, line.url, { times: { limitWindowMs: 5 } }).signUp('alice');
    for (let i = 0; i < 20; i++) await alice.doorman.api.snapshot();
    alice.doorman.connect();
    await until(() => codes.filter((code) => code === 429).length > 1);
    assert.equal(alice.doorman.connection.state, 'connecting');
    const bob = await join(t, service.url, 'bob');
    await bob.doorman.send(alice.id, 'meanwhile');
    clock.now += WINDOW_MS;
    await alice.is('live');
    assert.deepEqual(
      alice.all('snapshot').map(({ conversations }) => conversations.map(({ last }) => last.body)),
      [['meanwhile']],
    );
    await bob.doorman.send(alice.id, 'later');
    await alice.hears('later');
    assert.equal(line.arrivals.length, 1);
  });

  test('however often the watched users change, the service refuses nothing and gets the newest list', async (t) => {
    const service = await serve(t, database);
    const line = await startLine(t, service.url);
    const codes = readCodes(line);
    const alice = await join(t, line.url, 'alice', { times: { watchMs: 1 } });
    let end = () => {};
    for (let i = 0; i < 30; i++) {
      end();
      end = alice.doorman.watch([`row-${i}`]);
      // Each list is on the screen for this long.
      await alice.doorman.api.conversations();
    }
    const watches = () => line.frames.filter(({ type }) => type === 'watch').map(({ userIds }) => userIds);
    await until(() => watches().at(-1)?.[0] === 'row-29');
    await alice.first('presence', ([sight]) => sight?.id === 'row-29');
    assert.deepEqual(watches()[0], ['row-0']);
    assert.deepEqual(
      codes.filter((code) => code !== 200),
      [],
    );
  });

  test('a refused watch list is sent again in its newest form; until then the previous one holds', async (t) => {
    const clock = { now: 0 };
    const service = await serve(t, database, { world: { monotonicMs: () => clock.now } });
    const line = await startLine(t, service.url);
    const codes = readCodes(line);
    const times = { watchMs: 1, watchEveryMs: 0, limitWindowMs: 5 };
    const alice = await join(t, line.url, 'alice', { times });
    const bob = await new Device(t, service.url).signUp('bob');
    const carol = await join(t, service.url, 'carol');
    const watches = () => line.frames.filter(({ type }) => type === 'watch').map(({ userIds }) => userIds);
    alice.doorman.watch([bob.id]);
    for (let i = 0; i < 10; i++) {
      await until(() => watches().length > i);
      alice.doorman.watch([`row-${i}`]);
    }
    await until(() => codes.includes(429));
    await bob.connect();
    await alice.first('presence', (sights) => sights.some(({ id, online }) => id === bob.id && online === 1));
    assert.equal(alice.doorman.presenceOf(bob.id)?.online, 1);

    alice.doorman.watch([carol.id]);
    clock.now += WINDOW_MS;
    await alice.first('presence', (sights) =>
      sights.some(({ id, online }) => id === carol.id && online === 1),
    );
    const newest = [bob.id, ...Array.from({ length: 10 }, (_, i) => `row-${i}`), carol.id];
    assert.deepEqual(watches().at(-1), newest);
    assert.equal(alice.doorman.presenceOf(bob.id)?.online, 1);
    assert.equal(line.arrivals.length, 1);
  });
});
