import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { onEachDatabase, onEachDeployment } from '../../test/databases.ts';
import { type Person, startService, type TestService } from '../../test/harness.ts';
import { upload } from '../../test/picturing.ts';
import { suspendByOperator } from '../accounts/account-status.ts';
import { refuseLeaving } from '../accounts/leaving/deletions.ts';
import type { Services } from '../services.ts';
import { eraseDueAccounts } from './due-deletions.ts';
import { deleteUser } from './remove-user.ts';

const ROUNDS = 3;
const KEYS = {
  p256dh: Buffer.alloc(65, 4).toString('base64url'),
  auth: Buffer.alloc(16).toString('base64url'),
};

/** The tables that have nothing of an erased user, with the column that names them. */
const EMPTY_TABLES = {
  sessions: 'user_id',
  device_proofs: 'user_id',
  password_links: 'user_id',
  account_log: 'user_id',
  suspensions: 'user_id',
  deletions: 'user_id',
  emails: 'user_id',
  email_codes: 'user_id',
  avatars: 'user_id',
  name_keys: 'user_id',
  last_seen: 'user_id',
  quiet: 'user_id',
  inbox: 'user_id',
  conversation_settings: 'user_id',
  friends: 'user_id',
  message_requests: 'user_id',
  blocks: 'blocker_id',
  reports: 'reporter_id',
  push_subscriptions: 'user_id',
  push_last_confirmed: 'user_id',
  push_pending: 'user_id',
  push_jobs: 'user_id',
  push_log: 'user_id',
};

onEachDeployment('An account that is erased while others and its user go on', (database) => {
  test('has nothing in any table afterwards', async (t) => {
    const env = { DELETION_GRACE: '0', RATE_LIMIT_MESSAGES: 'off', RATE_LIMIT_PICTURES: 'off' };
    const service = await startService(t, database, { env });
    const bob = await service.join('bob');
    for (let round = 0; round < ROUNDS; round++) {
      const alice = await service.join(`alice${round}`);
      const call = async (person: Person, path: string, body: object) => {
        const { status, text } = await service.post(path, body, person).catch(undescribed);
        assert.ok(status < 500, `${path}: ${text}`);
        return status;
      };
      const [avatar, subscription] = [
        await upload(service, alice, 32),
        { endpoint: 'https://push.example.com/1', keys: KEYS },
      ];
      await call(alice, '/api/messages', { to: bob.id, cid: `a${round}`, body: 'hi' });
      for (const n of [1, 2, 3])
        await call(bob, '/api/messages', { to: alice.id, cid: `b${round} ${n}`, body: 'hi' });
      const late = (place: number) => [
        call(bob, '/api/messages', { to: alice.id, cid: `late ${round} ${place}`, body: 'hi' }),
        call(bob, '/api/messages/mark', { peer: alice.id, read: 1 }),
        call(bob, '/api/messages/unsend', { peer: alice.id, n: 2 + place }),
        call(bob, '/api/messages/react', { peer: alice.id, n: 1, emoji: '👍' }),
        call(bob, '/api/friends/request', { userId: alice.id }),
        call(bob, '/api/user/block', { blockedId: alice.id }),
        call(bob, '/api/user/unblock', { blockedId: alice.id }),
        call(bob, '/api/report', { userId: alice.id, reason: 'spam', messages: [1] }),
        call(alice, '/api/messages', { to: bob.id, cid: `late of a ${round} ${place}`, body: 'hi' }),
        call(alice, '/api/messages/mark', { peer: bob.id, read: 4 }),
        call(alice, '/api/user/profile', { bio: 'late', nickname: `late ${place}` }),
        call(alice, '/api/user/settings', { dndEnabled: true }),
        call(alice, '/api/user/privacy', { presence: 'nobody' }),
        call(alice, '/api/user/quiet', { until: 0, timeZone: 'UTC', windows: [] }),
        call(alice, '/api/user/block', { blockedId: bob.id }),
        call(alice, '/api/report', { userId: bob.id, reason: 'spam', messages: [1] }),
        call(alice, '/api/conversations/settings', { peer: bob.id, pinned: 1 }),
        call(alice, '/api/push/subscribe', { userId: alice.id, subscription }),
        call(alice, '/api/login', { username: alice.username, password: alice.password }),
        call(alice, '/api/login', { username: alice.username, password: 'a guess' }),
        uploadAvatar(service, alice, avatar.bytes),
      ];
      const [erased] = await Promise.all([
        call(alice, '/api/account/delete', {}),
        ...late(0),
        ...service.nodes.map(({ services }) => services.accounts.failedSignIns.flush()),
        ...late(1),
      ]);
      assert.equal(erased, 200);
      for (const { services } of service.nodes) {
        services.presence.lastSeen.note(alice.id, 1);
        await services.presence.lastSeen.write();
        await services.accounts.failedSignIns.flush();
      }
      assert.deepEqual(await leftOf(service, alice), [], `round ${round}`);
      await call(bob, '/api/user/unblock', { blockedId: alice.id });
    }
  });
});

/** Calls between which the job runs at another moment each time. */
const LATER = Array.from({ length: 12 }, (_, place) => place);

const ERASURES = {
  'by the job': ({ db, events, clock }: Services) => eraseDueAccounts({ db, events }, clock.now()),
  'by the operator': ({ db }: Services, id: string) => db.transaction((tx) => deleteUser(tx, id)),
};

onEachDatabase('An account that is erased while its user signs in', (database) => {
  for (const [by, erase] of Object.entries(ERASURES))
    test(`leaves no ticket that would undo its deletion, ${by}`, async (t) => {
      const { services, join, post } = await startService(t, database);
      const { clock, db } = services;
      for (const round of LATER) {
        const alice = await join(`alice${round}`);
        assert.equal((await post('/api/account/delete', {}, alice)).status, 200);
        await db.run`update deletions set due_at = 1`;
        const sign = async (place: number) => {
          for (let turns = 0; turns < place * 3 + round; turns++) await yieldToEventLoop();
          return refuseLeaving(db, alice.id, clock.now());
        };
        await Promise.all([erase(services, alice.id), ...LATER.map(sign)]);
        assert.deepEqual(await db.all`select user_id from tickets`, []);
      }
    });
});

onEachDatabase('An account that is erased while its user is notified', (database) => {
  test('leaves no mail, as the address is not theirs any more', async (t) => {
    const { services, join } = await startService(t, database);
    const { db, clock } = services;
    for (const round of LATER) {
      const { id } = await join(`alice${round}`);
      const address = `${round}@example.org`;
      await db.run`
        insert into emails (user_id, address, address_key, language, verified_at) values (${id}, ${address}, ${address}, 'en', 1)`;
      const suspension = { reason: '', until: null, at: clock.now() };
      const suspend = async () => {
        for (let turns = 0; turns < round; turns++) await yieldToEventLoop();
        await db.transaction((tx) => suspendByOperator(tx, id, suspension, true)).catch(isUnknown);
      };
      await Promise.all([ERASURES['by the operator'](services, id), suspend()]);
      assert.deepEqual(await db.all`select kind from mail_jobs`, []);
    }
  });
});

function isUnknown(error: Error) {
  assert.match(error.message, /用户不存在/);
}

/** The answer to a call whose account has ended while it was under way: `/openapi.json` leaves it out. */
function undescribed(error: Error) {
  if (!/ 404 .*user_not_found/.test(error.message)) throw error;
  return { status: 404, text: error.message };
}

/** A picture of a profile. */
async function uploadAvatar(service: TestService, { token }: Person, raw: Buffer): Promise<void> {
  const headers = { 'content-type': 'image/png' };
  const { status, text } = await service
    .call('POST', '/api/user/avatar', { token, raw, headers })
    .catch(undescribed);
  assert.ok(status < 500, text);
}

/** The tables that have rows of the user, and columns of theirs in `users` that are not empty. */
async function leftOf({ services: { db } }: TestService, { id }: Person): Promise<string[]> {
  const left: string[] = [];
  for (const [table, column] of Object.entries(EMPTY_TABLES)) {
    const strings = [`select 1 from ${table} where ${column} = `, ' limit 1'];
    if (await db.get(Object.assign(strings, { raw: strings }), id)) left.push(table);
  }
  const row = await db.get<Record<string, unknown>>`
    select username, nickname, nickname_key, keyed_names, password_hash, bio, avatar, dnd_enabled, who_presence from users where id = ${id}`;
  const { dnd_enabled, who_presence, ...texts } = row ?? {};
  left.push(...Object.keys(texts).filter((name) => texts[name] !== ''));
  return dnd_enabled === 0 && who_presence === 'everyone' ? left : [...left, 'settings'];
}
