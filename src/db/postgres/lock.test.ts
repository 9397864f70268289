import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onPostgres } from '../../../test/databases.ts';
import { connectPostgres, type PostgresClient } from '../../../test/postgres-client.ts';
import { openProxy } from '../../../test/postgres-proxy.ts';
import { createUrl, write } from '../../../test/postgres-rows.ts';
import { PostgresLock } from './lock.ts';
import { openPostgres } from './postgres.ts';

/** A connection to the database that is not one of Doorman's. */
async function openClient(t: TestContext, url: string, name = 'test'): Promise<PostgresClient> {
  const sql = await connectPostgres(url, { application_name: name });
  t.after(() => sql[Symbol.asyncDispose]());
  return sql;
}

function keepLog() {
  const messages: string[] = [];
  const keep = (_: object, message: string) => messages.push(message);
  return { messages, log: { info: keep, warn: keep } };
}

const isLockHeld = `locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())`;

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
}

onPostgres('the lock of a server', (database) => {
  test('a second server waits for the first', async (t) => {
    const url = await createUrl(t, database);
    const { messages, log } = keepLog();
    const first = await PostgresLock.take({ url, log });
    assert.deepEqual(messages, []);
    const order: string[] = [];
    const waiting = PostgresLock.take({ url, log }).then((lock) => {
      order.push('the second has it');
      return lock;
    });
    await until(() => messages.length > 0);
    order.push('the first ends');
    await first[Symbol.asyncDispose]();
    await using _second = await waiting;
    assert.deepEqual(order, ['the first ends', 'the second has it']);
    assert.deepEqual(messages, ['another server uses the database; waiting until it ends']);
  });

  test('a lost lock is taken again; running transactions end, and nothing is written without the lock', async (t) => {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const { messages, log } = keepLog();
    await using lock = await PostgresLock.take({ url: proxy.url, log });
    await using db = await openPostgres({ url, lock });
    const began = Promise.withResolvers<void>();
    const running = db.transaction(async (tx) => {
      await tx.run`insert into service (name, value) values ('under way', '')`;
      began.resolve();
      for (;;) await tx.get`select 1 as one`;
    });
    running.catch(() => {});
    await began.promise;

    await proxy.cut(); // only the lock's connection uses the proxy
    await assert.rejects(running, /the connection to the database is lost/);
    const notHeld = { message: 'the lock on the database is not held' };
    await assert.rejects(db.run`insert into service (name, value) values ('bare', '')`, notHeld);
    await assert.rejects(
      db.transaction((tx) => tx.run`insert into service (name, value) values ('whole', '')`),
      notHeld,
    );
    await assert.rejects(
      db.twoFlights(
        async () => {},
        (tx) => void write(tx, 'flights'),
      ),
      notHeld,
    );
    await assert.rejects(db.checkHealth(), notHeld);
    assert.deepEqual(await db.all`select name from service`, [], 'reads are served');

    await proxy.restore();
    await until(() => messages.includes('the lock on the database is held again'));
    await db.checkHealth();
    assert.equal(await db.run`insert into service (name, value) values ('again', '')`, 1);
    assert.deepEqual(await db.all`select name from service`, [{ name: 'again' }]);
  });

  test('a backend of this process that still has the lock is ended', async (t) => {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const { messages, log } = keepLog();
    await using lock = await PostgresLock.take({ url: proxy.url, log });
    const sql = await openClient(t, url);
    const findHolders = () => sql.rows(`select pid from pg_locks where ${isLockHeld}`);
    const [ghost] = await findHolders();
    proxy.freeze();
    await until(() => messages.includes('the lock on the database is held again'));
    const holders = await findHolders();
    assert.equal(holders.length, 1);
    assert.notEqual(holders[0]?.pid, ghost?.pid);
    await lock.confirm();
  });

  test('the parameters of the address do not change the name of the backend', async (t) => {
    const url = await createUrl(t, database);
    const { messages, log } = keepLog();
    await using _lock = await PostgresLock.take({ url: `${url}?application_name=chat`, log });
    const sql = await openClient(t, url);
    const rows = await sql.rows<{ name: string }>(
      `select application_name as name from pg_stat_activity join pg_locks using (pid) where ${isLockHeld}`,
    );
    assert.match(String(rows[0]?.name), /^doorman lock [0-9a-f-]{36}$/);
    assert.deepEqual(messages, []);
  });

  test('when another server has taken the lost lock, the lock resolves `taken` and is not taken again', async (t) => {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const { messages, log } = keepLog();
    await using first = await PostgresLock.take({ url: proxy.url, log });
    const waiting = PostgresLock.take({ url, log });
    await until(() => messages.length > 0);
    await proxy.cut();
    await using second = await waiting;
    await proxy.restore();
    await first.taken;
    await assert.rejects(first.confirm(), /is not held/);
    await second.confirm();
  });

  test('a server starts when the transactions of the earlier server have ended', async (t) => {
    const url = await createUrl(t, database);
    const left = await openClient(t, url, 'doorman');
    await left.rows('begin; select 1');
    const sql = await openClient(t, url);
    const order: string[] = [];
    const taking = PostgresLock.take({ url }).then((lock) => {
      order.push('begins');
      return lock;
    });
    // It has the lock and has queried older transactions twice.
    const queries = new Set<string>();
    await until(async () => {
      const rows = await sql.rows<{
        at: string;
      }>(`select query_start::text as at from pg_stat_activity join pg_locks using (pid)
        where ${isLockHeld} and query like '%xact_start <%'`);
      for (const { at } of rows) queries.add(at);
      return queries.size >= 2;
    });
    order.push('the transaction ends');
    await left.rows('rollback');
    await using _lock = await taking;
    assert.deepEqual(order, ['the transaction ends', 'begins']);
  });

  test('nodes share the lock; a single server waits for all of them, and a node for a single server', async (t) => {
    const url = await createUrl(t, database);
    const { messages, log } = keepLog();
    const order: string[] = [];
    const take = async (name: string, isShared: boolean) => {
      const lock = await PostgresLock.take({ url, log, isShared });
      order.push(`${name} runs`);
      return async () => {
        order.push(`${name} ends`);
        await lock[Symbol.asyncDispose]();
      };
    };
    const first = await take('first node', true);
    const second = await take('second node', true);
    assert.deepEqual(messages, []);
    const single = take('single server', false);
    await until(() => messages.length === 1);
    await first();
    await second();
    const endSingle = await single;
    const node = take('node', true);
    await until(() => messages.length === 2);
    await endSingle();
    await (await node)();
    assert.deepEqual(order, [
      ...['first node runs', 'second node runs', 'first node ends', 'second node ends'],
      ...['single server runs', 'single server ends', 'node runs', 'node ends'],
    ]);
  });

  test('a node writes on while its lock is lost, and takes it again; after a single server took it, the node has to end', async (t) => {
    const url = await createUrl(t, database);
    const proxy = await openProxy(t, url);
    const { messages, log } = keepLog();
    await using lock = await PostgresLock.take({ url: proxy.url, log, isShared: true });
    await using db = await openPostgres({ url, lock });
    await proxy.cut(); // only the lock's connection uses the proxy
    await until(() => messages.length > 0);
    await db.checkHealth();
    await db.transaction(async (tx) => {
      await tx.run`insert into service (name, value) values ('without the lock', '')`;
    });
    await proxy.restore();
    await until(() => messages.includes('the lock on the database is held again'));
    await proxy.cut();
    await using _single = await PostgresLock.take({ url });
    await proxy.restore();
    await lock.taken;
  });
});
