import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import type { Db } from '../../db/db.ts';
import { listPushLog, writePushLog } from './push-log.ts';

const START = 1_760_000_000_000;
const REFUSED = { outcome: 'refused', status: 400, reason: 'refused' } as const;

function write(db: Db, userId: string, at: number, deviceName = 'Firefox') {
  const entry = { userId, subscriptionId: 'device', deviceName, kind: 'test', ...REFUSED } as const;
  return db.transaction((tx) => writePushLog(tx, entry, at));
}

onEachDatabase('the push log', (database) => {
  test('an entry has the result of one push to one device', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    await write(db, alice, START);
    const [{ id, ...entry } = { id: '' }] = await listPushLog(db, alice);
    assert.match(id, /^[\w-]{36}$/);
    assert.deepEqual(entry, {
      at: START,
      peer: null,
      device: 'device',
      device_name: 'Firefox',
      kind: 'test',
      outcome: 'refused',
      status: 400,
      reason: 'refused',
      detail: 'refused',
      waiting_until: null,
      shown: null,
      clicked: null,
    });
  });

  test('the newest comes first, by id at the same time, without entries of other users', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    for (const [i, at] of [0, 5, 5, 5, 3].entries()) await write(db, alice, START + at, `${i}`);
    await write(db, bob, START + 9);
    assert.deepEqual(
      (await listPushLog(db, alice)).map((entry) => entry.device_name),
      ['3', '2', '1', '4', '0'],
    );
  });

  test('the last 200 entries are kept', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    await write(db, bob, START);
    t.mock.method(Math, 'random', () => 0); // each entry removes older ones, not one of 32
    for (let i = 0; i < 203; i++) await write(db, alice, START + i, `${i}`);
    const entries = await listPushLog(db, alice);
    assert.equal(entries.length, 200);
    assert.deepEqual([entries[0]?.device_name, entries[199]?.device_name], ['202', '3']);
    const row = await db.get<{
      count: number;
    }>`select count(*) as count from push_log where user_id = ${alice}`;
    assert.equal(row?.count, 200);
    assert.equal((await listPushLog(db, bob)).length, 1);
  });
});
