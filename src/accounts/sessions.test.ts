import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import type { Db } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { Events, type ServiceEvent } from '../events/hints.ts';
import { saveSubscription } from '../push/subscriptions/subscriptions.ts';
import { findSession } from './session-lookup.ts';
import {
  endAccess,
  endIdleSessions,
  endSession,
  listSessions,
  openSession,
  touchSessions,
} from './sessions.ts';

const START = 1_760_000_000_000;
const DAY_MS = 86_400_000;

async function open(db: Db, userId: string, device = '', now = START): Promise<string> {
  const id = await openSession(db, userId, '!', device, now);
  assert(id);
  return id;
}

/** Stores a subscription that belongs to the session. */
async function subscribe(db: Db, userId: string, sessionId: string | null): Promise<string> {
  const endpoint = `https://push.example/${sessionId}`;
  const subscription = { endpoint, keys: { p256dh: 'BA', auth: 'AA' } };
  await saveSubscription(db, {
    userId,
    subscription,
    sessionId,
    vapidPublic: '',
    device: '',
    language: 'en',
    now: START,
  });
  return endpoint;
}

async function endpoints(db: Db): Promise<string[]> {
  const rows = await db.all<{ endpoint: string }>`select endpoint from push_subscriptions order by id`;
  return rows.map((row) => row.endpoint);
}

onEachDatabase('sessions', (database) => {
  test('a session opens only for the hash that is still the current one, of an active account', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    const sam = await addUser(db, 'sam', { status: 'suspended' });
    const dora = await addUser(db, 'dora', { status: 'deleted' });
    assert.equal(await openSession(db, alice, 'older hash', '', START), undefined);
    assert.equal(await openSession(db, sam, '!', '', START), undefined);
    assert.equal(await openSession(db, dora, '!', '', START), undefined);
    assert.equal(await openSession(db, 'unknown', '!', '', START), undefined);
    assert.deepEqual(await db.all`select id from sessions`, []);
    const id = await open(db, alice);
    assert.deepEqual(await findSession(db, id, START), { userId: alice, usedAt: START });
  });

  test('sessions are listed newest first, the caller’s marked, without those of other users', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const first = await open(db, alice, 'Phone');
    const second = await open(db, alice, 'Laptop', START + 5);
    await open(db, bob);
    await touchSessions(db, new Map([[first, '']]), START + 9);
    const more = { active: 0, address: '' };
    assert.deepEqual(await listSessions(db, alice, first, START + 9), [
      { id: second, device: 'Laptop', create_time: START + 5, last_used: START + 5, current: 0, ...more },
      { id: first, device: 'Phone', create_time: START, last_used: START + 9, current: 1, ...more },
    ]);
    const active = await listSessions(db, alice, first, START + 9, (id) => id === second);
    assert.deepEqual(
      active.map((session) => session.active),
      [1, 0],
    );
  });

  test('a use stores the address of the client, unless that is unknown', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    const ids: string[] = [];
    for (const address of ['192.0.2.1', '', '192.0.2.3', '192.0.2.4'])
      ids.push((await openSession(db, alice, '!', '', START, address)) ?? '');
    const [first = '', second = '', third = ''] = ids;
    const moved = { [first]: '198.51.100.1', [second]: '198.51.100.1', [third]: '' };
    await touchSessions(db, new Map(Object.entries(moved)), START + 1);
    assert.deepEqual(
      (await listSessions(db, alice, '', START + 1)).map((one) => [one.address, one.last_used - START]),
      [
        ['192.0.2.4', 0],
        ['192.0.2.3', 1],
        ['198.51.100.1', 1],
        ['198.51.100.1', 1],
      ],
    );
  });

  test('the uses of many sessions, each with an address of its own, are all stored', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    await db.transaction(async (tx) => {
      for (let i = 0; i < 450; i++)
        await tx.run`insert into sessions (id, user_id, created_at, used_at) values (${`s${i}`}, ${alice}, 1, ${START})`;
    });
    const used = Array.from({ length: 450 }, (_, i) => [`s${i}`, `10.0.${i >> 8}.${i & 255}`] as const);
    await touchSessions(db, new Map(used), START + 1);
    const stored = await listSessions(db, alice, '', START + 1);
    assert.deepEqual(new Map(stored.map(({ id, address }) => [id, address])), new Map(used));
  });

  test('a session ends after 180 days without use', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    const [idle, used] = [await open(db, alice), await open(db, alice)];
    const kept = await subscribe(db, alice, used);
    await subscribe(db, alice, idle);
    await touchSessions(db, new Map([[used, '']]), START + DAY_MS);
    const lastMoment = START + 180 * DAY_MS - 1;
    assert.ok(await findSession(db, idle, lastMoment));
    const events = new Events();
    const published: ServiceEvent[] = [];
    events.subscribe((event) => published.push(event));
    await endIdleSessions({ db, events }, lastMoment);
    assert.deepEqual(published, []);
    assert.equal(await findSession(db, idle, lastMoment + 1), undefined);
    assert.equal((await listSessions(db, alice, '', lastMoment + 1)).length, 1);
    await endIdleSessions({ db, events }, lastMoment + 1);
    assert.deepEqual(published, [{ type: 'sessions-ended', sessionIds: [idle] }]);
    assert.ok(await findSession(db, used, lastMoment + 1));
    assert.deepEqual(await endpoints(db), [kept]);
  });

  test('ending a session removes its push subscriptions, and nothing else', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    const [first, second] = [await open(db, alice), await open(db, alice)];
    await subscribe(db, alice, first);
    const kept = [await subscribe(db, alice, second), await subscribe(db, alice, null)];
    await endSession({ db, events: new Events() }, alice, first, 1_000);
    assert.deepEqual(await endpoints(db), kept);
    assert.equal(await findSession(db, first, START), undefined);
    assert.ok(await findSession(db, second, START));
  });

  test('ending a session of another user or an unknown one is refused', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const id = await open(db, alice);
    const refused = (error: unknown) => error instanceof ServiceError && error.word === 'session_not_found';
    await assert.rejects(endSession({ db, events: new Events() }, bob, id, 1_000), refused);
    await assert.rejects(endSession({ db, events: new Events() }, alice, 'nothing', 1_000), refused);
    assert.ok(await findSession(db, id, START));
    await endSession({ db, events: new Events() }, alice, id, 1_000);
    await assert.rejects(endSession({ db, events: new Events() }, alice, id, 1_000), refused);
  });

  test('all sessions of a user end but the kept one', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const own = [await open(db, alice), await open(db, alice), await open(db, alice)];
    const other = await open(db, bob);
    for (const id of own) await subscribe(db, alice, id);
    const kept = [`https://push.example/${own[1]}`, await subscribe(db, bob, other)];
    const ended = await db.transaction((tx) => endAccess(tx, alice, { sessionId: own[1] ?? '' }));
    assert.deepEqual(ended.sort(), [own[0], own[2]]);
    assert.deepEqual(await endpoints(db), kept);
    assert.deepEqual(await db.transaction((tx) => endAccess(tx, alice)), [own[1]]);
    assert.ok(await findSession(db, other, START));
  });
});
