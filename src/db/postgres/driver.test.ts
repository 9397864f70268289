import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onPostgres } from '../../../test/databases.ts';
import { eventually } from '../../../test/eventually.ts';
import { connectPostgres } from '../../../test/postgres-client.ts';
import { openProxy } from '../../../test/postgres-proxy.ts';
import { createUrl, namesOf, write } from '../../../test/postgres-rows.ts';
import { Connections } from './connections.ts';
import { openPostgres, START_MS } from './postgres.ts';
import { PostgresServers } from './servers.ts';

/** The message that ends a statement (PostgreSQL, 55.7). */
const SYNC = 'S\0\0\0\x04';
/** The message that runs a statement and asks for all of its rows. */
const EXECUTE = 'E\0\0\0\x09\0';

onPostgres('the PostgreSQL driver', (database) => {
  async function open(t: TestContext, poolSize: number, startMs = 0) {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const db = await openPostgres({ url: proxy.url, poolSize, startMs });
    t.after(() => db[Symbol.asyncDispose]());
    return { url, proxy, db };
  }

  test('reads of several callers share a packet, and the failure of one is its own', async (t) => {
    const { proxy, db } = await open(t, 1, START_MS);
    const divide = (by: number) => db.get`select 12 / cast(${by} as integer) as n`;
    await divide(1);
    let most = 0;
    proxy.intercept((bytes, to) => {
      if (to === 'server') most = Math.max(most, bytes.toString('latin1').split(EXECUTE).length - 1);
      return bytes;
    });
    const answers = await Promise.allSettled([1, 0, 3, 4].map(divide));
    assert.equal(most, 4, 'in one packet');
    assert.deepEqual(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.code)),
      [{ n: 12 }, '22012', { n: 4 }, { n: 3 }],
    );
  });

  test('a connection has 16 reads under way, 1,000 wait, and further ones are refused', async (t) => {
    const { proxy, db } = await open(t, 1, START_MS);
    const read = () => db.get`select 1 as one`;
    await read();
    const seen = { server: '', client: '' };
    const count = (text: string, message: string) => text.split(message).length - 1;
    let most = 0;
    proxy.intercept((bytes, to) => {
      seen[to] += bytes.toString('latin1');
      const executed = count(seen.server, EXECUTE);
      most = Math.max(most, executed - count(seen.client, 'Z\0\0\0\x05I'));
      return bytes;
    });
    const answers = await Promise.allSettled(Array.from({ length: 1_020 }, read));
    assert.equal(most, 16);
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.word] : []));
    assert.deepEqual(refused, ['overloaded', 'overloaded', 'overloaded', 'overloaded']);
  });

  test('a slow read holds up no later ones', async (t) => {
    const { url, db } = await open(t, 4);
    await using sql = await connectPostgres(url);
    let isSlow = true;
    const slow = assert.rejects(db.get`select pg_sleep(2.9)`, { code: '57014' }).then(() => {
      isSlow = false;
    });
    const running = `from pg_stat_activity where query like '%pg_sleep(%' and state = 'active'
      and datname = current_database() and pid <> pg_backend_pid() and clock_timestamp() - query_start > interval '50 ms'`;
    while ((await sql.rows(`select pid ${running}`)).length === 0);
    for (let n = 0; n < 5; n++) await Promise.all([1, 2, 3].map(() => db.get`select 1 as one`));
    assert.equal(isSlow, true);
    await sql.rows(`select pg_cancel_backend(pid) ${running}`);
    await slow;
  });

  for (const isPreparedTwice of [false, true])
    test(`a statement whose preparation failed with that of another caller is prepared again${isPreparedTwice ? ', also when both prepare it' : ''}`, async (t) => {
      const { proxy, db } = await open(t, 1);
      let sent = 0;
      proxy.intercept((bytes, to) => {
        if (to !== 'server') return bytes;
        const text = bytes.toString('latin1');
        sent++;
        if (sent === 1) return Buffer.from(text.replace('select name', 'select nope'), 'latin1');
        if (sent > 2 || !isPreparedTwice) return bytes;
        // As if the second caller had sent it before the third one's failure was read: the third one parses it again.
        assert.equal(text[0], 'P');
        const parse = text.slice(0, 1 + bytes.readInt32BE(1));
        const end = text.indexOf(SYNC) + SYNC.length;
        return Buffer.from(text.slice(0, end) + parse + text.slice(end), 'latin1');
      });
      const [first, ...others] = await Promise.allSettled([1, 2, 3].map(() => namesOf(db)));
      assert.equal(first?.status === 'rejected' && first.reason.code, '42703');
      assert.deepEqual(others, [
        { status: 'fulfilled', value: [] },
        { status: 'fulfilled', value: [] },
      ]);
    });

  test('a statement whose columns have changed runs again on another connection', async (t) => {
    const { url, db } = await open(t, 1);
    await write(db, 'a');
    const read = () => db.all`select value from service where name = 'a'`;
    const readInTransaction = () =>
      db.transaction((tx) => tx.all`select value from service where name = 'a'`);
    await Promise.all([read(), readInTransaction()]);
    await using sql = await connectPostgres(url);
    await sql.rows('alter table service alter column value type varchar');
    const others = [1, 2, 3].map(() => db.get`select 1 as one`);
    assert.deepEqual(await read(), [{ value: '' }]);
    assert.deepEqual(await readInTransaction(), [{ value: '' }]);
    assert.deepEqual(await Promise.all(others), [{ one: 1 }, { one: 1 }, { one: 1 }]);
  });

  test('a write that a connection refuses as read-only runs again on another one, twice at most', async (t) => {
    const { url, db } = await open(t, 1);
    await db.run`set default_transaction_read_only = on`;
    assert.equal(await write(db, 'a'), 1);
    await using sql = await connectPostgres(url);
    await sql.rows(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
    await db.run`set default_transaction_read_only = on`;
    await assert.rejects(write(db, 'b'), { code: '25006' });
    assert.deepEqual(await namesOf(db), ['a']);
  });

  test('a connection that a caller leaves inside a transaction is used by no other', async (t) => {
    const { url, db } = await open(t, 1);
    await db.run`begin`;
    await write(db, 'a');
    await using sql = await connectPostgres(url);
    assert.deepEqual(await sql.rows('select name from service'), [{ name: 'a' }]);
  });

  test('callers that wait while connections break in use get new ones, in their order', async (t) => {
    const { db } = await open(t, 1);
    const order: string[] = [];
    const store = (name: string) =>
      db.transaction(async (tx) => {
        order.push(name);
        await write(tx, name);
        if (name.startsWith('dies')) await tx.get`select pg_terminate_backend(pg_backend_pid())`;
      });
    const names = ['dies 1', 'kept 1', 'dies 2', 'dies 3', 'kept 2'];
    const results = await Promise.allSettled(names.map(store));
    assert.deepEqual(order, names);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await namesOf(db), ['kept 1', 'kept 2']);
  });

  test('an attempt to connect that hangs keeps no caller from another one', async (t) => {
    const { proxy, db } = await open(t, 1);
    proxy.packets.count = 0;
    proxy.intercept(() => Buffer.alloc(0));
    const store = write(db, 'a');
    await eventually(() => proxy.packets.count > 0);
    proxy.intercept((bytes) => bytes);
    assert.equal(await store, 1);
    assert.deepEqual(
      db.figures().pools.map(({ open }) => open),
      [0, 1, 1],
    );
  });

  test('attempts to connect that hang are twice as many as the connections at most', async (t) => {
    const { proxy, db } = await open(t, 1);
    proxy.packets.count = 0;
    proxy.intercept(() => Buffer.alloc(0));
    // They begin after 0, 1 and 2 s.
    await assert.rejects(write(db, 'a'), /no connection to the database within 2.5 s/);
    assert.equal(proxy.packets.count, 2);
  });

  test('a read waits for a connection that a caller has for itself', async (t) => {
    const { url } = await open(t, 1);
    const connections = new Connections(new PostgresServers(url), 1);
    const reading = await connections.use(async (connection) => {
      await connection.query('begin');
      await connection.query(`insert into service (name, value) values ('uncommitted', '')`);
      const read = connections.query('select name from service', []);
      await connection.query('select 1');
      await connection.query('rollback');
      return { read };
    });
    assert.deepEqual((await reading.read).rows, []);
    await connections.close();
  });

  test('a closed database ends what runs and waits, and then refuses calls', async (t) => {
    const { db } = await open(t, 1);
    const calls = [
      ...['a', 'b', 'c'].map((name) => db.transaction((tx) => write(tx, name))),
      ...['d', 'e'].map((name) => write(db, name)),
      ...Array.from({ length: 20 }, () => db.get`select 1 as one`),
    ];
    await db[Symbol.asyncDispose]();
    const results = await Promise.allSettled(calls);
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['fulfilled']));
    const later = [() => write(db, 'f'), () => db.transaction((tx) => write(tx, 'f')), () => namesOf(db)];
    for (const call of later) await assert.rejects(call, /the database is closed/);
  });

  test('a change of a table that is in use lets other readers pass, and is tried again', async (t) => {
    const { url, db } = await open(t, 1);
    await using reader = await connectPostgres(url);
    await reader.rows('begin; select name from service');
    const order: string[] = [];
    const change = db
      .changeSchema((tx) => tx.script('alter table service add column added bigint'))
      .then(() => order.push('changed'));
    const waiting = `select 1 from pg_locks where relation = 'service'::regclass and not granted`;
    while ((await reader.rows(waiting)).length === 0);
    order.push(`read ${(await namesOf(db)).length}`);
    await reader.rows('commit');
    await change;
    assert.deepEqual(order, ['read 0', 'changed']);
    assert.deepEqual(await db.all`select added from service`, []);
  });

  for (const way of ['transaction', 'twoFlights'] as const) {
    const store = (db: Awaited<ReturnType<typeof open>>['db'], name: string) =>
      way === 'transaction'
        ? db.transaction((tx) => write(tx, name))
        : db.twoFlights(
            async () => {},
            (tx) => write(tx, name),
          );

    test(`${way}: an answer to commit that is no COMMIT is an error`, async (t) => {
      const { proxy, db } = await open(t, 1);
      const commit = 'C\0\0\0\x0bCOMMIT\0';
      proxy.intercept((bytes, to) => {
        if (to === 'server') return bytes;
        return Buffer.from(bytes.toString('latin1').replace(commit, 'C\0\0\0\x0dROLLBACK\0'), 'latin1');
      });
      await assert.rejects(store(db, 'a'), /PostgreSQL answered ROLLBACK to commit/);
    });

    test(`${way}: a warning at commit is an error`, async (t) => {
      const { db } = await open(t, 1);
      await db.changeSchema(async (tx) => {
        await tx.script(`create function warn() returns trigger language plpgsql as $$
          begin raise warning 'might not have been replicated'; return null; end $$`);
        await tx.script(`create constraint trigger warns after insert on service
          deferrable initially deferred for each row execute function warn()`);
      });
      await assert.rejects(store(db, 'a'), /PostgreSQL warned at commit: might not have been replicated/);
      await assert.rejects(store(db, 'b'), /PostgreSQL warned at commit/);
      assert.deepEqual(await namesOf(db), ['a', 'b']);
    });
  }
});
