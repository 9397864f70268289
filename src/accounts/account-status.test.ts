import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import type { SchemaDb, Tx } from '../db/db.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { beginAttempt, type QueuedMail, queueMail } from '../mail/mail-jobs.ts';
import { accountMails } from './account-mails.ts';
import { findUsersByNameOrId, restoreUser, suspendUser } from './account-status.ts';
import { insertUser } from './accounts.ts';
import { logActs } from './log/account-log.ts';
import { openMac } from './secrets.ts';
import { openSession } from './sessions.ts';

const now = 1_700_000_000_000;

async function addUser(db: SchemaDb, id: string, username: string): Promise<string> {
  await db.transaction((tx) => insertUser(tx, { id, username, password_hash: 'x', created_at: now }));
  return (await openSession(db, id, 'x', 'phone', now)) ?? '';
}

async function countSessions(db: SchemaDb, userId: string): Promise<number | undefined> {
  return (await db.get<{ n: number }>`select count(*) as n from sessions where user_id = ${userId}`)?.n;
}

onEachDatabase('account status', (database) => {
  test('suspending and deleting end all sessions of a user, and restoring reopens none', async (t) => {
    const db = await database.open(t);
    const sessions = [await addUser(db, 'a', 'alice'), (await openSession(db, 'a', 'x', 'desk', now)) ?? ''];
    await addUser(db, 'b', 'bob');

    assert.deepEqual((await db.transaction((tx) => suspendUser(tx, 'a'))).sort(), sessions.sort());
    assert.deepEqual(await db.transaction((tx) => suspendUser(tx, 'a')), []);
    assert.equal((await findUsersByNameOrId(db, 'a'))[0]?.status, 'suspended');
    assert.equal(await openSession(db, 'a', 'x', 'phone', now), undefined);
    await db.transaction((tx) => restoreUser(tx, 'a'));
    assert.equal((await findUsersByNameOrId(db, 'ALICE'))[0]?.status, 'active');
    assert.equal(await countSessions(db, 'a'), 0);

    const again = await openSession(db, 'a', 'x', 'phone', now);
    assert.deepEqual(await db.transaction((tx) => deleteUser(tx, 'a')), [again]);
    assert.equal((await findUsersByNameOrId(db, 'Alice'))[0]?.status, 'deleted');
    assert.equal(await countSessions(db, 'b'), 1);
  });

  test('a deleted user cannot be suspended, and an unknown id is refused', async (t) => {
    const db = await database.open(t);
    await addUser(db, 'a', 'alice');
    await db.transaction((tx) => deleteUser(tx, 'a'));
    const notFound = { name: 'ServiceError', kind: 'not-found', word: 'user_not_found' };
    await assert.rejects(
      db.transaction((tx) => suspendUser(tx, 'a')),
      notFound,
    );
    assert.equal((await findUsersByNameOrId(db, 'a'))[0]?.status, 'deleted');
    for (const act of [suspendUser, deleteUser, restoreUser])
      await assert.rejects(
        db.transaction<unknown>((tx) => act(tx, 'unknown')),
        notFound,
      );
    assert.deepEqual(await findUsersByNameOrId(db, 'unknown'), []);
  });

  test('no mail that is built and no session that ends meanwhile leaves a log entry of a deleted account', async (t) => {
    const db = await database.open(t);
    const { new_sign_in: build } = accountMails('https://chat.example.org', await openMac(db));
    const writers: Record<string, (tx: Tx, erase: () => Promise<void>) => Promise<unknown>> = {
      async mail(tx, erase) {
        const [job] = await tx.all<QueuedMail>`
          select id, kind, user_id as "userId", address, language, tries, due_at as "leaseUntil" from mail_jobs`;
        assert.ok(job && (await beginAttempt(tx, job)));
        await erase();
        assert.ok(await build(tx, { ...job, data: {} }, now));
      },
      async session(tx, erase) {
        await tx.run`delete from sessions where user_id = 'session'`;
        await erase();
        await logActs(tx, [{ userId: 'session', what: 'session_ended', at: now }]);
      },
    };
    for (const [id, write] of Object.entries(writers)) {
      await addUser(db, id, id);
      await queueMail(db, { kind: 'new_sign_in', dedup: id, userId: id, language: 'en' }, now);
      let erasing: Promise<unknown> | undefined;
      await db.transaction((tx) =>
        write(tx, async () => {
          erasing = db.transaction((other) => deleteUser(other, id));
          if (db.kind === 'postgres') await untilBlocked(tx);
        }),
      );
      await erasing;
      assert.deepEqual(await db.all`select what from account_log where user_id = ${id}`, [], id);
      assert.deepEqual(await db.all`select id from mail_jobs`, [], id);
    }
  });
});

/** Waits until another transaction of this database waits for a lock. */
async function untilBlocked(tx: Tx): Promise<void> {
  const blocked = () => tx.get`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  // Without this, a transaction sees its first reading of pg_stat_activity again.
  while (!(await blocked())) await tx.get`select pg_stat_clear_snapshot()`;
}
