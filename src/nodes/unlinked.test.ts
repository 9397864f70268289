import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onSqlite, type TestDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { MemoryHub } from '../../test/memory-link.ts';
import { nowMs } from '../db/fragments.ts';
import { ChangeReader } from '../events/change-reader.ts';
import { Events } from '../events/hints.ts';
import { watchLink } from './unlinked.ts';

const UNKNOWN_MS = 600;

onSqlite('a node without a link', (database) => {
  async function start(
    t: TestContext,
    database: TestDatabase,
    { isUp = true, heartbeatMs = 3_600_000 } = {},
  ) {
    const db = await database.open(t);
    const clock = new ManualClock();
    const link = new MemoryHub().connect();
    link.isUp = isUp;
    const changes = await ChangeReader.open(db, new Events(), clock.world, { hasNodes: true });
    const faults: unknown[] = [];
    const times = { unknownMs: UNKNOWN_MS, heartbeatMs };
    const unlinked = watchLink(link, db, changes, clock.world, times, (error) => faults.push(error));
    t.after(() => unlinked[Symbol.dispose]());
    const rows = async () => (await db.all`select id from changes where kind = 'hints-lost'`).length;
    /** Time passes, also for the rows in the database, and what others changed is read at its end. */
    const wait = async (ms: number) => {
      await clock.advance(ms);
      await db.run`update changes set at = at - ${ms}`;
      await changes.read();
      return unlinked.isTrusted;
    };
    return { db, clock, link, changes, unlinked, rows, wait, faults };
  }

  test('that has lost it uses only what it has just read, and nothing once the others may have forgotten it', async (t) => {
    const { clock, link, unlinked, rows, wait } = await start(t, database);
    await clock.advance(2_900);
    assert.equal(unlinked.isTrusted, true);
    assert.equal(await wait(0), true);
    link.isUp = false;
    await eventually(async () => (await rows()) === 1);
    assert.equal(await wait(0), true, 'the others still count it as a member');
    await clock.advance(UNKNOWN_MS - 1);
    assert.equal(unlinked.isTrusted, true);
    clock.add(1);
    assert.equal(unlinked.isTrusted, false, 'an answer of another node may be as old as that');
    assert.equal(await wait(13_000), true);
    assert.equal(await wait(2_000), false, 'its row is nearly too old for the others to wait');
    assert.equal(await rows(), 1);
  });

  test('that starts without one uses nothing that it remembers until the others have read of it', async (t) => {
    const { clock, unlinked, rows, wait } = await start(t, database, { isUp: false, heartbeatMs: 5_000 });
    assert.equal(unlinked.isTrusted, false);
    await eventually(async () => (await rows()) === 1);
    assert.equal(await wait(0), false);
    assert.equal(await wait(2 * UNKNOWN_MS), false);
    assert.equal(await wait(UNKNOWN_MS), true);
    await clock.advance(5_000);
    await eventually(async () => (await rows()) === 2);
    assert.equal(await wait(0), true, 'each heartbeat says so again');
  });

  test('that cannot say so uses nothing it remembers, and says so later', async (t) => {
    const { db, clock, link, rows, wait, faults } = await start(t, database, { heartbeatMs: 5_000 });
    const { transaction } = db;
    db.transaction = async () => {
      throw new Error('no writes today');
    };
    link.isUp = false;
    await eventually(() => faults.length === 1);
    assert.equal(await wait(4 * UNKNOWN_MS - 1), true, 'the others still count it as a member');
    assert.equal(await wait(1), false);
    db.transaction = transaction;
    await clock.advance(5_000);
    await eventually(async () => (await rows()) === 1);
    assert.equal(await wait(0), false);
    assert.equal(await wait(3 * UNKNOWN_MS), true);
  });

  test('that stood still uses nothing that it remembers before it has read what changed', async (t) => {
    const { db, clock, changes, unlinked } = await start(t, database);
    clock.add(199);
    assert.equal(unlinked.isTrusted, true);
    clock.add(1);
    assert.equal(unlinked.isTrusted, false, 'a request may come before its timers run');
    const { all } = db;
    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    db.all = async (...query: Parameters<typeof all>) => {
      await mayRead;
      return all.apply(db, query) as never;
    };
    await clock.advance(0);
    assert.equal(unlinked.isTrusted, false);
    letRead();
    await eventually(() => unlinked.isTrusted);
    assert.equal(changes.ageMs, 0);
  });

  test('is waited for by the others while its row is young, and by those that have not read lately', async (t) => {
    const { db, clock, link, unlinked, wait } = await start(t, database);
    assert.equal(unlinked.mayMissNodes, true, 'its link has just come up');
    assert.equal(await wait(UNKNOWN_MS), true);
    assert.equal(unlinked.mayMissNodes, false);
    clock.add(2 * UNKNOWN_MS);
    assert.equal(unlinked.mayMissNodes, true, 'its rows were read late');
    assert.equal(await wait(0), true);
    assert.equal(unlinked.mayMissNodes, false);
    await db.run`
      insert into changes (id, at, kind, subject) values ('of another node', ${nowMs}, 'hints-lost', '{}')`;
    assert.equal(link.isUp, true);
    assert.equal(await wait(0), true);
    assert.equal(unlinked.mayMissNodes, true);
    clock.add(UNKNOWN_MS);
    assert.equal(unlinked.isTrusted, false, 'the other one sends no messages');
    await db.run`delete from changes`; // reads find it no longer
    await wait(15_000);
    assert.equal(unlinked.mayMissNodes, false);
    link.isUp = false;
    assert.equal(unlinked.mayMissNodes, true);
  });
});
