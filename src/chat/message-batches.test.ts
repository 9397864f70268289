import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { onEachDatabase, onPostgres, onSqlite, type TestDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import { openProxy } from '../../test/postgres-proxy.ts';
import { createUrl, makeFailing } from '../../test/postgres-rows.ts';
import type { Db, SchemaDb } from '../db/db.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { ServiceError } from '../errors.ts';
import { Events } from '../events/hints.ts';
import type { LogEvent } from '../events/log-events.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { blockUser } from '../relations/block-user.ts';
import { readHistory } from './history.ts';
import { MessageBatches } from './message-batches.ts';

const NAMES = ['alice', 'bob', 'carol'];

/** Adds users whose names are their ids, each with a session. */
async function addPeople(db: Db, names: readonly string[]): Promise<void> {
  for (const id of names) {
    await addUser(db, id, { id });
    await db.run`
      insert into sessions (id, user_id, device, created_at, used_at) values (${`of-${id}`}, ${id}, '', 1, 1)`;
  }
}

/** The machine's time, plus what the test adds. */
function createClock() {
  let addedMs = 0;
  return {
    monotonicMs: () => performance.now() + addedMs,
    add(ms: number) {
      addedMs += ms;
    },
  };
}

async function start(db: SchemaDb) {
  await addPeople(db, NAMES);
  const events = new Events();
  const published: [userId: string, event: LogEvent][] = [];
  events.subscribe((hint) => hint.type === 'inbox' && published.push([hint.userId, hint.event]));
  const clock = createClock();
  const batches = new MessageBatches({ db, events }, clock.monotonicMs);
  const send = (from: string, to: string, cid: string, body = cid) =>
    batches.send({ from, sessionId: `of-${from}`, to, cid, body, now: 1_000, pushAt: 1_000 });
  return { db, events, published, clock, send };
}

async function open(t: TestContext, database: TestDatabase) {
  return start(await database.open(t));
}

/** Makes the database refuse every message with the body `poison`, as a fault would. */
async function refusePoison(db: SchemaDb): Promise<void> {
  await db.changeSchema(async (tx) => {
    if (db.kind === 'sqlite')
      return tx.script(`create trigger poisoned before insert on messages when new.body = 'poison'
        begin select raise(abort, 'poisoned'); end`);
    await tx.script(`create function refuse_poison() returns trigger language plpgsql as $$
      begin raise exception 'poisoned'; end $$`);
    await tx.script(`create trigger poisoned before insert on messages
      for each row when (new.body = 'poison') execute function refuse_poison()`);
  });
}

onEachDatabase('messages in one batch', (database) => {
  test('the second of two equal cids gets the answer of the first', async (t) => {
    const { db, send } = await open(t, database);
    const [first, second, other, elsewhere] = await Promise.allSettled([
      send('alice', 'bob', 'c', 'hi'),
      send('alice', 'bob', 'c', 'hi'),
      send('alice', 'bob', 'c', 'ho'),
      send('alice', 'carol', 'c', 'hi'),
    ]);
    const stored = { peer: 'bob', n: 1, at: 1_000 };
    assert.deepEqual(first, { status: 'fulfilled', value: { ...stored, duplicate: false } });
    assert.deepEqual(second, { status: 'fulfilled', value: { ...stored, duplicate: true } });
    for (const result of [other, elsewhere])
      assert.equal(result?.status === 'rejected' && result.reason.word, 'cid_used');
    assert.equal((await readEvents(db, 'bob', 0, 10)).length, 1);
    assert.deepEqual(await readEvents(db, 'carol', 0, 10), []);
  });

  test('the second of two equal cids is stored when the first was refused', async (t) => {
    const { db, send } = await open(t, database);
    await blockUser({ db, events: new Events() }, 'bob', 'alice', 1);
    const [refused, stored] = await Promise.allSettled([
      send('alice', 'bob', 'c'),
      send('alice', 'carol', 'c'),
    ]);
    assert.equal(refused.status === 'rejected' && refused.reason.word, 'not_accepting');
    assert.deepEqual(stored, {
      status: 'fulfilled',
      value: { peer: 'carol', n: 1, at: 1_000, duplicate: false },
    });
  });

  test('both directions of a conversation share its numbers, and are counted as unread for their recipients', async (t) => {
    const { db, send, published } = await open(t, database);
    const sent = await Promise.all([
      send('alice', 'bob', '1'),
      send('bob', 'alice', '2'),
      send('alice', 'bob', '3'),
      send('carol', 'bob', '4'),
    ]);
    assert.deepEqual(
      sent.map(({ n }) => n),
      [1, 2, 3, 1],
    );
    const { items } = await readHistory(db, 'bob', { peer: 'alice' });
    assert.deepEqual(
      items.map(({ from, body }) => [from, body]),
      [
        ['alice', '1'],
        ['bob', '2'],
        ['alice', '3'],
      ],
    );
    assert.deepEqual(
      await db.all`select user_id, peer_id, n, unread from conversations order by user_id, peer_id`,
      [
        { user_id: 'alice', peer_id: 'bob', n: 3, unread: 1 },
        { user_id: 'bob', peer_id: 'alice', n: 3, unread: 2 },
        { user_id: 'bob', peer_id: 'carol', n: 1, unread: 1 },
        { user_id: 'carol', peer_id: 'bob', n: 1, unread: 0 },
      ],
    );
    assert.deepEqual(
      await db.all`
        select user_id, peer_id, first_seq, last_seq, count from push_pending order by user_id, peer_id`,
      [
        { user_id: 'alice', peer_id: 'bob', first_seq: 2, last_seq: 2, count: 1 },
        { user_id: 'bob', peer_id: 'alice', first_seq: 1, last_seq: 3, count: 2 },
        { user_id: 'bob', peer_id: 'carol', first_seq: 4, last_seq: 4, count: 1 },
      ],
    );
    // What was published is what the logs hold, in their order.
    for (const id of NAMES)
      assert.deepEqual(
        published.filter(([userId]) => userId === id).map(([, event]) => event),
        await readEvents(db, id, 0, 10),
      );
  });

  test('each is judged by itself: refusals do not touch the others', async (t) => {
    const { db, send, published } = await open(t, database);
    await blockUser({ db, events: new Events() }, 'carol', 'alice', 1);
    await db.run`insert into sessions (id, user_id, device, created_at, used_at) values ('x', 'bob', '', 1, 1)`;
    await db.run`delete from sessions where id = 'of-carol'`;
    const results = await Promise.allSettled([
      send('alice', 'carol', '1'),
      send('alice', 'alice', '2'),
      send('alice', 'unknown', '3'),
      send('carol', 'bob', '4'),
      send('alice', 'bob', '5'),
    ]);
    assert.deepEqual(
      results.map((one) => (one.status === 'rejected' ? one.reason.word : one.value.n)),
      ['not_accepting', 'message_self', 'user_not_found', 'unauthenticated', 1],
    );
    assert.deepEqual(
      published.map(([userId, { seq }]) => [userId, seq]),
      [
        ['alice', 1],
        ['bob', 1],
      ],
    );
  });

  test('one that the database refuses fails alone', async (t) => {
    const { db, send, published } = await open(t, database);
    await refusePoison(db);
    const results = await Promise.allSettled([
      send('alice', 'bob', '1'),
      send('bob', 'alice', '2', 'poison'),
      send('alice', 'bob', '3'),
      send('carol', 'bob', '4'),
    ]);
    assert.deepEqual(
      results.map((one) => (one.status === 'rejected' ? /poisoned/.test(one.reason.message) : one.value.n)),
      [1, true, 2, 1],
    );
    assert.deepEqual(
      published.map(([userId, { seq }]) => `${userId} ${seq}`),
      ['alice 1', 'bob 1', 'alice 2', 'bob 2', 'carol 1', 'bob 3'],
    );
    await send('bob', 'alice', '2', 'harmless');
  });

  test('a listener of events that throws fails the answer of its message alone', async (t) => {
    const { send, events } = await open(t, database);
    events.subscribe((hint) => {
      if (hint.type === 'inbox' && hint.userId === 'bob') throw new Error('a fault of a listener');
    });
    const results = await Promise.allSettled([send('alice', 'bob', '1'), send('alice', 'carol', '2')]);
    assert.deepEqual(
      results.map((one) => (one.status === 'rejected' ? one.reason.message : one.value.n)),
      ['a fault of a listener', 1],
    );
    assert.equal((await send('carol', 'alice', '3')).n, 2);
    assert.equal((await send('alice', 'bob', '1').catch((error) => error.message)).duplicate, true);
  });

  test('when 1,000 wait the next is refused, and the others are stored', async (t) => {
    const { db, send } = await open(t, database);
    const sent = Array.from({ length: 1_000 }, (_, i) => send('alice', 'bob', `${i}`));
    await assert.rejects(
      send('alice', 'bob', 'more'),
      (error) =>
        error instanceof ServiceError && error.kind === 'rate-limited' && error.word === 'overloaded',
    );
    const stored = await Promise.all(sent);
    assert.deepEqual(
      stored.map(({ n }) => n),
      Array.from({ length: 1_000 }, (_, i) => i + 1),
    );
    assert.deepEqual(await db.get`select seq from inbox_heads where user_id = 'bob'`, { seq: 1_000 });
  });

  test('any batch leaves what its messages leave one by one', async (t) => {
    const db = await database.open(t);
    const batches = new MessageBatches({ db, events: new Events() }, () => 0);
    const user = fc.integer({ min: 0, max: 2 });
    const message = fc.record({
      from: user,
      to: user,
      cid: fc.integer({ min: 0, max: 4 }),
      body: user,
      hour: user,
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), fc.option(user), async (messages, blocker) => {
        const outcomes = [];
        for (const isBatch of [true, false]) {
          const group = `g${++run}`;
          await addPeople(
            db,
            [0, 1, 2].map((i) => `${group}.${i}`),
          );
          if (blocker !== null)
            await blockUser(
              { db, events: new Events() },
              `${group}.${blocker}`,
              `${group}.${(blocker + 1) % 3}`,
              1,
            );
          const send = (one: (typeof messages)[number]) =>
            batches
              .send({
                from: `${group}.${one.from}`,
                sessionId: `of-${group}.${one.from}`,
                to: `${group}.${one.to}`,
                cid: `${one.cid}`,
                body: `${one.body}`,
                now: one.hour * 3_600_000,
                pushAt: one.hour * 3_600_000,
              })
              .catch((error) => error.word);
          const answers = [];
          if (isBatch) answers.push(...(await Promise.all(messages.map(send))));
          else for (const one of messages) answers.push(await send(one));
          const like = `${group}.%`;
          const left = await Promise.all([
            db.all`select low_id, high_id, n, sender_id, cid, body, at from messages where low_id like ${like} order by 1, 2, 3`,
            db.all`select user_id, seq, event, data from inbox where user_id like ${like} order by 1, 2`,
            db.all`select user_id, seq from inbox_heads where user_id like ${like} order by 1`,
            db.all<{ last_hour: number; hour: number }>`
              select user_id, peer_id, n, unread, last_at, last_hour, last_at / 3600000 as hour
              from conversations where user_id like ${like} order by 1, 2`,
            db.all`select user_id, peer_id, first_seq, last_seq, count, due_at from push_pending
              where user_id like ${like} order by 1, 2`,
          ]);
          assert.ok(left[3].every((side) => side.last_hour === side.hour));
          outcomes.push(JSON.parse(JSON.stringify({ answers, left }).replaceAll(`${group}.`, '')));
        }
        assert.deepEqual(outcomes[0], outcomes[1]);
      }),
      { numRuns: 30 },
    );
  });
});

onSqlite('a batch on SQLite', (database) => {
  test('has at most 64 messages, so that others are served in between', async (t) => {
    const db = await database.open(t);
    await addPeople(db, NAMES);
    const batches = new MessageBatches({ db, events: new Events() }, () => 0);
    let answered = 0;
    const counts = new Set<number>();
    const sent = Array.from({ length: 130 }, async (_, i) => {
      const message = {
        from: 'alice',
        sessionId: 'of-alice',
        to: 'bob',
        cid: `${i}`,
        body: 'hi',
        now: 1,
        pushAt: 1,
      };
      await batches.send(message);
      answered += 1;
    });
    while (answered < 130) {
      await db.run`update service set value = '' where name = 'none'`;
      counts.add(answered);
    }
    await Promise.all(sent);
    assert.deepEqual([...counts.difference(new Set([0]))], [64, 128, 130]);
    assert.deepEqual(
      (await readHistory(db, 'alice', { peer: 'bob', limit: 100 })).items.map(({ cid }) => Number(cid)),
      Array.from({ length: 100 }, (_, i) => i + 30),
    );
  });
});

onPostgres('a batch on PostgreSQL', (database) => {
  async function openWithProxy(t: TestContext) {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const db = await openPostgres({ url: proxy.url, poolSize: 1 });
    t.after(() => db[Symbol.asyncDispose]());
    return { ...(await start(db)), proxy, url };
  }

  test('takes two round trips, and no more statements the more messages it has', async (t) => {
    const { send, proxy } = await openWithProxy(t);
    const sendMany = async (count: number, prefix: string) => {
      const directions: string[] = [];
      let tags = 0;
      proxy.intercept((bytes, to) => {
        if (directions.at(-1) !== to) directions.push(to);
        if (to === 'client')
          tags += bytes.toString('latin1').match(/BEGIN|SELECT|INSERT|UPDATE|COMMIT/g)?.length ?? 0;
        return bytes;
      });
      await Promise.all(Array.from({ length: count }, (_, i) => send('alice', 'bob', `${prefix}${i}`)));
      return { directions, tags };
    };
    // The first ones prepare the statements, which takes round trips of their own.
    await sendMany(1, 'a');
    const one = await sendMany(1, 'b');
    assert.deepEqual(one.directions, ['server', 'client', 'server', 'client']);
    assert.equal((await sendMany(100, 'c')).tags, one.tags);
  });

  test('is refused as overload where no connection gets free while others are answered', async (t) => {
    const { db, send } = await openWithProxy(t);
    let isHeld = true;
    const long = db.transaction(async (tx) => {
      while (isHeld) await tx.get`select pg_sleep(0.02)`;
    });
    try {
      await assert.rejects(send('alice', 'bob', 'waits'), {
        name: 'ServiceError',
        kind: 'rate-limited',
        word: 'overloaded',
      });
    } finally {
      isHeld = false;
      await long;
    }
    await send('alice', 'bob', 'later');
  });

  test('does not wait for an inbox that is locked elsewhere, however many messages go there', async (t) => {
    const { db, send } = await open(t, database);
    const order: string[] = [];
    let popular: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.get`select seq from inbox_heads where user_id = 'bob' for update`;
      popular ??= Promise.all(
        Array.from({ length: 300 }, (_, i) => send('alice', 'bob', `${i}`).then(() => order.push('bob'))),
      );
      let isOver = false;
      void send('alice', 'carol', 'c')
        .then(() => send('carol', 'alice', 'd'))
        .then(() => order.push('carol'))
        .finally(() => {
          isOver = true;
        });
      while (!isOver) await tx.get`select 1 as one`;
    });
    await popular;
    assert.deepEqual([order.length, order[0]], [301, 'carol']);
    assert.deepEqual(
      (await readEvents(db, 'bob', 0, 400)).map(({ seq }) => seq),
      Array.from({ length: 300 }, (_, i) => i + 1),
    );
  });

  test('answers a repeat and refuses what needs no inbox while that of the recipient is locked', async (t) => {
    const { db, send } = await open(t, database);
    await send('alice', 'bob', 'c');
    await db.transaction(async (tx) => {
      await tx.get`select seq from inbox_heads where user_id = 'bob' for update`;
      let results: unknown[] | undefined;
      void Promise.allSettled([send('alice', 'bob', 'c'), send('alice', 'bob', 'c', 'other')]).then((all) => {
        results = all.map((one) => (one.status === 'fulfilled' ? one.value.duplicate : one.reason.word));
      });
      while (!results) await tx.get`select 1 as one`;
      assert.deepEqual(results, [true, 'cid_used']);
    });
  });

  test('refuses what waits for 3 s for an inbox, which is not stored', async (t) => {
    const { db, send, clock } = await open(t, database);
    let result: PromiseSettledResult<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.get`select seq from inbox_heads where user_id = 'bob' for update`;
      void Promise.allSettled([send('alice', 'bob', 'c')]).then(([settled]) => {
        result = settled;
      });
      while (!result) {
        clock.add(100);
        await tx.get`select 1 as one`;
      }
    });
    assert.equal(result?.status === 'rejected' && result.reason.word, 'overloaded');
    assert.deepEqual(await readEvents(db, 'bob', 0, 10), []);
    assert.equal((await send('alice', 'bob', 'c')).duplicate, false);
  });

  for (const [code, what] of [
    ['57014', 'a table that is locked'],
    ['53100', 'a server that takes no writes'],
  ] as const)
    test(`${what} fails those at once that have waited for 5 s`, async (t) => {
      const { db, send, clock } = await open(t, database);
      await makeFailing(db, code);
      await db.changeSchema(async (tx) => {
        await tx.script(`create function fail_message() returns trigger language plpgsql as $$
          begin perform fail(200); return new; end $$`);
        await tx.script(
          'create trigger fails before insert on messages for each row execute function fail_message()',
        );
      });
      const sent = Array.from({ length: 130 }, (_, i) => send('alice', 'bob', `${i}`));
      clock.add(5_001);
      const answers = await Promise.allSettled(sent);
      const errors = answers.map((one) => one.status === 'rejected' && (one.reason.code ?? one.reason.word));
      assert.deepEqual(errors, [...Array(128).fill(code), 'overloaded', 'overloaded']);
      assert.deepEqual(await db.get`select last_value as tries from tries`, { tries: 1 });
    });

  test('that is cut off at its commit leaves its answers open, and repeats resolve them', async (t) => {
    const { send, proxy, published } = await openWithProxy(t);
    const sendAll = () =>
      Promise.allSettled([send('alice', 'bob', '1'), send('bob', 'carol', '2'), send('carol', 'bob', '3')]);
    proxy.intercept((bytes, to) => (to === 'client' && bytes.includes('COMMIT') ? 'cut' : bytes));
    for (const result of await sendAll())
      assert.match(
        result.status === 'rejected' ? result.reason.message : '',
        /connection to the database is lost/,
      );
    assert.deepEqual(published, []);
    proxy.intercept((bytes) => bytes);
    assert.deepEqual(
      (await sendAll()).map((one) => one.status === 'fulfilled' && [one.value.n, one.value.duplicate]),
      [
        [1, true],
        [1, true],
        [2, true],
      ],
    );
  });

  test('that is cut off before its commit is not stored, and is stored at the next try', async (t) => {
    const { send, proxy, db } = await openWithProxy(t);
    await send('alice', 'bob', 'first');
    proxy.intercept((bytes, to) => (to === 'server' && bytes.includes('commit') ? 'cut' : bytes));
    await assert.rejects(send('alice', 'bob', 'second'), /connection to the database is lost/);
    proxy.intercept((bytes) => bytes);
    assert.deepEqual((await readEvents(db, 'bob', 0, 10)).length, 1);
    assert.deepEqual((await send('alice', 'bob', 'second')).duplicate, false);
  });

  test('two servers send into one inbox without gaps', async (t) => {
    const { send, url, db } = await openWithProxy(t);
    await using other = await openPostgres({ url });
    const batches = new MessageBatches({ db: other, events: new Events() }, () => performance.now());
    const sent = Array.from({ length: 200 }, (_, i) => [
      send('alice', 'bob', `${i}`),
      batches.send({
        from: 'carol',
        sessionId: 'of-carol',
        to: 'bob',
        cid: `${i}`,
        body: 'hi',
        now: 1,
        pushAt: 1,
      }),
    ]);
    await Promise.all(sent.flat());
    assert.deepEqual(
      (await readEvents(db, 'bob', 0, 500)).map(({ seq }) => seq),
      Array.from({ length: 400 }, (_, i) => i + 1),
    );
  });
});
