import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import { listPushLog } from '../../push/log/push-log.ts';
import { migrate } from '../migrate.ts';

const START = 1_760_000_000_000;

/** What versions before 0016 wrote, and the reason that it stands for. */
const ENTRIES: readonly (readonly [outcome: string, detail: string, reason: string])[] = [
  ['accepted', '', ''],
  ['gone', 'gone', 'gone'],
  ['gone', 'refused for 7 days: refused', 'refused_7_days'],
  ['gone', 'refused for 7 days: no such application', 'refused_7_days'],
  ['failed', 'given up after 24 hours', 'gave_up_24h'],
  ['failed', 'port', 'port'],
  ['waiting', 'its push service said so', 'push_service_paused'],
  ['waiting', 'its push service refuses us at the moment', 'push_service_refuses'],
  ['waiting', 'unconfirmed: at most once a minute', 'unconfirmed_rate'],
  ['waiting', 'private_address: it leads to 10.0.0.1', 'private_address'],
  ['waiting', 'timeout: no answer within 10 s', 'timeout'],
  ['waiting', 'server_error', 'server_error'],
  ['unusable', 'keys_unusable', 'keys_unusable'],
  ['refused', 'too many of them today', ''],
  ['seen', 'timeout', ''],
  ['seen', '', ''],
  ['dnd', '', ''],
];

onEachDatabase('0016-push-log-reasons', (database) => {
  test('keeps all entries, and gives each the reason that its words say', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    await db.changeSchema(async (tx) => {
      await tx.script('alter table push_log drop column reason');
      await tx.run`delete from migrations where name = '0016-push-log-reasons'`;
    });
    for (const [i, [outcome, detail]] of ENTRIES.entries())
      await db.run`
        insert into push_log (id, user_id, at, subscription_id, kind, outcome, detail)
        values (${`entry ${i}`}, ${alice}, ${START - i}, 'device', 'message', ${outcome}, ${detail})`;
    await migrate(db);
    assert.deepEqual(
      (await listPushLog(db, alice)).map(({ outcome, detail, reason }) => [outcome, detail, reason]),
      ENTRIES,
    );
  });
});
