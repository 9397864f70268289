import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import { endSession, openSession } from '../../accounts/sessions.ts';
import type { Queries } from '../../db/db.ts';
import { Events } from '../../events/hints.ts';
import { holdInbox } from '../../inbox/inbox.ts';
import { listSubscriptions, saveSubscription } from '../subscriptions/subscriptions.ts';
import { notePushDue } from './due.ts';
import { judgeDue } from './judge.ts';

const START = 1_760_000_000_000;

/** What two transactions do to each other between their statements, which one writer for all (SQLite) cannot show. */
onPostgres('push beside others', (database) => {
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
        now: START,
      });
    return { db, alice, bob, session, save };
  }

  test('a subscription that is saved while its session ends goes with it', async (t) => {
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

  test('a device that goes while its push is decided keeps no other from being told', async (t) => {
    const { db, alice, bob, session, save } = await start(t);
    await save(session);
    await db.transaction(async (tx) => {
      await holdInbox(tx, bob);
      await notePushDue(tx, { userId: bob, peerId: alice, seq: 1, now: START });
    });
    let judging: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.run`delete from push_subscriptions where user_id = ${bob}`;
      judging = judgeDue(db, [{ userId: bob, peerId: alice }], new Map(), {
        claim: false,
        now: START + 5_000,
      });
      await untilBlocked(tx, 1);
    });
    await judging;
    const log = await db.all<{ outcome: string }>`select outcome from push_log`;
    assert.deepEqual(log, [{ outcome: 'no_device' }]);
  });

  test('a message that comes while the push before it is closed is told', async (t) => {
    const { db, alice, bob, session, save } = await start(t);
    await save(session);
    const judge = (now: number) =>
      judgeDue(db, [{ userId: bob, peerId: alice }], new Map(), { claim: false, now });
    const note = (seq: number, now: number) =>
      db.transaction(async (tx) => {
        await holdInbox(tx, bob);
        await notePushDue(tx, { userId: bob, peerId: alice, seq, now });
      });
    const jobs = () => db.all<{ last_seq: number }>`select last_seq from push_jobs`;
    await note(1, START);
    await judge(START + 5_000);
    assert.deepEqual(await jobs(), [{ last_seq: 1 }]);
    await note(2, START + 8_000);

    let judging: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.run`delete from push_jobs where last_seq = 1`;
      judging = judge(START + 13_000);
      await untilBlocked(tx, 1);
    });
    await judging;
    assert.deepEqual(await jobs(), [{ last_seq: 2 }]);
  });
});

/** Until so many transactions of this database wait for a lock, or `isOver` says that they will not. */
async function untilBlocked(tx: Queries, count: number, isOver = () => false): Promise<void> {
  for (;;) {
    // Otherwise what was seen first is all that is seen.
    await tx.get`select pg_stat_clear_snapshot()`;
    const row = await tx.get<{ n: number }>`
      select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if ((row?.n ?? 0) >= count || isOver()) return;
  }
}
