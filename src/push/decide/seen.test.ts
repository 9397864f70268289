import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, onPostgres } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import { openProxy } from '../../../test/postgres-proxy.ts';
import { createUrl } from '../../../test/postgres-rows.ts';
import type { SchemaDb } from '../../db/db.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { lockInboxes } from '../../inbox/locked-inboxes.ts';
import { enqueuePushes } from './pending.ts';
import { markPushesSeen } from './seen.ts';

async function start(db: SchemaDb, ...names: string[]) {
  for (const id of ['alice', 'dave', ...names]) await addUser(db, id, { id });
  const enqueue = (userId: string, peerId: string, seq: number) =>
    enqueuePushes(db, [{ userId, peerId, seq, dueAt: 1 }]);
  const saw = (userId: string, seq: number) => ({ userId, seq, device: `of ${userId}` });
  const pending = async () =>
    (
      await db.all<{ pair: string }>`
        select user_id || ' ' || peer_id as pair from push_pending order by user_id, peer_id`
    ).map(({ pair }) => pair);
  return { enqueue, saw, pending };
}

onEachDatabase('pushes about messages that were seen', (database) => {
  test('are cancelled for many users at once, up to what each acknowledged; the log has one entry a minute', async (t) => {
    const db = await database.open(t);
    const { enqueue, saw, pending } = await start(db, 'bob', 'carol');
    await enqueue('bob', 'alice', 1);
    await enqueue('bob', 'dave', 3);
    await enqueue('carol', 'alice', 7);
    await markPushesSeen(db, [saw('bob', 2), saw('carol', 7), saw('alice', 5)], 1_000);
    assert.deepEqual(await pending(), ['bob dave']);
    await enqueue('bob', 'alice', 4);
    await markPushesSeen(db, [saw('bob', 4)], 2_000);
    assert.deepEqual(await pending(), []);
    const entries = await db.all<object>`
      select user_id, peer_id, at, outcome, detail from push_log order by user_id, peer_id`;
    assert.deepEqual(entries, [
      { user_id: 'bob', peer_id: 'alice', at: 1_000, outcome: 'seen', detail: 'of bob' },
      { user_id: 'bob', peer_id: 'dave', at: 2_000, outcome: 'seen', detail: 'of bob' },
      { user_id: 'carol', peer_id: 'alice', at: 1_000, outcome: 'seen', detail: 'of carol' },
    ]);
  });

  test('of one user cannot keep those of others from being cancelled', async (t) => {
    const db = await database.open(t);
    const { enqueue, saw, pending } = await start(db, 'bob', 'carol', 'mallory');
    await db.changeSchema(async (tx) => {
      if (db.kind === 'sqlite')
        return tx.script(`create trigger poisoned before delete on push_pending when old.user_id = 'mallory'
          begin select raise(abort, 'poisoned'); end`);
      await tx.script(`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'poisoned'; end $$`);
      await tx.script(`create trigger poisoned before delete on push_pending
        for each row when (old.user_id = 'mallory') execute function refuse()`);
    });
    const names = ['bob', 'mallory', 'carol'];
    for (const name of names) await enqueue(name, 'alice', 1);
    await assert.rejects(
      markPushesSeen(
        db,
        names.map((name) => saw(name, 1)),
        1,
      ),
      /could not be written/,
    );
    assert.deepEqual(await pending(), ['mallory alice']);
  });
});

onPostgres('pushes about messages that were seen, beside other transactions', (database) => {
  test('are cancelled when the call returns, also where an inbox was locked; the others do not wait for it', async (t) => {
    const url = await createUrl(t, database);
    await using db = await openPostgres({ url });
    await using other = await openPostgres({ url });
    const { enqueue, saw, pending } = await start(db, 'bob', 'carol');
    for (const name of ['bob', 'carol']) await enqueue(name, 'alice', 1);
    const locked = Promise.withResolvers<void>();
    let isFree = false;
    const holding = other.transaction(async (tx) => {
      await lockInboxes(tx, ['bob']);
      locked.resolve();
      while (!isFree) await tx.get`select 1 as one`;
    });
    await locked.promise;
    const marking = markPushesSeen(db, [saw('bob', 1), saw('carol', 1)], 1);
    while ((await pending()).length === 2);
    assert.deepEqual(await pending(), ['bob alice']);
    isFree = true;
    await Promise.all([holding, marking]);
    assert.deepEqual(await pending(), []);
  });

  test('are looked for in one round trip where there are none', async (t) => {
    const proxy = await openProxy(t, await createUrl(t, database));
    await using db = await openPostgres({ url: proxy.url });
    const { saw } = await start(db, 'bob');
    const seen = [saw('bob', 1), saw('alice', 1)];
    await markPushesSeen(db, seen, 1);
    proxy.packets.count = 0;
    await markPushesSeen(db, seen, 1);
    assert.equal(proxy.packets.count, 1);
  });
});
