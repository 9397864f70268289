import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { onEachDatabase } from '../test/databases.ts';
import { eventually } from '../test/eventually.ts';
import { startService, type TestService } from '../test/harness.ts';
import { addCrowd } from '../test/people.ts';
import { startPushService } from '../test/push-service.ts';
import { suspendUser } from './accounts/account-status.ts';
import { findSession } from './accounts/session-lookup.ts';
import { rotateTokenKeys } from './accounts/tokens.ts';
import { recordExternalChange } from './events/changes.ts';
import type { ServiceEvent } from './events/hints.ts';
import { countMails, queueMail } from './mail/mail-jobs.ts';
import { startPeriodicJobs } from './periodic-jobs.ts';
import { rotateVapidKeys } from './push/subscriptions/vapid-keys.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function published({ services }: TestService, type: ServiceEvent['type']): Promise<ServiceEvent> {
  return new Promise((resolve) =>
    services.events.subscribe((event) => {
      if (event.type === type) resolve(event);
    }),
  );
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
    await first.services.db.run`delete from changes`;
    const second = await first.restart();
    assert.deepEqual(await second.services.db.all`select kind from changes`, [{ kind: 'external-change' }]);
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

  test('the walk over names runs at the start, and ends when the service stops', async (t) => {
    const { services } = await startService(t, database);
    const { db } = services;
    const crowd = await addCrowd(db, 600);
    await db.run`delete from name_keys`;
    await db.run`update users set keyed_names = ''`;
    const keyed = async () =>
      (await db.get<{ n: number }>`select count(*) as n from users where keyed_names <> ''`)?.n ?? 0;
    await startPeriodicJobs(services)[Symbol.asyncDispose]();
    assert.ok((await keyed()) <= 200, `${await keyed()} of ${crowd.length}`);
    await using _jobs = startPeriodicJobs(services);
    await eventually(async () => (await keyed()) === crowd.length);
  });

  test('without SMTP_URL a mail of yesterday is removed', async (t) => {
    const { services } = await startService(t, database);
    const yesterday = Date.now() - DAY_MS - HOUR_MS - 1;
    await queueMail(services.db, { kind: 'new_sign_in', dedup: 'x', language: 'en' }, yesterday);
    await startPeriodicJobs(services)[Symbol.asyncDispose]();
    assert.equal(await countMails(services.db), 0);
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
    const { accounts, db } = service.services;
    const { reload } = accounts.tokens;
    let failures = 1;
    accounts.tokens.reload = async () => {
      if (failures-- > 0) throw new Error('no keys today');
      return reload();
    };
    const noticed = published(service, 'external-change');
    await db.transaction((tx) => recordExternalChange(tx));
    await noticed;
    assert.equal(failures, -1);
    assert.ok(service.logLines.some((line) => line.includes('no keys today')));
    assert.ok(
      service.logLines.some(
        (line) => line.includes('a periodic job failed') && line.includes('read changes'),
      ),
    );
  });
});
