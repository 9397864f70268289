import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { createClock } from '../clock.ts';
import { DatabaseClock } from './database-clock.ts';
import { nowMs } from './fragments.ts';

onEachDatabase('the clock of a node', (database) => {
  /** A machine whose clock is wrong, and a database whose clock can be set. */
  async function start(t: TestContext) {
    const db = await database.open(t);
    const added = { databaseMs: 0, machineMs: 600_000, elapsedMs: 0 };
    let questions = 0;
    const get = db.get.bind(db);
    db.get = async <Row>(...parts: Parameters<typeof get>) => {
      questions++;
      const row = await get<Row & { now: number }>(...parts);
      return row && { ...row, now: row.now + added.databaseMs };
    };
    const machine = createClock({
      now: () => Date.now() + added.machineMs,
      monotonicMs: () => performance.now() + added.elapsedMs,
    });
    const clock = await DatabaseClock.open(db, machine);
    /** How far the clock is ahead of the database, to half a second. */
    const ahead = async () => {
      const row = await get<{ now: number }>`select ${nowMs} as now`;
      return Math.round((clock.now() - (row?.now ?? 0)) / 500) * 500 || 0; // not -0
    };
    const check = async () => {
      const before = questions;
      await clock.job.run();
      return questions - before;
    };
    return { db, clock, added, ahead, check };
  }

  test('is that of the database, whatever the clock of the machine says', async (t) => {
    const { clock, ahead } = await start(t);
    assert.equal(await ahead(), 0);
    assert.ok(Number.isInteger(clock.now()));
  });

  test('is measured every 10 s, and follows the database', async (t) => {
    const { added, ahead, check } = await start(t);
    added.databaseMs = 5_000;
    assert.equal(await check(), 0);
    added.elapsedMs += 10_000;
    added.machineMs += 10_000;
    added.databaseMs += 10_000;
    assert.equal(await check(), 1);
    assert.equal(await ahead(), 15_000);
    assert.equal(await check(), 0);
  });

  test('is measured at once when the clock of the machine was set, until the database answers', async (t) => {
    const { db, added, ahead, check } = await start(t);
    // A suspend of an hour, in which the monotonic clock stood still.
    added.machineMs += 3_600_000;
    added.databaseMs += 3_600_000;
    const { get } = db;
    db.get = () => Promise.reject(new Error('no database today'));
    await assert.rejects(check(), /no database today/);
    db.get = get;
    assert.equal(await check(), 1);
    assert.equal(await ahead(), 3_600_000);
    assert.equal(await check(), 0);
  });
});
