import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import type { Db } from '../db/db.ts';
import { appendEvents, lockInboxes } from './locked-inboxes.ts';
import { canResume, readEvents } from './stored-events.ts';

onEachDatabase('stored events', (database) => {
  /** Bob's conversations with Alice, whose id is less, and Carol, whose id is greater. */
  async function openThree(t: TestContext) {
    const db = await database.open(t);
    for (const id of ['alice', 'bob', 'carol']) await addUser(db, id, { id });
    const n: Record<string, number> = {};
    /** Stores a message as `sendMessage` does. @returns its event in Bob's log */
    const write = async (from: string, to: string, text?: string) => {
      const [low = '', high = ''] = [from, to].sort();
      const number = (n[low + high] ?? 0) + 1;
      n[low + high] = number;
      const [cid, body] = [`${low}${number}`, text ?? `from ${from} ${number}`];
      await db.transaction(async (tx) => {
        await tx.run`
          insert into messages (low_id, high_id, n, sender_id, cid, body, at)
          values (${low}, ${high}, ${number}, ${from}, ${cid}, ${body}, 1)`;
        const heads = await lockInboxes(tx, [from, to]);
        const eventOf = (userId: string, peer: string) => {
          const seq = (heads.get(userId) ?? 0) + 1;
          return {
            userId,
            event: { seq, at: 1, event: 'message', data: { peer, n: number, from, cid, body } },
          } as const;
        };
        appendEvents(tx, [eventOf(from, to), eventOf(to, from)]);
      });
      return { peer: from === 'bob' ? to : from, n: number, from, cid, body };
    };
    return { db, write };
  }

  /** Makes the event what earlier versions stored. */
  const giveText = (db: Db, seq: number, data: object) =>
    db.run`update inbox set data = ${JSON.stringify(data)} where user_id = 'bob' and seq = ${seq}`;

  test('the log holds no text of a message; what is read of the log holds it', async (t) => {
    const { db, write } = await openThree(t);
    const data = await write('alice', 'bob', '你好 👋 "hi"');
    const { body, ...stored } = data;
    const rows = await db.all<{ data: string }>`select data from inbox order by user_id`;
    assert.deepEqual(
      rows.map((row) => JSON.parse(row.data)),
      [{ ...stored, peer: 'bob' }, stored],
    );
    const event = { seq: 1, at: 1, event: 'message', data: { ...stored, body } };
    assert.deepEqual(await readEvents(db, 'bob', 0, 10), [event]);
  });

  test('5,000 events, with texts of earlier versions and without, are read in order, each with the text that messages holds', async (t) => {
    const { db, write } = await openThree(t);
    const expected: object[] = [];
    for (let i = 0; i < 25; i++) {
      const from = ['alice', 'bob', 'carol'][i % 3] ?? '';
      expected.push(await write(from, from === 'bob' ? (i % 2 ? 'alice' : 'carol') : 'bob'));
      if (i % 4 === 0) await giveText(db, i + 1, { ...expected[i], body: 'of an earlier version' });
    }
    await db.run`
      insert into inbox (user_id, seq, at, event, data)
      select 'bob', seq + 25 * n, at, event, data
      from inbox, (with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 199)
        select n from numbers) as copies
      where user_id = 'bob'`;
    const read = await readEvents(db, 'bob', 0, 5_000);
    assert.equal(read.length, 5_000);
    for (const [i, { seq, data }] of read.entries()) assert.deepEqual([seq, data], [i + 1, expected[i % 25]]);
    assert.deepEqual(
      (await readEvents(db, 'bob', 99, 3)).map((one) => one.seq),
      [100, 101, 102],
    );
  });

  test('an event whose message is missing counts as trimmed', async (t) => {
    const { db, write } = await openThree(t);
    for (let i = 0; i < 3; i++) await write('alice', 'bob');
    await db.run`delete from messages where n = 2`;
    assert.deepEqual(
      (await readEvents(db, 'bob', 0, 10)).map((one) => one.seq),
      [1, 3],
    );
    const resumes = await Promise.all([0, 1, 2].map((seq) => canResume(db, 'bob', seq, 3)));
    assert.deepEqual(resumes, [true, false, true]);
  });
});
