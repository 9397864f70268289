import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onSqlite, type TestDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { MemoryHub } from '../../test/memory-link.ts';
import { nowMs } from '../db/fragments.ts';
import { ChangeReader } from '../events/change-reader.ts';
import { Events } from '../events/hints.ts';
import { Unlinked } from './unlinked.ts';

const UNKNOWN_MS = 600;

onSqlite('a node without a link', (database) => {
  async function start(t: TestContext, database: TestDatabase, { isUp }: { isUp: boolean }) {
    const db = await database.open(t);
    const clock = new ManualClock();
    const link = new MemoryHub().connect();
    link.isUp = isUp;
    const changes = await ChangeReader.open(db, new Events(), clock.world, { hasNodes: true });
    const faults: unknown[] = [];
    const times = { unknownMs: UNKNOWN_MS, heartbeatMs: 5_000 };
    const unlinked = new Unlinked(link, db, changes, clock.world, times, (error) => faults.push(error));
    t.after(() => unlinked[Symbol.dispose]());
    const rows = async () => (await db.all`select id from changes where kind = 'hints-lost'`).length;
    /** Time passes, and what others changed is read at its end. */
    const wait = async (ms: number) => {
      clock.add(ms);
      await changes.read();
      return unlinked.isTrusted;
    };
    return { db, clock, link, changes, unlinked, rows, wait, faults };
  }

  test('that has lost it uses only what it has just read, and nothing once the others may have forgotten it', async (t) => {
    const { clock, link, unlinked, rows, wait } = await start(t, database, { isUp: true });
    clock.add(2_900);
    assert.equal(unlinked.isTrusted, true);
    assert.equal(await wait(0), true);
    link.isUp = false;
    await unlinked.record();
    assert.equal(await wait(0), true, 'the others still count it as a member');
    clock.add(UNKNOWN_MS - 1);
    assert.equal(unlinked.isTrusted, true);
    clock.add(1);
    assert.equal(unlinked.isTrusted, false, 'an answer of another node may be as old as that');
    assert.equal(await wait(14_000), true);
    await wait(400);
    assert.equal(unlinked.isTrusted, false, 'its row is too old for the others to wait');
    assert.equal(await rows(), 1);
  });

  test('that starts without one uses nothing that it remembers until the others have read of it', async (t) => {
    const { clock, unlinked, rows, wait } = await start(t, database, { isUp: false });
    assert.equal(unlinked.isTrusted, false);
    await unlinked.record();
    assert.equal(await wait(0), false);
    assert.equal(await wait(3 * UNKNOWN_MS - 1), false);
    assert.equal(await wait(1), true);
    await clock.advance(5_000);
    await eventually(async () => (await rows()) === 2);
    assert.equal(await wait(0), true, 'each heartbeat says so again');
  });

  test('that cannot say so uses nothing it remembers, and says so later', async (t) => {
    const { db, link, unlinked, wait, faults } = await start(t, database, { isUp: true });
    const { transaction } = db;
    db.transaction = async () => {
      throw new Error('no writes today');
    };
    link.isUp = false;
    await unlinked.record();
    assert.equal(faults.length, 1);
    assert.equal(await wait(2 * UNKNOWN_MS), false);
    db.transaction = transaction;
    await unlinked.record();
    assert.equal(await wait(0), false);
    assert.equal(await wait(3 * UNKNOWN_MS), true);
  });

  test('is waited for by the others while its row is young, and by those that have not read lately', async (t) => {
    const { db, clock, link, unlinked, wait } = await start(t, database, { isUp: true });
    assert.equal(unlinked.mayMissNodes, false);
    clock.add(2 * UNKNOWN_MS);
    assert.equal(unlinked.mayMissNodes, true, 'its rows were read late');
    assert.equal(await wait(0), true);
    assert.equal(unlinked.mayMissNodes, false);
    await db.run`
      insert into changes (id, at, kind, subject) values ('of another node', ${nowMs}, 'hints-lost', '')`;
    assert.equal(link.isUp, true);
    assert.equal(await wait(0), true);
    assert.equal(unlinked.mayMissNodes, true);
    clock.add(UNKNOWN_MS);
    assert.equal(unlinked.isTrusted, false, 'the other one sends no messages');
    await db.run`delete from changes`; // reads find it no longer
    await wait(15_000);
    assert.equal(unlinked.mayMissNodes, false);
  });
});
