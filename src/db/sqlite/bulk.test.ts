import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSqlite } from '../../../test/databases.ts';
import { openSqlite } from './sqlite.ts';

const MB = 1024 * 1024;
/** What a batch of 2,000 lines writes is less. */
const BATCH_BYTES = 60 * MB;

onSqlite('bulk writes to the embedded database', (database) => {
  test('the log stays below 256 MB, however much is written', async (t) => {
    const settings = await database.create(t);
    assert.ok('dataDir' in settings);
    await using db = await openSqlite({ folder: settings.dataDir });
    await db.changeSchema((tx) =>
      tx.script('create table scratch (id integer primary key, data blob) strict'),
    );
    const bulk = db.bulk();
    let highest = 0;
    for (let id = 1; id <= 6; id++) {
      // Pages that are written again, so that the file itself does not grow.
      await db.run`insert or replace into scratch (id, data) values (1, zeroblob(${BATCH_BYTES}))`;
      await db.get`select id from scratch`;
      highest = Math.max(highest, statSync(join(settings.dataDir, 'doorman.db-wal')).size);
      bulk.afterBatch();
    }
    assert.ok(highest > 100 * MB && highest < 256 * MB, `${highest} bytes`);
  });
});
