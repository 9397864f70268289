import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import { endSession, openSession } from '../../accounts/sessions.ts';
import type { Queries } from '../../db/db.ts';
import { Events } from '../../events/hints.ts';
import { lockInboxes } from '../../inbox/locked-inboxes.ts';
import { listSubscriptions, saveSubscription } from '../subscriptions/subscriptions.ts';
import { decideDue } from './decide.ts';
import { enqueuePushes } from './pending.ts';

const START = 1_760_000_000_000;

/** Two transactions interleave here, which the single writer of SQLite does not allow. */
onPostgres('push beside concurrent transactions', (database) => {
  async function start(t: Parameters<typeof database.open>[0]) {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const session = (await openSession(db, bob, '!', '', START)) ?? '';
    const save = (sessionId: string | null) =>
      saveSubscription(db, {
        userId: bob,
        subscription: { endpoint: 'https://push.example/a', keys: { p256dh: 'BA', auth: 'AA' } },
        sessionId,
        vapidPublic: 'key',
        device: 'Browser',
        language: 'en',
        now: START,
      });
    return { db, alice, bob, session, save };
  }

  test('a subscription saved while its session ends is removed with it', async (t) => {
    const { db, bob, session, save } = await start(t);
    await save(null);
    let saving: Promise<void> | undefined;
    let ending: Promise<void> | undefined;
    await db.transaction(async (tx) => {
      await tx.run`update push_subscriptions set id = id`;
      saving = save(session);
      await untilBlocked(tx, 1);
      let hasEnded = false;
      ending = endSession({ db, events: new Events() }, bob, session, START).then(() => {
        hasEnded = true;
      });
      await untilBlocked(tx, 2, () => hasEnded);
    });
    await Promise.all([saving, ending]);
    assert.deepEqual(await listSubscriptions(db, bob), []);
  });

  test('a device that is removed during the decision does not make it fail', async (t) => {
    const { db, alice, bob, session, save } = await start(t);
    await save(session);
    await db.transaction(async (tx) => {
      await lockInboxes(tx, [bob]);
      await enqueuePushes(tx, [{ userId: bob, peerId: alice, seq: 1, dueAt: START + 5_000 }]);
    });
    let deciding: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.run`delete from push_subscriptions where user_id = ${bob}`;
      deciding = decideDue(db, [{ userId: bob, peerId: alice }], START + 5_000);
      await untilBlocked(tx, 1);
    });
    await deciding;
    const log = await db.all<{ outcome: string }>`select outcome from push_log`;
    assert.deepEqual(log, [{ outcome: 'no_device' }]);
  });

  test('a message that arrives while the job before it finishes is pushed', async (t) => {
    const { db, alice, bob, session, save } = await start(t);
    await save(session);
    const decide = (now: number) => decideDue(db, [{ userId: bob, peerId: alice }], now);
    const enqueue = (seq: number, now: number) =>
      db.transaction(async (tx) => {
        await lockInboxes(tx, [bob]);
        await enqueuePushes(tx, [{ userId: bob, peerId: alice, seq, dueAt: now + 5_000 }]);
      });
    const jobs = () => db.all<{ last_seq: number }>`select last_seq from push_jobs`;
    await enqueue(1, START);
    await decide(START + 5_000);
    assert.deepEqual(await jobs(), [{ last_seq: 1 }]);
    await enqueue(2, START + 8_000);

    let deciding: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.run`delete from push_jobs where last_seq = 1`;
      deciding = decide(START + 13_000);
      await untilBlocked(tx, 1);
    });
    await deciding;
    assert.deepEqual(await jobs(), [{ last_seq: 2 }]);
  });
});

/** Waits until `count` transactions of this database wait for a lock, or `isOver` returns true. */
async function untilBlocked(tx: Queries, count: number, isOver = () => false): Promise<void> {
  for (;;) {
    // Without this, a transaction sees its first reading of pg_stat_activity again.
    await tx.get`select pg_stat_clear_snapshot()`;
    const row = await tx.get<{ n: number }>`
      select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if ((row?.n ?? 0) >= count || isOver()) return;
  }
}
