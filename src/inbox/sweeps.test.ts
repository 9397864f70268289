import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onSqlite, type TestDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import type { SchemaDb } from '../db/db.ts';
import { Events } from '../events/hints.ts';
import { Delivery } from './delivery.ts';
import { openInboxes } from './inbox-services.ts';
import { Sweeps } from './sweeps.ts';

const TURN_MS = 250;

/** Sweeps over users with a device each, and for which of them the database is asked. */
async function startSweeps(t: TestContext, database: TestDatabase, count: number, sweepMs = 4_000) {
  const asked: string[][] = [];
  let fault: Error | undefined;
  const db = await database.open(t);
  const watched: SchemaDb = Object.create(db, {
    all: {
      value(...[text, ...parts]: Parameters<SchemaDb['all']>) {
        const [part] = parts;
        if (typeof part === 'object' && part !== null && 'rows' in part) {
          if (fault) throw fault;
          asked.push(part.rows.map(({ user_id }) => String(user_id)));
        }
        return db.all(text, ...parts);
      },
    },
  });
  const clock = new ManualClock();
  const delivery = new Delivery(watched, new Events(), (error) => assert.fail(String(error)));
  const sweeps = new Sweeps(delivery, clock.world, { sweepMs, rareSweepMs: 60_000 });
  /** Resolves when the device has all events. */
  const join = (userId: string) =>
    new Promise<void>((goLive) =>
      delivery.join(
        { userId, unsentBytes: 0, writeEvent: () => {}, goLive, overflow: () => assert.fail(userId) },
        0,
        0,
      ),
    );
  const users = Array.from({ length: count }, (_, i) => `user ${i}`);
  await Promise.all(users.map(join));
  return {
    users,
    sweeps,
    join,
    setFault: (error?: Error) => {
      fault = error;
    },
    /** @returns who was asked for in each query of these turns */
    async turns(turns: number): Promise<string[][]> {
      for (let i = 0; i < turns; i++) {
        clock.add(TURN_MS);
        await sweeps.run().catch(() => {});
      }
      return asked.splice(0);
    },
  };
}

onSqlite('sweeps', (database) => {
  test('all users are asked for once in the time of a sweep, evenly, in slices of at most 1,000', async (t) => {
    const { users, turns } = await startSweeps(t, database, 4_800, 4 * TURN_MS);
    const asked = await turns(4);
    assert.deepEqual(asked.flat().sort(), [...users].sort());
    assert.deepEqual([...new Set(asked.map(({ length }) => length))], [1_000, 200]);
  });

  test('a single user is asked for once in 4 s', async (t) => {
    const { turns } = await startSweeps(t, database, 1);
    assert.equal((await turns(64)).length, 4);
  });

  test('while hints of other nodes arrive, all are asked for once a minute; after a gap twice within 12 s', async (t) => {
    const { users, sweeps, turns } = await startSweeps(t, database, 480);
    sweeps.setRare(true);
    assert.equal((await turns(16)).flat().length, 32);
    sweeps.hurry();
    const asked = Map.groupBy((await turns(48)).flat(), (userId) => userId);
    for (const userId of users) assert((asked.get(userId)?.length ?? 0) >= 2, userId);
    assert((await turns(16)).flat().length <= 33);
  });

  test('a user whose device has just joined is asked for in each turn of the next half second', async (t) => {
    const { sweeps, join, turns } = await startSweeps(t, database, 0);
    sweeps.setRare(true);
    sweeps.watchJoins();
    await join('alice');
    assert.deepEqual(await turns(8), [['alice'], ['alice']]);
  });

  test('a device whose log could not be read gets it within seconds, also while hints of other nodes arrive', async (t) => {
    const db = await database.open(t);
    const clock = new ManualClock();
    const logged: string[] = [];
    const record = (_: unknown, text = '') => void logged.push(text);
    const log = { error: record, warn: record };
    const { delivery, sweeps } = await openInboxes(db, new Events(), clock.world, log);
    sweeps.setRare(true);
    const { all } = db;
    db.all = () => Promise.reject(new Error('the database is away'));
    let isLive = false;
    const goLive = () => {
      isLive = true;
    };
    delivery.join({ userId: 'alice', unsentBytes: 0, writeEvent: () => {}, goLive, overflow: goLive }, 0, 0);
    await eventually(() => logged.length === 1);
    assert.deepEqual([logged, isLive], [['an inbox could not be read'], false]);
    db.all = all;
    for (let ms = 0; ms < 5_000; ms += TURN_MS) {
      clock.add(TURN_MS);
      await sweeps.run();
    }
    await eventually(() => isLive);
  });

  test('after a fault nothing is asked for 4 s, then for all', async (t) => {
    const { users, turns, setFault } = await startSweeps(t, database, 160);
    await turns(3);
    setFault(new Error('the database is away'));
    await turns(1);
    setFault();
    assert.deepEqual(await turns(16), []);
    assert.deepEqual((await turns(16)).flat().sort(), [...users].sort());
  });
});
