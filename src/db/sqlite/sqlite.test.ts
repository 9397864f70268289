import assert from 'node:assert/strict';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onSqlite } from '../../../test/databases.ts';
import type { Part, Queries } from '../db.ts';
import { migrate } from '../migrate.ts';
import { SqliteConnection } from './connection.ts';
import { lockFolder } from './server-lock.ts';
import { openSqlite } from './sqlite.ts';
import { SqliteUnits } from './units.ts';

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function write(db: Queries, name: string, value: string): Promise<number> {
  return db.run`insert into service (name, value) values (${name}, ${value})`;
}

onSqlite('the embedded database', (database) => {
  async function openFolder(t: TestContext): Promise<string> {
    const settings = await database.create(t);
    assert.ok('dataDir' in settings);
    return settings.dataDir;
  }

  /** The queue of units without a database around it, and its connection. */
  async function openUnits(t: TestContext) {
    const writer = new SqliteConnection(join(await openFolder(t), 'doorman.db'), { readOnly: false });
    t.after(() => writer.close());
    const commits = { count: 0 };
    const afterCommit = () => {
      commits.count += 1;
    };
    // The clock does not move, so that units that wait together are one batch also on a busy machine.
    const units = new SqliteUnits(writer, { beforeBatch() {}, afterCommit }, () => 0);
    const names = () => {
      const query = (strings: TemplateStringsArray, ...parts: Part[]) =>
        writer.all<{ name: string }>(strings, parts).map((row) => row.name);
      return query`select name from service order by name`;
    };
    return { writer, units, commits, names };
  }

  test('a new folder is readable by its owner alone', async (t) => {
    const folder = join(await openFolder(t), 'deeper', 'data');
    await using db = await openSqlite({ folder });
    await migrate(db);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  test('the database files and the lock are readable by their owner alone, in a folder of any mode', async (t) => {
    const folder = join(await openFolder(t), 'open');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const modes = () => readdirSync(folder).map((name) => `${name} ${modeOf(join(folder, name))}`);
    const expected = ['doorman.db 600', 'doorman.db-shm 600', 'doorman.db-wal 600', 'server.lock 600'];
    const umask = process.umask(0);
    t.after(() => process.umask(umask));
    for (const existing of [false, true]) {
      await using _lock = lockFolder(folder);
      await using db = await openSqlite({ folder });
      await migrate(db);
      assert.deepEqual(modes().sort(), expected, existing ? 'existing' : 'new');
      for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o666);
      await using _second = await openSqlite({ folder });
      assert.deepEqual(modes().sort().slice(0, 3), expected.slice(0, 3), 'beside another process');
    }
    assert.equal(modeOf(folder), '777');
  });

  test('units that wait together share commits', async (t) => {
    const { units, commits, names } = await openUnits(t);
    await Promise.all(Array.from({ length: 500 }, (_, n) => units.add((tx) => write(tx, `n${n}`, ''))));
    assert.equal(names().length, 500);
    assert.equal(commits.count, Math.ceil(500 / 64));
  });

  test('when the commit fails, all units of the batch fail', async (t) => {
    const { units, commits, names } = await openUnits(t);
    await units.add((tx) => write(tx, 'before', ''));
    const batch = [
      units.add((tx) => write(tx, 'first', '')),
      units.add(async (tx) => {
        await tx.script('pragma defer_foreign_keys = on');
        await tx.run`insert into sessions (id, user_id, created_at, used_at) values ('s', 'unknown', 1, 1)`;
      }),
      units.add((tx) => tx.get`select count(*) as n from service`),
      units.add(async () => {
        throw new Error('refused because of what the first wrote');
      }),
    ];
    for (const unit of batch) await assert.rejects(unit, /FOREIGN KEY constraint failed/);
    assert.deepEqual(names(), ['before']);
    assert.equal(commits.count, 1);
    await units.add((tx) => write(tx, 'after', ''));
    assert.deepEqual(names(), ['after', 'before']);
  });

  test('when SQLite ends the whole transaction, all units of the batch fail and later ones do not', async (t) => {
    const { units, names } = await openUnits(t);
    const batch = [
      units.add((tx) => write(tx, 'first', '')),
      units.add(async (tx) => {
        await write(tx, 'second', '');
        await tx.script('rollback');
        await write(tx, 'outside of any transaction', '');
      }),
    ];
    for (const unit of batch) await assert.rejects(unit);
    await units.add((tx) => write(tx, 'later', ''));
    assert.deepEqual(names(), ['later']);
  });

  test('a full database refuses writes, answers reads, and recovers', async (t) => {
    const { writer, units, names } = await openUnits(t);
    await units.add((tx) => write(tx, 'small', ''));
    const pages = Number(writer.pragma('page_count'));
    writer.pragma(`max_page_count = ${pages + 2}`);
    const large = 'x'.repeat(100_000);
    const batch = [units.add((tx) => write(tx, 'beside', '')), units.add((tx) => write(tx, 'large', large))];
    const [beside, full] = await Promise.allSettled(batch);
    assert.equal(full?.status, 'rejected');
    assert.match(String(full.reason), /full/);
    assert.deepEqual(names(), beside?.status === 'fulfilled' ? ['beside', 'small'] : ['small']);
    writer.pragma('max_page_count = 1000000');
    await units.add((tx) => write(tx, 'large', large));
    assert.ok(names().includes('large'));
  });

  test('beyond 1,000 queued units a write is refused as overloaded', async (t) => {
    const db = await openSqlite({ folder: await openFolder(t) });
    t.after(() => db[Symbol.asyncDispose]());
    const all = Array.from({ length: 1_100 }, (_, n) => write(db, `n${n}`, ''));
    const settled = await Promise.allSettled(all);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1_000);
    await assert.rejects(all[1_099] ?? Promise.resolve(), {
      name: 'ServiceError',
      kind: 'rate-limited',
      word: 'overloaded',
      message: '服务繁忙，请稍后再试',
      retryAfterSeconds: 1,
    });
    assert.equal(await write(db, 'later', ''), 1);
  });

  test('while another process writes, a write waits without blocking the event loop', async (t) => {
    const folder = await openFolder(t);
    const db = await openSqlite({ folder });
    t.after(() => db[Symbol.asyncDispose]());
    const other = new DatabaseSync(join(folder, 'doorman.db'));
    t.after(() => other.close());
    other.exec("begin immediate; insert into service (name, value) values ('other', '')");
    let turns = 0;
    let ours: Promise<number> | undefined;
    await new Promise<void>((resolve) => {
      ours = write(db, 'ours', '');
      const ticking = setInterval(() => {
        turns += 1;
        if (turns < 30) return;
        clearInterval(ticking);
        resolve();
      }, 5);
    });
    assert.deepEqual(await db.all`select name from service`, []);
    other.exec('commit');
    assert.equal(await ours, 1);
    assert.deepEqual(await db.all`select name from service order by name`, [
      { name: 'other' },
      { name: 'ours' },
    ]);
  });

  test('a write gives up when another process writes for 5 s', async (t) => {
    const folder = await openFolder(t);
    const db = await openSqlite({ folder });
    t.after(() => db[Symbol.asyncDispose]());
    const other = new DatabaseSync(join(folder, 'doorman.db'));
    t.after(() => other.close());
    other.exec('begin immediate');
    await assert.rejects(
      write(db, 'ours', ''),
      /another process has been writing to the database for too long/,
    );
    other.exec('rollback');
    assert.equal(await write(db, 'later', ''), 1);
  });

  test('statements that begin with select or with only read; writes with returning are units', async (t) => {
    const db = await openSqlite({ folder: await openFolder(t) });
    t.after(() => db[Symbol.asyncDispose]());
    assert.deepEqual(await db.get`insert into service (name, value) values ('a', '1') returning value`, {
      value: '1',
    });
    assert.deepEqual(await db.all`update service set value = '2' returning value`, [{ value: '2' }]);
    assert.deepEqual(await db.all`with one as (select 1 as n) select n from one`, [{ n: 1 }]);
  });

  test('a read sees what was answered before it, by this process in the same turn and by others in the next', async (t) => {
    const folder = await openFolder(t);
    const db = await openSqlite({ folder });
    t.after(() => db[Symbol.asyncDispose]());
    const other = new DatabaseSync(join(folder, 'doorman.db'));
    t.after(() => other.close());
    const count = async () => (await db.get<{ n: number }>`select count(*) as n from service`)?.n;
    let turns = 0;
    setImmediate(() => turns++);
    const before = await count();
    other.exec("insert into service (name, value) values ('theirs', '')");
    assert.deepEqual([await count(), turns], [before, 0], 'the reads of one turn share a state');
    await new Promise(setImmediate);
    assert.equal(await count(), 1);
    let during: unknown;
    await db.transaction(async (tx) => {
      await write(tx, 'own', '');
      count().then((n) => {
        during = n;
      });
      while (during === undefined) await tx.get`select 1 as one`;
    });
    assert.deepEqual([during, await count()], [1, 2]);
  });

  test('a damaged page fails the read of it, and nothing else', async (t) => {
    const folder = await openFolder(t);
    const file = join(folder, 'doorman.db');
    {
      using raw = new DatabaseSync(file);
      const users = raw.prepare(`select rootpage as page from sqlite_schema where name = 'users'`).get();
      const descriptor = openSync(file, 'r+');
      writeSync(descriptor, Buffer.alloc(4096, 'x'), 0, 4096, (Number(users?.page) - 1) * 4096);
      closeSync(descriptor);
    }
    await using db = await openSqlite({ folder });
    await assert.rejects(db.all`select bio from users`, /malformed/);
    await nextTurn(); // the transaction of that turn's reads has ended
    assert.deepEqual(await db.all`select name from service`, []);
  });

  test('reads do not keep the log of writes from being reused', async (t) => {
    const folder = await openFolder(t);
    const db = await openSqlite({ folder });
    t.after(() => db[Symbol.asyncDispose]());
    const look = new DatabaseSync(join(folder, 'doorman.db'));
    t.after(() => look.close());
    for (let i = 0; i < 20; i++) await write(db, `n${i}`, 'x'.repeat(1000));
    await new Promise(setImmediate);
    // The write is queued first, so the read of the same turn is open when it begins.
    const written = write(db, 'next', '');
    for (let i = 0; i < 10; i++) await undefined;
    const read = db.get`select count(*) as n from service`;
    const full = look.prepare('pragma wal_checkpoint(passive)').get();
    assert.equal(full?.checkpointed, full?.log);
    await Promise.all([written, read]);
    const reused = look.prepare('pragma wal_checkpoint(noop)').get();
    assert.ok(Number(reused?.log) < Number(full?.log), `${reused?.log} of ${full?.log} pages`);
  });

  test('the log of writes moves into the database file while the server runs', async (t) => {
    const folder = await openFolder(t);
    const db = await openSqlite({ folder });
    t.after(() => db[Symbol.asyncDispose]());
    const look = new DatabaseSync(join(folder, 'doorman.db'));
    t.after(() => look.close());
    const checkpointed = () => Number(look.prepare('pragma wal_checkpoint(noop)').get()?.checkpointed);
    let n = 0;
    const writeSome = () => write(db, `n${n++}`, 'x'.repeat(100_000));
    for (let bytes = 0; bytes < 3_000_000; bytes += 100_000) await writeSome();
    assert.equal(checkpointed(), 0);
    while (checkpointed() <= 0) await writeSome();

    // An open reader keeps the log from being reused, so it grows.
    const size = () => statSync(join(folder, 'doorman.db-wal')).size;
    look.exec('begin; select count(*) from service');
    // A write that a checkpoint blocks for 5 s would fail.
    while (size() < 80 * 1024 * 1024) await Promise.all(Array.from({ length: 20 }, writeSome));
    look.exec('commit');
    while (size() > 10 * 1024 * 1024) await writeSome();
    assert.deepEqual(await db.get`select count(*) as n from service`, { n });
  });
});
