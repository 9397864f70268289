import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { onEachDatabase } from '../test/databases.ts';
import { startService, type TestService } from '../test/harness.ts';
import { startPushService } from '../test/push-service.ts';
import { suspendUser } from './accounts/account-status.ts';
import { findSession } from './accounts/session-lookup.ts';
import { rotateTokenKeys } from './accounts/tokens.ts';
import type { SchemaDb } from './db/db.ts';
import { countExternalChanges, recordExternalChange } from './db/external-changes.ts';
import { Events, type ServiceEvent } from './events/hints.ts';
import { startPeriodicJobs } from './periodic-jobs.ts';
import { rotateVapidKeys } from './push/subscriptions/vapid-keys.ts';
import { eventually } from './sockets/test-client.ts';

const DAY_MS = 86_400_000;

function published({ services }: TestService, type: ServiceEvent['type']): Promise<ServiceEvent> {
  return new Promise((resolve) =>
    services.events.subscribe((event) => {
      if (event.type === type) resolve(event);
    }),
  );
}

/** The database, and how often the jobs asked it for the number of external changes. */
function watchCounts(db: SchemaDb) {
  let reads = 0;
  const watched: SchemaDb = Object.create(db, {
    get: {
      value(...parts: Parameters<SchemaDb['get']>) {
        if (parts[0].join('').includes('outside_changes')) reads++;
        return db.get(...parts);
      },
    },
  });
  return { watched, reads: () => reads };
}

onEachDatabase('periodic jobs', (database) => {
  test('what a command wrote beside the server takes effect within a second: keys, sessions, profiles, the directory', async (t) => {
    const service = await startService(t, database);
    const { db } = service.services;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const call = { token: alice.token };
    const names = async () =>
      (await service.get('/api/users', call)).body.data.map((one: { username: string }) => one.username);
    assert.deepEqual(await names(), ['alice', 'bob']);
    assert.equal((await service.get('/api/users', { token: bob.token })).status, 200);
    assert.equal((await service.get(`/api/user/profile/${alice.id}`)).body.data.bio, '');
    const { publicKey } = (await service.get('/api/push/public-key')).body;

    await rotateTokenKeys(db, 7 * 86_400, Date.now());
    await rotateVapidKeys(db);
    await db.transaction(async (tx) => {
      await recordExternalChange(tx);
      await suspendUser(tx, bob.id);
      await tx.run`update users set bio = 'imported' where id = ${alice.id}`;
    });

    // Three transactions, which the server may notice one by one: no single hint shows that all are in effect.
    const kidOf = (token: string) => decodeProtectedHeader(token).kid;
    const refresh = async () => (await service.post('/api/token', {}, call)).body.data.token;
    await eventually(async () => (await service.get('/api/users', { token: bob.token })).status === 401);
    await eventually(
      async () => (await service.get(`/api/user/profile/${alice.id}`)).body.data.bio === 'imported',
    );
    await eventually(async () => (await service.get('/api/users', call)).body.data[0].bio === 'imported');
    await eventually(async () => (await service.get('/api/push/public-key')).body.publicKey !== publicKey);
    await eventually(async () => kidOf(await refresh()) !== kidOf(alice.token));
    const fresh = await refresh();
    assert.equal((await service.get('/api/users', { token: fresh })).status, 200);
  });

  test('a server that starts is an external change for one that had the database before it', async (t) => {
    const first = await startService(t, database);
    const changes = await countExternalChanges(first.services.db);
    const second = await first.restart();
    assert((await countExternalChanges(second.services.db)) > changes);
  });

  test('without a write there is no hint of an external change', async (t) => {
    const service = await startService(t, database);
    let hints = 0;
    service.services.events.subscribe((event) => {
      if (event.type === 'external-change') hints++;
    });
    const { watched, reads } = watchCounts(service.services.db);
    await using _jobs = startPeriodicJobs({ ...service.services, db: watched });
    // The timer of the jobs does not keep the process alive, the one of `eventually` does.
    await eventually(() => reads() >= 3);
    assert.equal(hints, 0);
  });

  test('sessions end after 180 days without use, and unusable subscriptions are removed after 7 days', async (t) => {
    let now = Date.now();
    await using push = await startPushService();
    const service = await startService(t, database, { world: { now: () => now } });
    const { services } = service;
    const { id: userId, token } = await service.join('alice');
    const subscribe = (keys: object) =>
      service.post('/api/push/subscribe', { userId, subscription: { ...push.subscribe(), keys } }, { token });
    await subscribe({ p256dh: 'AAAA', auth: 'AAAA' });
    await service.post('/api/push/subscribe', { userId, subscription: push.subscribe() }, { token });
    await service.get(`/api/push/test-send?userId=${userId}`, { token });
    const counted = async () =>
      (await services.db.get<{ count: number }>`select count(*) as count from push_subscriptions`)?.count;

    now += 7 * DAY_MS;
    await startPeriodicJobs(services)[Symbol.asyncDispose]();
    assert.equal(await counted(), 2);
    now += 1;
    await startPeriodicJobs(services)[Symbol.asyncDispose]();
    assert.equal(await counted(), 1);

    const ended = published(service, 'sessions-ended');
    now += 180 * DAY_MS;
    await startPeriodicJobs(services)[Symbol.asyncDispose]();
    const event = await ended;
    assert.equal(event.type === 'sessions-ended' && event.sessionIds.length, 1);
    assert.deepEqual(await services.db.all`select id from sessions`, []);
    assert.equal(await counted(), 0);
  });

  test('the time at which a session was used is stored when the service stops, at the latest', async (t) => {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { world: { now: () => now } });
    const { token } = await service.join('alice');
    const caller = await service.services.accounts.authentication.identify(token);
    now += DAY_MS;
    assert.equal((await service.get('/api/users', { token })).status, 200);
    const restarted = await service.restart();
    const session = await findSession(restarted.services.db, caller?.sessionId ?? '', now);
    assert.equal(session?.usedAt, now);
  });

  test('a job that fails is logged and runs again, and the others go on', async (t) => {
    const service = await startService(t, database);
    const { services } = service;
    // Keys whose first reload fails, in place of the real ones.
    let failures = 1;
    const reload = async () => {
      if (failures-- > 0) throw new Error('no keys today');
    };
    const tokens: typeof services.accounts.tokens = Object.assign(Object.create(services.accounts.tokens), {
      reload,
    });
    const events = new Events();
    const again = new Promise((resolve) =>
      events.subscribe((event) => event.type === 'external-change' && resolve(event)),
    );
    const { watched, reads } = watchCounts(services.db);
    const accounts = { ...services.accounts, tokens };
    await using _jobs = startPeriodicJobs({ ...services, db: watched, events, accounts });
    const noticed = published(service, 'external-change');
    // The second read shows that the first, with which the others are compared, has its answer.
    await eventually(() => reads() >= 2);
    await services.db.transaction((tx) => recordExternalChange(tx));
    await noticed;
    await again;
    assert.ok(service.logLines.some((line) => line.includes('no keys today')));
    assert.ok(
      service.logLines.some(
        (line) => line.includes('a periodic job failed') && line.includes('check external changes'),
      ),
    );
  });
});
