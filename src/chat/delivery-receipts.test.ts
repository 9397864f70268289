import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { onEachDatabase, onPostgres } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import { openProxy } from '../../test/postgres-proxy.ts';
import { createUrl } from '../../test/postgres-rows.ts';
import type { Db, SchemaDb } from '../db/db.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { Events } from '../events/hints.ts';
import type { LogEvent } from '../events/log-events.ts';
import { lockInboxes } from '../inbox/locked-inboxes.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { blockUser, unblockUser } from '../relations/block-user.ts';
import { DeliveryReceipts } from './delivery-receipts.ts';
import { MessageBatches } from './message-batches.ts';

async function start(db: SchemaDb, names: readonly string[]) {
  for (const id of names) {
    await addUser(db, id, { id });
    await db.run`
      insert into sessions (id, user_id, device, created_at, used_at) values (${`of-${id}`}, ${id}, '', 1, 1)`;
  }
  const events = new Events();
  const published: { userId: string; event: LogEvent }[] = [];
  events.subscribe((hint) => hint.type === 'inbox' && published.push(hint));
  const inboxes = { db, events };
  const receipts = new DeliveryReceipts(inboxes, () => 2_000);
  const batches = new MessageBatches(inboxes, () => performance.now());
  let cid = 0;
  /** Sends a message. @returns the number of its event in the recipient's log */
  const write = async (from: string, to: string): Promise<number> => {
    const message = {
      from,
      sessionId: `of-${from}`,
      to,
      cid: `c${++cid}`,
      body: 'hi',
      now: 1_000,
      pushAt: 1_000,
    };
    await batches.send(message);
    const own = published.find(
      ({ userId, event }) => userId === to && event.event === 'message' && event.data.cid === message.cid,
    );
    return own?.event.seq ?? assert.fail();
  };
  /** Up to which message of the peer the user has received, and up to which the peer may know that. */
  const marks = async (userId: string, peer: string) => {
    const row = await db.get<{ received: number; disclosed_received: number }>`
      select received, disclosed_received from conversations where user_id = ${userId} and peer_id = ${peer}`;
    return row && [row.received, row.disclosed_received];
  };
  const markedIn = async (userId: string) =>
    (await readEvents(db, userId, 0, 1_000)).filter((one) => one.event === 'marked').map((one) => one.data);
  return { db, inboxes, receipts, published, write, marks, markedIn };
}

const settledUpTo = async (db: Db, userId: string) =>
  (await db.get<{ received: number }>`select received from inbox_heads where user_id = ${userId}`)?.received;

/** Makes the database refuse every mark of `mallory`, as a fault would. @returns what ends that */
async function refuseMallory(db: SchemaDb): Promise<() => Promise<void>> {
  await db.changeSchema(async (tx) => {
    if (db.kind === 'sqlite')
      return tx.script(`create trigger poisoned before update on conversations when new.user_id = 'mallory'
        begin select raise(abort, 'poisoned'); end`);
    await tx.script(`create function refuse_mallory() returns trigger language plpgsql as $$
      begin raise exception 'poisoned'; end $$`);
    await tx.script(`create trigger poisoned before update on conversations
      for each row when (new.user_id = 'mallory') execute function refuse_mallory()`);
  });
  return () =>
    db.changeSchema((tx) =>
      tx.script(`drop trigger poisoned${db.kind === 'sqlite' ? '' : ' on conversations'}`),
    );
}

onEachDatabase('receipts in batches', (database) => {
  const open = async (t: TestContext, ...names: string[]) => start(await database.open(t), names);

  test('an event that a failover lost is not settled, and what was acknowledged before the epoch was renewed does not count', async (t) => {
    const { db, inboxes, receipts, write, marks } = await open(t, 'alice', 'bob');
    const seq = await write('bob', 'alice');
    receipts.note('alice', seq + 2);
    await receipts.flush();
    assert.equal(await settledUpTo(db, 'alice'), seq);
    const next = await write('bob', 'alice');
    assert.deepEqual(await marks('alice', 'bob'), [1, 1]);
    receipts.note('alice', next);
    inboxes.events.publish({ type: 'epoch-renewed' });
    await receipts.flush();
    assert.deepEqual(await marks('alice', 'bob'), [1, 1]);
    receipts.note('alice', next);
    await receipts.flush();
    assert.deepEqual(await marks('alice', 'bob'), [2, 2]);
  });

  test('each peer gets one event for many messages; both logs have no gaps, and events are published in their order', async (t) => {
    const { db, receipts, published, write, marks, markedIn } = await open(t, 'alice', 'bob', 'carol');
    for (let i = 0; i < 3; i++) await write('alice', 'bob');
    await write('carol', 'bob');
    receipts.note('alice', await write('bob', 'alice'));
    receipts.note('bob', 4);
    published.length = 0;
    await receipts.flush();
    assert.deepEqual(
      [await marks('bob', 'alice'), await marks('bob', 'carol'), await marks('alice', 'bob')],
      [
        [3, 3],
        [1, 1],
        [4, 4],
      ],
    );
    assert.deepEqual(await markedIn('carol'), [{ peer: 'bob', by: 'bob', received: 1, read: 0 }]);
    assert.deepEqual([await settledUpTo(db, 'bob'), await settledUpTo(db, 'alice')], [4, 4]);
    for (const userId of ['alice', 'bob', 'carol']) {
      const log = await readEvents(db, userId, 0, 100);
      assert.deepEqual(
        log.map(({ seq }) => seq),
        log.map((_, i) => i + 1),
      );
      const own = published.filter((one) => one.userId === userId).map(({ event }) => event);
      assert.deepEqual(own, log.slice(-own.length), userId);
    }
    published.length = 0;
    receipts.note('bob', 4);
    await receipts.flush();
    assert.deepEqual(published, []);
  });

  test('while one of the two blocks the other, the peer is not notified', async (t) => {
    const { inboxes, receipts, write, marks, markedIn } = await open(t, 'alice', 'bob', 'carol');
    const seqs = [await write('alice', 'bob'), await write('alice', 'carol')];
    await blockUser(inboxes, 'bob', 'alice', 1_500);
    await blockUser(inboxes, 'alice', 'carol', 1_500);
    receipts.note('bob', seqs[0] ?? 0);
    receipts.note('carol', seqs[1] ?? 0);
    await receipts.flush();
    assert.deepEqual(await markedIn('alice'), []);
    assert.deepEqual(await markedIn('bob'), [{ peer: 'alice', by: 'bob', received: 1, read: 0 }]);
    assert.deepEqual(
      [await marks('bob', 'alice'), await marks('carol', 'alice')],
      [
        [1, 0],
        [1, 0],
      ],
    );
    await unblockUser(inboxes, 'bob', 'alice', 1_600);
    receipts.note('bob', await write('alice', 'bob'));
    await receipts.flush();
    assert.deepEqual(await marks('bob', 'alice'), [2, 2]);
  });

  test('receipts that the database refuses fail alone, again and again, and are written once it takes them', async (t) => {
    const { db, receipts, write, marks } = await open(t, 'alice', 'bob', 'carol', 'mallory');
    const endRefusal = await refuseMallory(db);
    for (const to of ['bob', 'mallory', 'carol']) receipts.note(to, await write('alice', to));
    await assert.rejects(
      receipts.flush(),
      (error) => error instanceof AggregateError && error.errors.length === 1,
    );
    assert.deepEqual(
      [await marks('bob', 'alice'), await marks('carol', 'alice')],
      [
        [1, 1],
        [1, 1],
      ],
    );
    receipts.note('bob', await write('alice', 'bob'));
    await assert.rejects(receipts.flush(), AggregateError);
    assert.deepEqual([await marks('bob', 'alice'), await settledUpTo(db, 'mallory')], [[2, 2], 0]);
    await endRefusal();
    await receipts.flush();
    assert.deepEqual([await marks('mallory', 'alice'), await settledUpTo(db, 'mallory')], [[1, 1], 1]);
  });

  test('a listener that throws keeps no one from being settled, and the flush reports it', async (t) => {
    const { inboxes, receipts, published, write, marks } = await open(t, 'alice', 'bob', 'carol');
    for (const to of ['bob', 'carol']) receipts.note(to, await write('alice', to));
    published.length = 0;
    inboxes.events.subscribe((hint) => {
      if (hint.type === 'inbox' && hint.userId === 'bob') throw new TypeError('of a listener');
    });
    await assert.rejects(receipts.flush(), /could not be written/);
    assert.deepEqual(
      [await marks('bob', 'alice'), await marks('carol', 'alice')],
      [
        [1, 1],
        [1, 1],
      ],
    );
    assert.equal(published.length, 4);
    await receipts.flush();
  });

  test('more users than a batch has, and more peers than a transaction locks, are all settled', async (t) => {
    const crowd = Array.from({ length: 210 }, (_, i) => `user${1000 + i}`);
    const { db, receipts, published } = await open(t, 'alice', ...crowd);
    await db.transaction(async (tx) => {
      for (const [i, peer] of crowd.entries())
        for (const [userId, other, seq] of [
          ['alice', peer, i + 1],
          [peer, 'alice', 1],
        ] as const) {
          const from = i % 2 ? 'alice' : peer;
          await tx.run`insert into conversations (user_id, peer_id, n) values (${userId}, ${other}, 1)`;
          await tx.run`
            insert into inbox (user_id, seq, at, event, data)
            values (${userId}, ${seq}, 1, 'message', ${JSON.stringify({ peer: other, n: 1, from, cid: peer })})`;
          await tx.run`update inbox_heads set seq = ${seq} where user_id = ${userId}`;
        }
    });
    receipts.note('alice', crowd.length);
    for (const userId of crowd) receipts.note(userId, 1);
    await receipts.flush();
    const rows = await db.all<{
      count: number;
    }>`select count(*) as count from conversations where received = 1`;
    assert.equal(rows[0]?.count, crowd.length);
    assert.equal(published.length, 2 * crowd.length);
    const unsettled =
      await db.all`select user_id from inbox_heads where received <> seq and seq = 1 or received = 0`;
    assert.deepEqual(unsettled, []);
    assert.equal(await settledUpTo(db, 'alice'), crowd.length);
  });

  test('marks are the highest acknowledged numbers, whatever the order of messages, acknowledgements and flushes', async (t) => {
    const names = ['alice', 'bob', 'carol'];
    const person = fc.constantFrom(...names);
    const step = fc.oneof(
      fc.record({ act: fc.constant('write' as const), by: person, to: person }),
      fc.record({ act: fc.constant('ack' as const), by: person, back: fc.nat(4) }),
      fc.constant({ act: 'flush' as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const db = await database.open(t);
        const { receipts, write, marks } = await start(db, names);
        const heads = new Map<string, number>();
        const received: { by: string; peer: string; seq: number; n: number }[] = [];
        const acked = new Map<string, number>();
        const numbers = new Map<string, number>();
        const flushes: Promise<void>[] = [];
        for (const one of steps) {
          if (one.act === 'flush') flushes.push(receipts.flush());
          else if (one.act === 'ack') {
            const seq = Math.max(0, (heads.get(one.by) ?? 0) - one.back);
            receipts.note(one.by, seq);
            acked.set(one.by, Math.max(seq, acked.get(one.by) ?? 0));
          } else if (one.by !== one.to) {
            const seq = await write(one.by, one.to);
            const pair = [one.by, one.to].sort().join();
            const n = (numbers.get(pair) ?? 0) + 1;
            numbers.set(pair, n);
            heads.set(one.to, seq);
            received.push({ by: one.to, peer: one.by, seq, n });
          }
        }
        await Promise.all(flushes);
        await receipts.flush();
        // On PostgreSQL a flush leaves out inboxes that a message had locked.
        await receipts.flush();
        for (const by of names)
          for (const peer of names) {
            const own = received.filter(
              (one) => one.by === by && one.peer === peer && one.seq <= (acked.get(by) ?? 0),
            );
            const expected = Math.max(0, ...own.map(({ n }) => n));
            assert.deepEqual((await marks(by, peer)) ?? [0, 0], [expected, expected], `${by} ${peer}`);
          }
      }),
      { numRuns: database.kind === 'sqlite' ? 20 : 8 },
    );
  });
});

onPostgres('receipts beside other transactions', (database) => {
  test('users whose inbox is locked elsewhere hold up no one, and are settled by the next flush', async (t) => {
    const url = await createUrl(t, database);
    await using db = await openPostgres({ url });
    await using other = await openPostgres({ url });
    const { receipts, write, marks } = await start(db, ['alice', 'bob', 'carol', 'dave']);
    receipts.note('bob', await write('alice', 'bob'));
    receipts.note('carol', await write('alice', 'carol'));
    // Of the two peers of dave one is locked.
    await write('carol', 'dave');
    receipts.note('dave', await write('alice', 'dave'));
    const locked = Promise.withResolvers<void>();
    let isFree = false;
    const holding = other.transaction(async (tx) => {
      await lockInboxes(tx, ['carol']);
      locked.resolve();
      while (!isFree) await tx.get`select 1 as one`;
    });
    await locked.promise;
    await receipts.flush();
    const all = () =>
      Promise.all([
        marks('bob', 'alice'),
        marks('carol', 'alice'),
        marks('dave', 'carol'),
        marks('dave', 'alice'),
      ]);
    const before = await all();
    const settled = [await settledUpTo(db, 'bob'), await settledUpTo(db, 'dave')];
    isFree = true;
    await holding;
    assert.deepEqual(before, [
      [1, 1],
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
    assert.deepEqual(settled, [1, 0]);
    await receipts.flush();
    assert.deepEqual(await all(), [
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    assert.equal(await settledUpTo(db, 'dave'), 2);
  });

  test('the receipts of twenty users take four round trips', async (t) => {
    const proxy = await openProxy(t, await createUrl(t, database));
    await using db = await openPostgres({ url: proxy.url });
    const crowd = Array.from({ length: 20 }, (_, i) => `user${10 + i}`);
    const { receipts, write } = await start(db, ['alice', ...crowd]);
    const writeToAll = async () => {
      for (const userId of crowd) receipts.note(userId, await write('alice', userId));
    };
    // The first ones prepare the statements.
    for (let i = 0; i < 2; i++) {
      await writeToAll();
      await receipts.flush();
    }
    await writeToAll();
    proxy.packets.count = 0;
    await receipts.flush();
    assert.equal(proxy.packets.count, 4, 'heads, events, locks with marks and blocks, writes with commit');
  });
});
