import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { asTable } from '../db/fragments.ts';
import { StoredFigures } from './stored-figures.ts';

const NOW = 1_760_000_000_000;
/** More than two slices. */
const ROWS = 2_500;
const USERS = { id: 'text', hash: 'text', key: 'text' } as const;

onEachDatabase('The figures in the database', (database) => {
  test('are counted in slices; without the database the counts stay, and what is due is not known', async (t) => {
    const db = await database.open(t);
    const [plain, cheap, strong] = [
      '$2b$10$x',
      '$bcrypt-sha256$v=2,t=2b,r=4$x',
      '$bcrypt-sha256$v=2,t=2b,r=12$x',
    ];
    const users = Array.from({ length: ROWS }, (_, n) => ({
      id: `user-${n}`,
      hash: [plain, cheap, strong, n % 8 === 3 ? '' : '!'][n % 4] ?? '',
      key: n % 5 === 0 ? 'old' : 'new',
    }));
    await db.run`
      insert into users (id, username, username_key, nickname_key, password_hash, created_at)
      select id, id, id, id, hash, ${NOW} from ${asTable(USERS, users)} as users where true`;
    await db.run`
      insert into push_subscriptions (id, user_id, endpoint, p256dh, auth, vapid_public, created_at, updated_at)
      select id, id, 'https://push.example', 'BA', 'AA', key, ${NOW}, ${NOW} from ${asTable(USERS, users)} as users`;
    for (const [peer, dueAt] of [
      ['user-2', NOW - 3_000],
      ['user-3', NOW - 1_000],
      ['user-4', NOW + 1],
    ] as const)
      await db.run`
        insert into push_jobs (subscription_id, peer_id, user_id, last_seq, due_at, leased, decided_at, log_id)
        values ('user-1', ${peer}, 'user-1', 1, ${dueAt}, 0, ${NOW}, '')`;

    for (const [id, decidedAt, act] of [
      ['1', null, null],
      ['2', NOW, 'dismiss'],
      ['3', NOW, null],
    ] as const)
      await db.run`
        insert into reports (id, reported_id, reason, at, decided_at, act)
        values (${id}, 'user-1', 'spam', ${NOW}, ${decidedAt}, ${act})`;
    for (const [peer, state] of [
      ['user-2', 'waiting'],
      ['user-3', 'declined'],
    ] as const)
      await db.run`
        insert into message_requests (user_id, peer_id, state, messages, at) values ('user-1', ${peer}, ${state}, 1, ${NOW})`;
    for (const userId of ['user-4', 'user-5'])
      await db.run`insert into deletions (user_id, asked_at, due_at) values (${userId}, 1, ${NOW + 1})`;

    const times = { readMs: 10, countMs: 10, pauseShare: 0 };
    await using stored = new StoredFigures(db, { now: () => NOW }, 5, times);
    await eventually(
      () =>
        stored.weakHashes !== null &&
        stored.subscriptions !== null &&
        stored.reports !== null &&
        stored.isUp === true,
    );
    assert.equal(stored.weakHashes, ROWS / 2);
    assert.deepEqual(Object.fromEntries(stored.subscriptions ?? []), { old: ROWS / 5, new: (ROWS * 4) / 5 });
    const none = { count: 0, oldestAt: null };
    assert.deepEqual(stored.backlog, { decide: none, send: { count: 2, oldestAt: NOW - 3_000 }, at: NOW });

    assert.deepEqual(stored.waiting, { reports: 1, messageRequests: 1, deletions: 2 });
    const reports = { 'spam open': 1, 'spam dismiss': 1, 'spam account_deleted': 1 };
    assert.deepEqual(Object.fromEntries(stored.reports ?? []), reports);

    await db[Symbol.asyncDispose]();
    await eventually(() => stored.isUp === false);
    assert.deepEqual([stored.backlog, stored.waiting], [null, null]);
    assert.equal(stored.weakHashes, ROWS / 2);
  });
});
