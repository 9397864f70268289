import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import { startSockets } from '../../test/sockets.ts';
import type { Db } from '../db/db.ts';
import { Events, type ServiceEvent } from '../events/hints.ts';
import { saveSubscription } from '../push/subscriptions/subscriptions.ts';
import { endSurplusSessions } from './sessions.ts';

const NOW = 1_790_000_000_000;
const DAY_MS = 86_400_000;

/** Sessions `s1`, `s2`.. of the user, the first one used last; `idleMs` says for how long each was not used. */
async function addSessions(db: Db, userId: string, count: number, idleMs: (n: number) => number) {
  const ids = Array.from({ length: count }, (_, i) => `s${i + 1}`);
  await db.transaction(async (tx) => {
    for (const [i, id] of ids.entries())
      await tx.run`
        insert into sessions (id, user_id, device, created_at, used_at) values (${id}, ${userId}, '', 1, ${NOW - idleMs(i + 1)})`;
  });
  return ids;
}

async function sessionIds(db: Db, userId: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>`
    select id from sessions where user_id = ${userId} order by used_at desc, id desc`;
  return rows.map(({ id }) => id);
}

onEachDatabase('surplus sessions', (database) => {
  test('beyond 100, sessions idle for a day end, the least recently used first, without an event in the log', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    await db.run`insert into sessions (id, user_id, created_at, used_at) values ('bobs', ${bob}, 1, 1)`;
    const ids = await addSessions(db, alice, 110, (n) => (n <= 103 ? n : DAY_MS + n - 106));
    for (const sessionId of ['s1', 's110']) {
      const subscription = {
        endpoint: `https://push.example/${sessionId}`,
        keys: { p256dh: 'BA', auth: 'AA' },
      };
      await saveSubscription(db, {
        userId: alice,
        subscription,
        sessionId,
        vapidPublic: '',
        device: '',
        language: 'en',
        now: 1,
      });
    }
    const events = new Events();
    const published: ServiceEvent[] = [];
    events.subscribe((event) => published.push(event));
    await endSurplusSessions({ db, events }, alice, 's1', NOW);
    assert.deepEqual(
      await sessionIds(db, alice),
      ids.slice(0, 105),
      's104 and s105 were used within the day',
    );
    assert.deepEqual(published, [{ type: 'sessions-ended', sessionIds: ids.slice(105) }]);
    const left = await db.all`select endpoint from push_subscriptions`;
    assert.deepEqual(left, [{ endpoint: 'https://push.example/s1' }]);
    assert.deepEqual(await sessionIds(db, bob), ['bobs']);
    await endSurplusSessions({ db, events }, alice, 's1', NOW + 1);
    assert.equal((await sessionIds(db, alice)).length, 104, 's105 was idle for a day now');
  });

  test('100 sessions stay, however long they were not used', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    await addSessions(db, alice, 100, (n) => n * DAY_MS);
    await endSurplusSessions({ db, events: new Events() }, alice, 's1', NOW);
    assert.equal((await sessionIds(db, alice)).length, 100);
  });

  test('beyond 1,000 the least recently used ends, even if in use; never the one just opened', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    const ids = await addSessions(db, alice, 1_003, (n) => n);
    await endSurplusSessions({ db, events: new Events() }, alice, 's1003', NOW);
    assert.deepEqual(await sessionIds(db, alice), [...ids.slice(0, 999), 's1003']);
  });

  test('a login ends surplus sessions, with their tokens and sockets', async (t) => {
    const service = await startSockets(t, database, { world: { now: () => NOW } });
    const { db } = service.services;
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    await db.run`update sessions set used_at = ${NOW - DAY_MS}`;
    await addSessions(db, alice.id, 99, (n) => n);
    assert.equal((await service.get('/api/sessions', { token: alice.token })).status, 200);
    const { status, body } = await service.post('/api/login', alice);
    assert.equal(status, 200);
    assert.equal((await service.get('/api/sessions', { token: alice.token })).status, 401);
    assert.equal((await socket.ended).code, 4409);
    const { data } = (await service.get('/api/sessions', { token: body.data.token })).body;
    assert.equal(data.length, 100);
  });

  test('a session with an open socket is in use, even without requests', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const { accounts, db } = service.services;
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    const usedAt = async () => (await db.get<{ used_at: number }>`select used_at from sessions`)?.used_at;
    // Timers do not run, so that no heartbeat is missed within the hour.
    clock.add(3_600_000);
    await clock.advance(500);
    assert.ok(socket.isOpen);
    await accounts.authentication.flushUse();
    assert.ok(((await usedAt()) ?? 0) >= NOW + 3_600_000);
  });
});
