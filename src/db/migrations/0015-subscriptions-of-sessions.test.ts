import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import { openSession } from '../../accounts/sessions.ts';
import { saveSubscription } from '../../push/subscriptions/subscriptions.ts';
import type { SchemaTx } from '../db.ts';
import { migrate } from '../migrate.ts';

const START = 1_760_000_000_000;

/** Makes the table as version 0014 has it. */
async function undo(tx: SchemaTx, kind: 'sqlite' | 'postgres'): Promise<void> {
  const text = kind === 'sqlite' ? 'text' : 'text collate "C"';
  for (const statement of [
    kind === 'sqlite'
      ? 'drop trigger push_subscriptions_removed'
      : 'drop function note_removed_subscription cascade',
    `alter table push_subscriptions add column plain ${text}`,
    'update push_subscriptions set plain = session_id',
    'drop index push_subscriptions_by_session',
    'alter table push_subscriptions drop column session_id',
    'alter table push_subscriptions rename column plain to session_id',
    'create index push_subscriptions_by_session on push_subscriptions (session_id)',
  ])
    await tx.script(statement);
  await tx.run`delete from migrations where name = '0015-subscriptions-of-sessions'`;
}

onEachDatabase('0015-subscriptions-of-sessions', (database) => {
  test('keeps subscriptions with their queued pushes, and removes those of sessions that are gone', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const save = async (name: string, sessionId: string | null) =>
      saveSubscription(db, {
        userId: bob,
        subscription: { endpoint: `https://push.example/${name}`, keys: { p256dh: 'BA', auth: 'AA' } },
        sessionId,
        vapidPublic: 'key',
        device: 'Browser',
        language: 'en',
        now: START,
      });
    const session = (await openSession(db, bob, '!', '', START)) ?? '';
    await save('confirmed', session);
    await save('unconfirmed', null);
    await db.run`
      insert into push_jobs (subscription_id, peer_id, user_id, last_seq, due_at, leased, decided_at, log_id)
      select id, ${alice}, ${bob}, 7, ${START}, 0, ${START}, '' from push_subscriptions`;
    await db.run`
      insert into push_pending (user_id, peer_id, first_seq, last_seq, count, due_at)
      values (${bob}, ${alice}, 7, 8, 2, ${START})`;
    const read = () =>
      Promise.all([
        db.all`select * from push_jobs order by subscription_id`,
        db.all`select * from push_pending`,
        db.all`select id, endpoint, session_id from push_subscriptions order by id`,
      ]);
    const before = await read();
    assert.deepEqual(
      before.map((rows) => rows.length),
      [2, 1, 2],
    );
    await db.changeSchema(async (tx) => {
      await undo(tx, db.kind);
      await tx.run`
        insert into push_subscriptions (
          id, user_id, endpoint, p256dh, auth, session_id, vapid_public, user_agent, created_at, updated_at)
        values ('orphan', ${bob}, 'https://push.example/orphan', 'BA', 'AA', 'gone', 'key', '', ${START}, ${START})`;
    });
    await migrate(db);
    assert.deepEqual(await read(), before);

    await db.run`delete from sessions where id = ${session}`;
    const left = await db.all`
      select endpoint from push_subscriptions where id in (select subscription_id from push_jobs)`;
    assert.deepEqual(left, [{ endpoint: 'https://push.example/unconfirmed' }]);
    const removed = await db.all`select user_id from push_last_confirmed`;
    assert.deepEqual(removed, [{ user_id: bob }]);
  });
});
