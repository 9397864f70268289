import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { onEachDatabase } from '../test/databases.ts';
import { startService, type TestService } from '../test/harness.ts';
import { startPushService } from '../test/push-service.ts';
import { suspendUser } from './accounts/account-status.ts';
import { findSession } from './accounts/session-lookup.ts';
import { rotateTokenKeys } from './accounts/tokens.ts';
import { countExternalChanges, recordExternalChange } from './db/external-changes.ts';
import type { ServiceEvent } from './events/hints.ts';
import { startRounds } from './periodic-jobs.ts';
import { rotateVapidKeys } from './push/subscriptions/vapid-keys.ts';
import { eventually } from './sockets/test-client.ts';

const DAY_MS = 86_400_000;

function heard({ services }: TestService, type: ServiceEvent['type']): Promise<ServiceEvent> {
  return new Promise((resolve) =>
    services.events.subscribe((event) => {
      if (event.type === type) resolve(event);
    }),
  );
}

onEachDatabase('rounds', (database) => {
  test('what a command wrote beside the server is noticed within a second: keys, sessions, profiles, the directory', async (t) => {
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

    // Three transactions, so the server may notice them one by one: no single event says that all are in effect.
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

  test('nothing is news where nothing was written', async (t) => {
    const service = await startService(t, database);
    let news = 0;
    service.services.events.subscribe((event) => {
      if (event.type === 'external-change') news++;
    });
    const asked = Promise.withResolvers<void>();
    let questions = 0;
    const { db } = service.services;
    const watched: typeof db = Object.create(db, {
      get: {
        value(...parts: Parameters<typeof db.get>) {
          if (parts[0].join('').includes('outside_changes') && ++questions === 3) asked.resolve();
          return db.get(...parts);
        },
      },
    });
    await using _rounds = startRounds({ ...service.services, db: watched });
    await asked.promise;
    assert.equal(news, 0);
  });

  test('sessions that nobody used for 180 days end, and unusable subscriptions go after 7', async (t) => {
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
    await startRounds(services)[Symbol.asyncDispose]();
    assert.equal(await counted(), 2);
    now += 1;
    await startRounds(services)[Symbol.asyncDispose]();
    assert.equal(await counted(), 1);

    const ended = heard(service, 'sessions-ended');
    now += 180 * DAY_MS;
    await startRounds(services)[Symbol.asyncDispose]();
    const event = await ended;
    assert.equal(event.type === 'sessions-ended' && event.sessionIds.length, 1);
    assert.deepEqual(await services.db.all`select id from sessions`, []);
    assert.equal(await counted(), 0);
  });

  test('which sessions were used is written down at the latest when the service stops', async (t) => {
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

  test('a round that fails is logged, and the others go on', async (t) => {
    const service = await startService(t, database);
    const { services } = service;
    const broken = { reload: () => Promise.reject(new Error('no keys today')) };
    // A part that fails, in place of the real one.
    const tokens = Object.assign(
      Object.create(services.accounts.tokens),
      broken,
    ) as typeof services.accounts.tokens;
    await using _rounds = startRounds({ ...services, accounts: { ...services.accounts, tokens } });
    const noticed = heard(service, 'external-change');
    // More than one change: the first may come before these rounds read the count that they compare with.
    await eventually(async () => {
      await services.db.transaction((tx) => recordExternalChange(tx));
      return service.logLines.some((line) => line.includes('no keys today'));
    });
    await noticed;
    assert.ok(
      service.logLines.some(
        (line) => line.includes('a round failed') && line.includes('checkExternalChanges'),
      ),
    );
  });
});
