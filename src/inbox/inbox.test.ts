import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { insertUser } from '../accounts/accounts.ts';
import type { Db } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { ServiceError } from '../errors.ts';
import { Events } from '../events/hints.ts';
import { type Inboxes, readHead, withInboxes } from './inbox.ts';
import { canResume, readEvents } from './stored-events.ts';
import { trimInboxes } from './trim.ts';

/** Data of a `sessions` event, where a test needs any event. */
const NONE = { ended: [] };

onEachDatabase('inboxes', (database) => {
  async function openWith(
    t: Parameters<typeof database.open>[0],
    ...ids: string[]
  ): Promise<Inboxes & { published: string[] }> {
    const db = await database.open(t);
    await db.transaction(async (tx) => {
      for (const id of ids) await insertUser(tx, { id, username: id, password_hash: '', created_at: 1 });
    });
    const events = new Events();
    const published: string[] = [];
    events.subscribe((event) => {
      published.push(event.type === 'inbox' ? `${event.userId} ${event.event.seq}` : event.type);
    });
    return { db, events, published };
  }

  const appendOne = (inboxes: Inboxes, userId: string, now = 1) =>
    withInboxes(inboxes, [userId], now, (_tx, append) => append(userId, 'sessions', NONE));
  const seqs = async (db: Db, userId: string) =>
    (await readEvents(db, userId, 0, 10_000)).map((one) => one.seq);

  test('a hundred parallel events are numbered without gaps, and each is published', async (t) => {
    const inboxes = await openWith(t, 'alice');
    await Promise.all(Array.from({ length: 100 }, () => appendOne(inboxes, 'alice')));
    const expected = Array.from({ length: 100 }, (_, i) => i + 1);
    assert.deepEqual(await seqs(inboxes.db, 'alice'), expected);
    assert.deepEqual(inboxes.published.toSorted(), expected.map((seq) => `alice ${seq}`).toSorted());
  });

  test('a body that appends nothing, or fails, leaves no gap', async (t) => {
    const inboxes = await openWith(t, 'alice', 'bob');
    assert.equal(await withInboxes(inboxes, ['alice'], 1, async () => 'looked'), 'looked');
    const failing = withInboxes(inboxes, ['alice', 'bob'], 1, async (_tx, append) => {
      await append('alice', 'sessions', NONE);
      throw new ServiceError('forbidden', 'no', 'no');
    });
    await assert.rejects(failing, (error) => error instanceof ServiceError && error.word === 'no');
    await appendOne(inboxes, 'alice');
    assert.deepEqual([await seqs(inboxes.db, 'alice'), await readHead(inboxes.db, 'bob')], [[1], 0]);
    assert.deepEqual(inboxes.published, ['alice 1']);
  });

  test('hints and events are published after the commit, in the order of the calls, and not at all if nothing is committed', async (t) => {
    const inboxes = await openWith(t, 'alice');
    const hint = { type: 'user-changed', userId: 'alice' } as const;
    const failing = withInboxes(inboxes, ['alice'], 1, async (_tx, append) => {
      append.publish(hint);
      await append('alice', 'sessions', NONE);
      throw new ServiceError('forbidden', 'no', 'no');
    });
    await assert.rejects(failing);
    assert.deepEqual(inboxes.published, []);
    await withInboxes(inboxes, ['alice'], 1, async (_tx, append) => {
      append.publish(hint);
      await append('alice', 'sessions', NONE);
      append.publish({ type: 'external-change' });
      assert.deepEqual(inboxes.published, []);
    });
    assert.deepEqual(inboxes.published, ['user-changed', 'alice 1', 'external-change']);
    await withInboxes(inboxes, ['alice'], 1, async (_tx, append) => append.publish(hint));
    assert.deepEqual(inboxes.published.slice(3), ['user-changed'], 'also without an event');
  });

  test('an unknown user has no inbox, and only locked inboxes get events', async (t) => {
    const inboxes = await openWith(t, 'alice', 'bob');
    await assert.rejects(
      appendOne(inboxes, 'unknown'),
      (error) => error instanceof ServiceError && error.kind === 'not-found',
    );
    await assert.rejects(
      withInboxes(inboxes, ['alice'], 1, (_tx, append) => append('bob', 'sessions', NONE)),
      /not locked/,
    );
    await withInboxes(inboxes, ['alice', 'bob'], 1, async (_tx, append) => {
      await append('alice', 'sessions', NONE);
      await append('alice', 'unblock', { userId: 'bob' });
    });
    await appendOne(inboxes, 'bob');
    assert.deepEqual([await seqs(inboxes.db, 'alice'), await seqs(inboxes.db, 'bob')], [[1, 2], [1]]);
  });

  test('an unknown user wins over the result or refusal of the body, and nothing is stored', async (t) => {
    const inboxes = await openWith(t, 'alice');
    const refusal = new ServiceError('forbidden', 'no', 'no');
    for (const refused of [undefined, refusal])
      await assert.rejects(
        withInboxes(inboxes, ['alice', 'unknown'], 1, async (tx) => {
          await tx.get`select seq from inbox_heads where user_id = 'alice'`;
          if (refused) throw refused;
          return 'looked';
        }),
        (error) => error instanceof ServiceError && error.word === 'user_not_found',
      );
    await appendOne(inboxes, 'alice');
    assert.deepEqual(await seqs(inboxes.db, 'alice'), [1]);
  });

  test('two writers that lock the same inboxes in opposite order do not deadlock', async (t) => {
    const inboxes = await openWith(t, 'alice', 'bob');
    const both = (first: string, second: string) =>
      withInboxes(inboxes, [first, second], 1, async (_tx, append) => {
        await append(first, 'sessions', NONE);
        await append(second, 'sessions', NONE);
      });
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 ? both('alice', 'bob') : both('bob', 'alice'))),
    );
    assert.deepEqual([await readHead(inboxes.db, 'alice'), await readHead(inboxes.db, 'bob')], [40, 40]);
  });

  test('events that are seven days old or more than 5,000 events back are trimmed, and a device before them cannot resume', async (t) => {
    const inboxes = await openWith(t, 'alice', 'bob', 'carol');
    const day = 24 * 60 * 60 * 1000;
    await appendOne(inboxes, 'alice', 1 * day);
    await appendOne(inboxes, 'alice', 5 * day);
    await appendOne(inboxes, 'carol', 1 * day);
    await inboxes.db.transaction(async (tx) => {
      await tx.run`update inbox_heads set seq = 5003 where user_id = 'bob'`;
      for (let seq = 1; seq <= 5003; seq++)
        await tx.run`insert into inbox (user_id, seq, at, event, data) values ('bob', ${seq}, ${5 * day}, 'profile', '{}')`;
    });
    await trimInboxes(inboxes.db, 9 * day);
    assert.deepEqual(await seqs(inboxes.db, 'alice'), [2]);
    assert.deepEqual((await seqs(inboxes.db, 'bob')).slice(0, 1), [4]);
    const resumes = (userId: string, seq: number, head: number) => canResume(inboxes.db, userId, seq, head);
    assert.deepEqual(
      await Promise.all([
        resumes('bob', 2, 5003),
        resumes('bob', 3, 5003),
        resumes('bob', 5003, 5003),
        resumes('bob', 5004, 5003),
      ]),
      [false, true, true, false],
    );
    assert.deepEqual(await Promise.all([resumes('carol', 0, 1), resumes('carol', 1, 1)]), [false, true]);
  });

  test('a trimmed log has no gaps, even if the clock was set back between its events', async (t) => {
    const inboxes = await openWith(t, 'alice', 'bob');
    const day = 24 * 60 * 60 * 1000;
    for (const at of [1, 6, 1, 6]) await appendOne(inboxes, 'alice', at * day);
    // While the clock was a year ahead, and after.
    for (const at of [365, 1, 365, 1, 6]) await appendOne(inboxes, 'bob', at * day);
    await trimInboxes(inboxes.db, 9 * day);
    assert.deepEqual(await seqs(inboxes.db, 'alice'), [4]);
    assert.deepEqual(await seqs(inboxes.db, 'bob'), [5]);
  });

  test('all old events of all users are trimmed, and no other', async (t) => {
    const ids = Array.from({ length: 230 }, (_, i) => `user${1000 + i}`);
    const { db } = await openWith(t, ...ids);
    const day = 24 * 60 * 60 * 1000;
    const olds = [0, 1, 20, 21, 399];
    const oldOf = (id: string) => olds[Number(id.slice(4)) % 5] ?? 0;
    await db.transaction(async (tx) => {
      for (const old of olds) {
        const those = inList(ids.filter((id) => oldOf(id) === old));
        await tx.run`update inbox_heads set seq = ${old + 2} where user_id in ${those}`;
        await tx.run`
          insert into inbox (user_id, seq, at, event, data)
          with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${old + 2})
          select user_id, n, case when n <= ${old} then 1 else 8 end * ${day}, 'profile', '{}'
          from inbox_heads, numbers where user_id in ${those}`;
      }
    });
    await trimInboxes(db, 9 * day);
    const kept = await db.all<{ user_id: string; first: number; count: number }>`
      select user_id, min(seq) as first, count(*) as count from inbox group by user_id order by user_id`;
    assert.deepEqual(
      kept.map(({ user_id, first, count }) => [user_id, first, count]),
      ids.map((id) => [id, oldOf(id) + 1, 2]),
    );
  });

  test('a long log is trimmed in batches, and other writes run in between', async (t) => {
    const inboxes = await openWith(t, 'alice', 'bob');
    await inboxes.db.transaction(async (tx) => {
      for (let seq = 1; seq <= 1000; seq++)
        await tx.run`insert into inbox (user_id, seq, at, event, data) values ('alice', ${seq}, 1, 'profile', '{}')`;
    });
    const trimming = trimInboxes(inboxes.db, 9 * 24 * 60 * 60 * 1000);
    const leftWhenServed = inboxes.db.transaction(async (tx) => {
      await tx.run`update inbox_heads set seq = seq where user_id = 'bob'`;
      return (await tx.get<{ n: number }>`select count(*) as n from inbox`)?.n;
    });
    // PostgreSQL runs the two on separate connections, in any order.
    if (database.kind === 'sqlite') assert(((await leftWhenServed) ?? 0) > 0);
    await leftWhenServed;
    await trimming;
    assert.deepEqual(await seqs(inboxes.db, 'alice'), []);
  });
});
