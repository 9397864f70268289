import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import { listPushLog } from '../../push/log/push-log.ts';
import { saveSubscription } from '../../push/subscriptions/subscriptions.ts';
import { migrate } from '../migrate.ts';

const START = 1_760_000_000_000;

onEachDatabase('0020-log-of-removed-devices', (database) => {
  test('ends what waits for devices that are gone, and changes no other entry', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    await saveSubscription(db, {
      userId: alice,
      subscription: { endpoint: 'https://push.example/a', keys: { p256dh: 'BA', auth: 'AA' } },
      sessionId: null,
      vapidPublic: 'key',
      device: '',
      language: 'en',
      now: START,
    });
    const device = await db.get<{ id: string }>`select id from push_subscriptions`;
    await db.changeSchema(async (tx) => {
      await tx.script(
        db.kind === 'sqlite'
          ? 'drop trigger push_subscriptions_log'
          : 'drop function log_removed_subscription cascade',
      );
      await tx.run`delete from migrations where name = '0020-log-of-removed-devices'`;
    });
    const entries = [
      ['waiting', 'gone'],
      ['waiting', device?.id ?? ''],
      ['accepted', 'gone'],
    ] as const;
    for (const [i, [outcome, subscription]] of entries.entries())
      await db.run`
        insert into push_log (id, user_id, at, subscription_id, kind, outcome, status, reason, detail, waiting_until)
        values (
          ${`entry ${i}`}, ${alice}, ${START - i}, ${subscription}, 'message', ${outcome}, 429, 'rate_limited',
          'rate_limited', ${START})`;
    await migrate(db);
    assert.deepEqual(
      (await listPushLog(db, alice)).map(({ at, outcome, status, reason, detail, waiting_until }) => [
        START - at,
        outcome,
        status,
        reason,
        detail,
        waiting_until,
      ]),
      [
        [0, 'gone', null, 'removed', 'the device was removed', null],
        [1, 'waiting', 429, 'rate_limited', 'rate_limited', START],
        [2, 'accepted', 429, 'rate_limited', 'rate_limited', START],
      ],
    );
  });
});
