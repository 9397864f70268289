import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onPostgres } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { countLockWaits, lockElsewhere } from '../../test/locked-inbox.ts';
import { addUser } from '../../test/people.ts';
import { connectPostgres } from '../../test/postgres-client.ts';
import { openProxy } from '../../test/postgres-proxy.ts';
import { createUrl } from '../../test/postgres-rows.ts';
import type { Db } from '../db/db.ts';
import { skipLocked } from '../db/fragments.ts';
import { isTimeout } from '../db/postgres/errors.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { ServiceError } from '../errors.ts';
import { Events } from '../events/hints.ts';
import { readHead } from '../inbox/inbox.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { blockUser, unblockUser } from '../relations/block-user.ts';
import { changeFriendship, openFriendLimits } from '../relations/friends.ts';
import { FRIEND_ACTIONS } from '../relations/schemas.ts';
import { DeliveryReceipts } from './delivery-receipts.ts';
import { markRead } from './marks.ts';
import { MessageBatches } from './message-batches.ts';
import { type Line, storeMessages } from './store-messages.ts';

async function addPeople(db: Db, names: readonly string[]): Promise<void> {
  for (const id of names) {
    await addUser(db, id, { id });
    await db.run`
      insert into sessions (id, user_id, device, created_at, used_at) values (${`of-${id}`}, ${id}, '', 1, 1)`;
  }
}

/** Moves on with each look at it, but never so far that a message has waited for too long. */
function createClock() {
  let ms = 0;
  return {
    monotonicMs: () => ms,
    moveOn() {
      ms = Math.min(ms + 20, 2_000);
    },
  };
}

onPostgres('a message whose inbox is locked', (database) => {
  async function open(t: TestContext, names: readonly string[]) {
    const databaseUrl = await createUrl(t, database);
    const db = await openPostgres({ url: databaseUrl });
    t.after(() => db[Symbol.asyncDispose]());
    await addPeople(db, names);
    const clock = createClock();
    const batches = new MessageBatches({ db, events: new Events() }, clock.monotonicMs);
    const send = (from: string, to: string, cid = 'c') =>
      batches.send({ from, sessionId: `of-${from}`, to, cid, body: 'hi', now: 1_000, pushAt: 1_000 });
    const storeInLine = (senders: readonly string[], to: string, line: Line) => {
      const messages = senders.map((from) => ({
        from,
        sessionId: `of-${from}`,
        to,
        cid: 'c',
        body: 'hi',
        now: 1,
        pushAt: 1,
      }));
      return storeMessages(db, messages, line);
    };
    const countWaits = () => {
      clock.moveOn();
      return countLockWaits({ databaseUrl });
    };
    const lock = (id: string) => lockElsewhere({ databaseUrl }, id);
    return { db, lock, countWaits, send, storeInLine };
  }

  test('is stored as soon as the lock ends, though others take it over and over', async (t) => {
    const { db, lock, countWaits, send } = await open(t, ['alice', 'bob', 'carol']);
    let holder = await lock('bob');
    let isStored = false;
    const sent = Promise.all([send('alice', 'bob'), send('carol', 'bob')]);
    sent.then(
      () => (isStored = true),
      () => {},
    );
    // Each holder ends once the next one waits, behind the messages. On a slow machine they wait more than once.
    for (let holders = 0; holders < 20 && !isStored; holders++) {
      await eventually(async () => isStored || (await countWaits()) === 1);
      const next = lock('bob');
      await eventually(async () => isStored || (await countWaits()) === 2);
      await holder[Symbol.asyncDispose]();
      holder = await next;
    }
    assert.deepEqual(await db.all`select sender_id from messages order by sender_id`, [
      { sender_id: 'alice' },
      { sender_id: 'carol' },
    ]);
    assert.deepEqual(
      (await readEvents(db, 'bob', 0, 10)).map(({ seq }) => seq),
      [1, 2],
    );
    await sent;
    await holder[Symbol.asyncDispose]();
  });

  test('holds up no messages of others, and of four such inboxes three are waited for at once', async (t) => {
    const recipients = ['a1', 'a2', 'a3', 'a4'];
    const { db, lock, countWaits, send } = await open(t, [...recipients, 's1', 's2', 's3', 's4', 'x', 'y']);
    const holders = await Promise.all(recipients.map(lock));
    const sent = Promise.allSettled(recipients.map((id, i) => send(`s${i + 1}`, id)));
    await eventually(async () => (await countWaits()) === 3);
    for (let i = 0; i < 20; i++) {
      await send('x', 'y', `${i}`);
      assert.ok((await countWaits()) <= 3);
    }
    const used = db.figures().pools?.find(({ name }) => name === 'transactions')?.used ?? assert.fail();
    assert.ok(used <= 4, `${used} connections`);
    for (const holder of holders) await holder[Symbol.asyncDispose]();
    assert.deepEqual(
      (await sent).map(({ status }) => status),
      Array(4).fill('fulfilled'),
    );
  });

  test('holds no inbox of its sender while it waits for one that stays locked', async (t) => {
    const { db, lock, countWaits, send } = await open(t, ['alice', 'bob', 'carol']);
    const holder = await lock('bob');
    const order: string[] = [];
    const sent = send('alice', 'bob').finally(() => order.push('bob'));
    await eventually(async () => {
      await countWaits();
      // One statement, as the message waits for a second at a time.
      const [free] = await db.all<{ waits: number }>`
        select (select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock') as waits
        from inbox_heads where user_id = 'alice' ${skipLocked}`;
      return free?.waits === 1;
    });
    await Promise.all([send('carol', 'alice'), send('alice', 'carol', 'd')]);
    order.push('carol');
    await holder[Symbol.asyncDispose]();
    await sent;
    assert.deepEqual(order, ['carol', 'bob']);
  });

  test('waits for no other inbox once it has got that one, and is then held by its sender alone', async (t) => {
    const { lock, storeInLine } = await open(t, ['alice', 'bob', 'carol']);
    await using _ofCarol = await lock('carol');
    const verdicts = await storeInLine(['alice', 'carol'], 'bob', { inbox: 'bob', waitMs: 3_000 });
    assert.deepEqual(
      verdicts.map((verdict) => ('accepted' in verdict ? 'accepted' : verdict)),
      ['accepted', { heldBy: 'carol' }],
    );
  });

  test('is held by the inbox that it has waited for in vain, also by that of its sender', async (t) => {
    const { lock, storeInLine } = await open(t, ['alice', 'bob']);
    await using _ofAlice = await lock('alice');
    const verdicts = await storeInLine(['alice'], 'bob', { inbox: 'alice', waitMs: 20 });
    assert.deepEqual(verdicts, [{ heldBy: 'alice' }]);
  });

  test('counts among the 1,000 that may wait, until it is stored', async (t) => {
    const { lock, countWaits, send } = await open(t, ['alice', 'bob', 'carol']);
    const holder = await lock('bob');
    const sendMany = (count: number, from: string, to: string, prefix: string) =>
      Promise.allSettled(Array.from({ length: count }, (_, i) => send(from, to, `${prefix}${i}`)));
    const countRefused = (results: PromiseSettledResult<unknown>[]) =>
      results.filter((one) => one.status === 'rejected' && one.reason.word === 'overloaded').length;
    const inLine = sendMany(128, 'alice', 'bob', 'a');
    await eventually(async () => (await countWaits()) === 1);
    const others = sendMany(1_000, 'carol', 'alice', 'b');
    await holder[Symbol.asyncDispose]();
    assert.equal(countRefused(await inLine), 0);
    assert.ok(countRefused(await others) > 0);
    assert.equal(countRefused(await sendMany(1_000, 'carol', 'alice', 'c')), 0);
  });
});

onPostgres('messages, marks, friend actions, blocks and receipts in all directions at once', (database) => {
  test('none waits for another in a circle, and no log has a gap', async (t) => {
    const names = ['a', 'b', 'c', 'd'];
    const url = await createUrl(t, database);
    await using sql = await connectPostgres(url);
    // Shorter than any wait, so that a circle is noticed before a wait in it ends by itself.
    await sql.rows(`alter database ${new URL(url).pathname.slice(1)} set deadlock_timeout = '20ms'`);
    const proxy = await openProxy(t, url);
    const seen = { deadlocks: 0, inLine: 0 };
    proxy.intercept((bytes, to) => {
      if (to === 'client' && bytes.includes('40P01')) seen.deadlocks += 1;
      if (to === 'server' && bytes.includes('set local statement_timeout =')) seen.inLine += 1;
      return bytes;
    });
    const openNode = async () => {
      const db = await openPostgres({ url: proxy.url });
      t.after(() => db[Symbol.asyncDispose]());
      const inboxes = { db, events: new Events() };
      // A hundred milliseconds of this clock are five of the machine's, so that many messages wait in line.
      const batches = new MessageBatches(inboxes, () => performance.now() * 20);
      let hours = 0;
      const friendLimits = openFriendLimits(() => ++hours * 3_600_000);
      const receipts = new DeliveryReceipts(inboxes, () => 2_000);
      inboxes.events.subscribe((hint) => {
        if (hint.type === 'inbox') receipts.note(hint.userId, hint.event.seq);
      });
      return { db, inboxes, batches, friendLimits, receipts };
    };
    const nodes = [await openNode(), await openNode()];
    const { db } = nodes[0] ?? assert.fail();
    await addPeople(db, names);
    const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => ({ from, to })));
    const refusals: string[] = [];
    const unlessRefused = (error: unknown) => {
      if (error instanceof ServiceError) refusals.push(error.word);
      // On a slow machine one of them waits for 3 s.
      else if (!isTimeout(error)) throw error;
    };
    const rounds = pairs.flatMap(({ from, to }, i) => {
      const { inboxes, batches, friendLimits, receipts } = nodes[i % 2] ?? assert.fail();
      const caller = { userId: from, sessionId: `of-${from}` };
      const action = FRIEND_ACTIONS[i % FRIEND_ACTIONS.length] ?? 'request';
      const send = (round: number) =>
        batches.send({
          from,
          sessionId: `of-${from}`,
          to,
          cid: `${to} ${round}`,
          body: 'hi',
          now: 1,
          pushAt: 1,
        });
      const others = [
        () => markRead(inboxes, caller, { peer: to, read: 1_000_000 }, 1),
        (round: number) =>
          changeFriendship({ ...inboxes, friendLimits }, caller, round % 2 ? action : 'request', to, 1),
        (round: number) => i % 5 === 0 && (round % 2 ? unblockUser : blockUser)(inboxes, from, to, 1),
        () => i % 6 === 0 && receipts.flush(),
      ];
      return [[send], others].map(async (acts) => {
        for (let round = 0; round < 20; round++)
          for (const act of acts) await Promise.resolve(act(round)).catch(unlessRefused);
      });
    });
    await Promise.all(rounds);
    assert.equal(seen.deadlocks, 0);
    assert.ok(seen.inLine > 0, 'some messages waited in line');
    assert.ok(!refusals.includes('unauthenticated') && !refusals.includes('user_not_found'));
    for (const id of names) {
      const events = await readEvents(db, id, 0, 10_000);
      assert.deepEqual(
        events.map(({ seq }) => seq),
        Array.from({ length: await readHead(db, id) }, (_, i) => i + 1),
      );
    }
  });
});
