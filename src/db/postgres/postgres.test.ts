import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres, type TestDatabase } from '../../../test/databases.ts';
import { eventually } from '../../../test/eventually.ts';
import { connectPostgres } from '../../../test/postgres-client.ts';
import { startCluster } from '../../../test/postgres-cluster.ts';
import { openProxy } from '../../../test/postgres-proxy.ts';
import { createUrl, makeFailing, namesOf, write } from '../../../test/postgres-rows.ts';
import { ServiceError } from '../../errors.ts';
import type { Queries, Tx } from '../db.ts';
import { openPostgres } from './postgres.ts';

const overload = new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试', {
  retryAfterSeconds: 1,
});

onPostgres('a PostgreSQL database', register, { concurrency: true });

function register(database: TestDatabase): void {
  for (const code of ['40001', '40P01']) {
    test(`a body that PostgreSQL ends with ${code} runs again, twice at most`, async (t) => {
      const db = await database.open(t);
      await makeFailing(db, code);
      let runs = 0;
      const body = async (tx: Tx) => {
        runs += 1;
        await write(tx, `run ${runs}`);
        await tx.get`select fail(2)`;
        return runs;
      };
      assert.equal(await db.transaction(body), 3);
      assert.deepEqual(await namesOf(db), ['run 3']);
      await db.run`select setval('tries', 1, false)`;
      runs = 0;
      await assert.rejects(
        db.transaction(async (tx) => {
          runs += 1;
          await tx.get`select fail(3)`;
        }),
        { code },
      );
      assert.equal(runs, 3);
    });
  }

  test('a body that PostgreSQL ends with another error does not run again', async (t) => {
    const db = await database.open(t);
    await makeFailing(db, '23514');
    let runs = 0;
    const body = async (tx: Tx) => {
      runs += 1;
      await tx.get`select fail(1)`;
    };
    await assert.rejects(db.transaction(body), { code: '23514' });
    assert.equal(runs, 1);
  });

  test('two bodies that lock the same rows in opposite order both succeed', async (t) => {
    const db = await database.open(t);
    await write(db, 'a');
    await write(db, 'b');
    let runs = 0;
    const locked = new Set<string>();
    const lock = (first: string, second: string) =>
      db.transaction(async (tx) => {
        runs += 1;
        await tx.run`update service set value = value || 'x' where name = ${first}`;
        locked.add(first);
        while (locked.size < 2) await tx.get`select pg_sleep(0.01)`;
        await tx.run`update service set value = value || 'x' where name = ${second}`;
      });
    await Promise.all([lock('a', 'b'), lock('b', 'a')]);
    // PostgreSQL ends one of the two, or both.
    assert.ok(runs >= 3, `${runs} runs`);
    assert.deepEqual(await db.all`select value from service`, [{ value: 'xx' }, { value: 'xx' }]);
  });

  test('statements of one Promise.all are sent together', async (t) => {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const db = await openPostgres({ url: proxy.url });
    t.after(() => db[Symbol.asyncDispose]());
    const body = (tx: Tx) =>
      Promise.all(['a', 'b', 'c', 'd'].map((name) => tx.get`select ${name}::text as name`));
    // The first run prepares the statement, which takes a packet of its own.
    await db.transaction(body);
    proxy.packets.count = 0;
    assert.deepEqual(await db.transaction(body), [
      { name: 'a' },
      { name: 'b' },
      { name: 'c' },
      { name: 'd' },
    ]);
    assert.equal(proxy.packets.count, 3, 'begin, the body, commit');
  });

  test('a caller that waits too long for a connection is refused as overload while others are answered; reads do not wait for transactions', async (t) => {
    const url = await createUrl(t, database);
    const db = await openPostgres({ url, poolSize: 1 });
    t.after(() => db[Symbol.asyncDispose]());
    let isHeld = true;
    const long = db.transaction(async (tx) => {
      while (isHeld) await tx.get`select pg_sleep(0.02)`;
    });
    try {
      const waits = db.transaction((tx) => write(tx, 'waits')).catch((error: unknown) => error);
      assert.deepEqual(await namesOf(db), []);
      assert.deepEqual(await waits, overload);
    } finally {
      isHeld = false;
      await long;
    }
    await db.transaction((tx) => write(tx, 'later'));
    assert.deepEqual(await namesOf(db), ['later']);
  });

  test('a full pool of each kind refuses as overload what it cannot serve in time, and serves the rest', async (t) => {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const db = await openPostgres({ url: proxy.url, poolSize: 1 });
    t.after(() => db[Symbol.asyncDispose]());
    const { twoFlights } = db;
    assert.ok(twoFlights);
    type Kind = [name: string, calls: number, call: () => Promise<unknown>];
    const look = (tx: Queries) => tx.get`select 1 as one`;
    /** Kinds of one round use different connections. */
    const rounds: Kind[][] = [
      [
        ['transactions', 40, () => db.transaction(look)],
        ['single writes', 60, () => write(db, crypto.randomUUID())],
        ['reads', 700, () => look(db)],
      ],
      [
        ['two flights', 40, () => twoFlights.call(db, look, (tx) => void write(tx, crypto.randomUUID()))],
        ['snapshots', 40, () => db.snapshot(look)],
      ],
    ];
    for (const [, , call] of rounds.flat()) await call();
    proxy.slow(100);
    for (const kinds of rounds)
      await Promise.all(
        kinds.map(async ([kind, calls, call]) => {
          const answers = await Promise.allSettled(Array.from({ length: calls }, call));
          const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
          assert.ok(refused.length > 0 && refused.length < calls, `${refused.length} of ${calls} ${kind}`);
          for (const error of refused) assert.deepEqual(error, overload, kind);
        }),
      );
  });

  test('a start waits for its first connections, says so, and then has one in each pool', async (t) => {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    await proxy.cut();
    const logged: string[] = [];
    const record = (_: object, message: string) => logged.push(message);
    const log = { info: record, warn: record };
    const opening = openPostgres({ url: proxy.url, log, startMs: 30_000 });
    const waiting = `waiting for a first connection to the database at ${new URL(proxy.url).host}${new URL(url).pathname}`;
    await eventually(() => logged.length === 2);
    assert.deepEqual(logged, ['the database cannot be reached', waiting]);
    await proxy.restore();
    await using db = await opening;
    assert.deepEqual(
      db.figures().pools.map(({ name, open }) => [name, open]),
      [
        ['transactions', 1],
        ['writes', 1],
        ['reads', 1],
      ],
    );
  });

  test('a start also waits for the first connection of its pools, where the server has none to spare', async (t) => {
    const admin = await createUrl(t, database);
    const url = new URL(admin);
    url.username = `narrow_${url.pathname.slice(1)}`;
    const role = url.username;
    await using sql = await connectPostgres(admin);
    await sql.rows(`create role ${role} login connection limit 1`);
    t.after(async () => {
      await using again = await connectPostgres(admin);
      await again.rows(`drop role ${role}`);
    });
    const logged: string[] = [];
    const record = (_: object, message: string) => logged.push(message);
    const opening = openPostgres({ url: url.href, log: { info: record, warn: record }, startMs: 30_000 });
    await eventually(() => logged.some((message) => message.startsWith('waiting for a first connection')));
    await sql.rows(`alter role ${role} connection limit -1`);
    await using db = await opening;
    assert.deepEqual(
      db.figures().pools.map(({ open }) => open),
      [1, 1, 1],
    );
  });

  test('a start that the server refuses does not wait', async (t) => {
    const url = new URL(await createUrl(t, database));
    url.username = 'unknown';
    const logged: string[] = [];
    const record = (_: object, message: string) => logged.push(message);
    await assert.rejects(
      openPostgres({ url: url.href, log: { info: record, warn: record }, startMs: 30_000 }),
      /role "unknown" does not exist/,
    );
    assert.deepEqual(logged, ['the database cannot be reached']);
  });

  test('a statement, and a wait for a lock, ends after 3 s', async (t) => {
    const db = await database.open(t);
    await write(db, 'a');
    const held = Promise.withResolvers<void>();
    let isRefused = false;
    const holds = db.transaction(async (tx) => {
      await tx.run`update service set value = 'held' where name = 'a'`;
      held.resolve();
      while (!isRefused) await tx.get`select pg_sleep(0.02)`;
    });
    await held.promise;
    await Promise.all([
      assert.rejects(db.get`select pg_sleep(10)`, { code: '57014' }),
      assert
        .rejects(db.run`update service set value = 'b' where name = 'a'`, { code: /55P03|57014/ })
        .then(() => {
          isRefused = true;
        }),
      holds,
    ]);
    assert.deepEqual(await db.all`select value from service`, [{ value: 'held' }]);
  });

  test('a connection that ends during a transaction affects no other', async (t) => {
    const url = await createUrl(t, database);
    const db = await openPostgres({ url, poolSize: 1 });
    t.after(() => db[Symbol.asyncDispose]());
    for (let n = 0; n < 3; n++) {
      const dies = db.transaction(async (tx) => {
        await write(tx, 'lost');
        await tx.get`select pg_terminate_backend(pg_backend_pid())`.catch(() => {});
        await write(tx, 'outside of any transaction');
      });
      await assert.rejects(dies, /the connection to the database is lost/);
      await db.transaction((tx) => write(tx, `kept ${n}`));
    }
    assert.deepEqual(await namesOf(db), ['kept 0', 'kept 1', 'kept 2']);
  });

  test('a database without durable commits, or with another isolation level, is refused', async (t) => {
    const url = await createUrl(t, database);
    await assert.rejects(openPostgres({ url: `${url}?synchronous_commit=off` }), {
      message: 'PostgreSQL keeps commit at "off"; it must be "on"',
    });
    await assert.rejects(openPostgres({ url: `${url}?default_transaction_isolation=serializable` }), {
      message: 'PostgreSQL keeps isolation at "serializable"; it must be "read committed"',
    });
  });

  test('while a server is silent or away each call fails in time; afterwards it is used again', async (t) => {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const logged: string[] = [];
    const record = (_: object, message: string) => logged.push(message);
    const db = await openPostgres({ url: proxy.url, poolSize: 1, log: { info: record, warn: record } });
    t.after(() => db[Symbol.asyncDispose]());
    await write(db, 'before');

    proxy.hold();
    await Promise.all([
      assert.rejects(
        namesOf(db),
        /lost: the database does not answer|no connection to the database within 2\.5 s/,
      ),
      assert.rejects(
        write(db, 'silent'),
        /lost: the database does not answer|no connection to the database within 2\.5 s/,
      ),
      assert.rejects(
        db.transaction((tx) => write(tx, 'silent')),
        /lost: the database does not answer|no connection to the database within 2\.5 s/,
      ),
    ]);

    await proxy.cut();
    await Promise.all([
      assert.rejects(namesOf(db), { message: 'no connection to the database within 2.5 s' }),
      assert.rejects(
        db.transaction((tx) => write(tx, 'away')),
        { message: 'no connection to the database within 2.5 s' },
      ),
    ]);

    await proxy.restore();
    await write(db, 'after');
    await db.transaction((tx) => write(tx, 'also after'));
    assert.deepEqual(
      (await namesOf(db)).filter((name) => name !== 'silent'),
      ['after', 'also after', 'before'],
    );
    assert.deepEqual(logged, ['the database cannot be reached', 'the database can be reached again']);
  });

  test('a server that is killed and restarted keeps every answered write', async (t) => {
    const cluster = await startCluster();
    t.after(() => cluster.stop());
    const url = cluster.url.replace(/postgres$/, 'doorman_template');
    const db = await openPostgres({ url });
    t.after(() => db[Symbol.asyncDispose]());
    const answered: string[] = [];
    let running = true;
    const senders = Array.from({ length: 8 }, async (_, sender) => {
      for (let n = 0; running; n++) {
        const name = `${sender}/${n}`;
        await db
          .transaction((tx) => write(tx, name))
          .then(
            () => answered.push(name),
            // A write that failed was not answered, so it may be lost.
            () => {},
          );
      }
    });
    while (answered.length < 200) await db.get`select 1 as one`;
    await cluster.restart();
    const before = answered.length;
    while (answered.length < before + 200) await db.get`select 1 as one`.catch(() => {});
    running = false;
    await Promise.all(senders);
    const names = new Set(await namesOf(db));
    for (const name of answered) assert.ok(names.has(name), name);
  });
}
