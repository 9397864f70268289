import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onPostgres, type TestDatabase } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import type { SubscriptionJson } from '../../../test/push-service.ts';
import { startPushing } from '../../../test/pushing.ts';
import { newId } from '../../db/ids.ts';
import { listPushLog, writePushLog } from './push-log.ts';
import { applyEarlyReceipts, openPushReceipts, PushReceipts, saveReceipt } from './receipts.ts';

const START = 1_760_000_000_000;
const HOUR = 3_600_000;

test('a receipt identifies an entry and cannot be made without the key', () => {
  const receipts = new PushReceipts(Buffer.alloc(32, 1));
  const id = newId(START);
  const receipt = receipts.issue(id);
  assert.match(receipt, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(receipts.read(receipt), id);
  assert.notEqual(receipts.issue(newId(START)), receipt);
  assert.equal(new PushReceipts(Buffer.alloc(32, 2)).read(receipt), undefined);

  const bytes = Buffer.from(receipt, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(receipts.read(changed.toString('base64url')), undefined, `bit ${bit}`);
  }
  for (const other of ['', id, receipt.slice(1), `${receipt}A`, ` ${receipt}`, `${receipt}=`, '-'.repeat(43)])
    assert.equal(receipts.read(other), undefined, other);
});

onEachDatabase('receipts of notifications', (database) => {
  test('the key survives a restart', async (t) => {
    const db = await database.open(t);
    const id = newId(START);
    assert.equal((await openPushReceipts(db)).read((await openPushReceipts(db)).issue(id)), id);
  });

  test('shown, then clicked: the first time of each is stored', async (t) => {
    const { db, alice, write, times } = await start(t, database);
    const id = await write();
    assert.deepEqual(await times(), [[null, null]]);
    await saveReceipt(db, id, 'shown', START + 1);
    await saveReceipt(db, id, 'shown', START + 2);
    assert.deepEqual(await times(), [[START + 1, null]]);
    await saveReceipt(db, id, 'clicked', START + 3);
    await saveReceipt(db, id, 'clicked', START + 4);
    assert.deepEqual(await times(), [[START + 1, START + 3]]);
    assert.equal((await listPushLog(db, alice))[0]?.outcome, 'accepted');
  });

  test('a clicked notification counts as shown', async (t) => {
    const { db, write, times } = await start(t, database);
    await saveReceipt(db, await write(), 'clicked', START + 3);
    assert.deepEqual(await times(), [[START + 3, START + 3]]);
  });

  test('a receipt that arrives before its entry appears in the entry later', async (t) => {
    const { db, write, times } = await start(t, database);
    const [both, mixed, click] = [newId(START), newId(START), newId(START)];
    await saveReceipt(db, both, 'shown', START + 1);
    await saveReceipt(db, both, 'shown', START + 2);
    await saveReceipt(db, both, 'clicked', START + 3);
    await saveReceipt(db, both, 'clicked', START + 4);
    await saveReceipt(db, mixed, 'shown', START + 5);
    await saveReceipt(db, click, 'clicked', START + 6);
    for (const id of [both, mixed, click]) await write(id);
    await saveReceipt(db, mixed, 'clicked', START + 7);
    await saveReceipt(db, click, 'shown', START + 8);
    const reported = [
      [START + 6, START + 6],
      [START + 5, START + 7],
      [START + 1, START + 3],
    ];
    assert.deepEqual(await times(), reported);

    // After an hour early receipts move into the log, and those without an entry are removed.
    await saveReceipt(db, newId(START), 'clicked', START + 9);
    await applyEarlyReceipts(db, START + HOUR);
    const early = () => db.all`select log_id from push_early_receipts`;
    assert.equal((await early()).length, 4);
    await applyEarlyReceipts(db, START + 2 * HOUR);
    assert.deepEqual([await early(), await times()], [[], reported]);
  });

  test('a receipt for a trimmed entry does not bring it back', async (t) => {
    const { db, alice, write } = await start(t, database);
    const first = await write();
    for (let i = 1; i <= 200; i++) await write(newId(START + i), START + i);
    await saveReceipt(db, first, 'clicked', START + HOUR);
    const entries = await listPushLog(db, alice);
    assert.equal(entries.length, 200);
    assert.ok(entries.every(({ id, shown }) => id !== first && shown === null));
  });
});

onEachDatabase('receipts of pushes', (database) => {
  async function startWithPhone(t: TestContext) {
    const pushing = await startPushing(t, database);
    const { service, pushService, bob } = pushing;
    const phone = await pushing.subscribe(bob);
    const report = async (device: SubscriptionJson, event: string, nth = -1) => {
      const { text = '' } = pushService.attempts(device.endpoint).at(nth) ?? {};
      const { receipt } = JSON.parse(text).doorman;
      const { status, body } = await service.post('/api/push/receipt', { receipt, event });
      assert.deepEqual([status, body], [200, { code: 200, message: 'Receipt taken' }]);
    };
    const reported = async () =>
      (await pushing.log(bob)).map(({ outcome, shown, clicked }) => [outcome, shown, clicked]);
    return { ...pushing, phone, report, reported };
  }

  test('each push has its own receipt, and its user’s log shows what the device reported', async (t) => {
    const { alice, bob, service, pushService, phone, writeAndPush, pass, report, reported, now, log } =
      await startWithPhone(t);
    await writeAndPush(alice, bob);
    await pass(3_000);
    await writeAndPush(alice, bob);
    await report(phone, 'shown', 0);
    const shownAt = now();
    await pass(1_000);
    await report(phone, 'clicked', 0);
    assert.deepEqual(await reported(), [
      ['accepted', null, null],
      ['accepted', shownAt, shownAt + 1_000],
    ]);
    assert.deepEqual(await log(alice), []);
    const receipts = pushService
      .received(phone.endpoint)
      .map(({ text = '' }) => JSON.parse(text).doorman.receipt);
    assert.equal(new Set(receipts).size, 2);

    await service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
    await report(phone, 'shown');
    assert.deepEqual((await log(bob)).map(({ kind, shown }) => [kind, shown]).at(0), [
      'test',
      shownAt + 1_000,
    ]);
  });

  test('a receipt is accepted before the push service answers, and from each attempt of a push', async (t) => {
    const { alice, bob, service, pushService, phone, write, pass, report, reported, now } =
      await startWithPhone(t);
    pushService.answerNext(phone.endpoint, 'hang');
    await write(alice, bob);
    const passed = pass(0);
    await t.waitFor(() => assert.equal(pushService.attempts(phone.endpoint).length, 1), {
      interval: 5,
      timeout: 60_000,
    });
    await report(phone, 'shown');
    assert.deepEqual(await reported(), []);
    const shownAt = now();
    pushService.dropConnections();
    await passed;
    assert.deepEqual(await reported(), [['waiting', shownAt, null]]);
    // The first attempt, whose answer was lost, is shown; the second is clicked.
    await pass(1_000);
    assert.deepEqual(await reported(), [['accepted', shownAt, null]]);
    await report(phone, 'clicked');
    assert.deepEqual(await reported(), [['accepted', shownAt, shownAt + 1_000]]);
    assert.equal((await service.get('/api/push/log', { token: bob.token })).body.data.length, 1);
  });

  test('the short payload has a receipt too; an unconfirmed subscription gets none', async (t) => {
    const { service, alice, bob, pushService, phone, subscribe, writeAndPush, report, reported, now } =
      await startWithPhone(t);
    const carol = await service.join('carol');
    const unknown = await subscribe(carol, { unconfirmed: true });
    pushService.answerNext(phone.endpoint, { status: 413 });
    await writeAndPush(alice, bob);
    await report(phone, 'shown');
    assert.deepEqual(await reported(), [['accepted', now(), null]]);
    await writeAndPush(alice, carol);
    assert.equal(JSON.parse(pushService.received(unknown.endpoint)[0]?.text ?? '').doorman, undefined);
  });

  test('an entry keeps the device’s name at that time, even when the device is gone', async (t) => {
    const { service, alice, bob, pushService, writeAndPush, pass, log } = await startWithPhone(t);
    const { endpoint, ...rest } = pushService.subscribe();
    const body = { userId: bob.id, subscription: { endpoint, ...rest } };
    const headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    };
    await service.post('/api/push/subscribe', body, { token: bob.token, headers });
    const names = async () =>
      Object.fromEntries((await log(bob)).map((entry) => [entry.outcome, entry.device_name]));
    pushService.answerNext(endpoint, { status: 503, headers: { 'retry-after': '10' } });
    await writeAndPush(alice, bob);
    assert.equal((await names()).waiting, headers['user-agent']);
    pushService.answerNext(endpoint, { status: 410 });
    await pass(10_000);
    assert.equal((await names()).gone, headers['user-agent']);
  });
});

/** Two transactions interleave here, which the single writer of SQLite does not allow. */
onPostgres('a receipt beside the recording of its push', (database) => {
  test('a receipt that arrives before the entry is committed is not lost', async (t) => {
    const { db, alice } = await start(t, database);
    const id = newId(START);
    await db.transaction(async (tx) => {
      await tx.run`
        insert into push_log (id, user_id, at, subscription_id, kind, outcome)
        values (${id}, ${alice}, ${START}, 'phone', 'message', 'accepted')`;
      let isSaved = false;
      void saveReceipt(db, id, 'shown', START + 1).finally(() => {
        isSaved = true;
      });
      while (!isSaved) await tx.get`select 1`;
    });
    assert.equal((await listPushLog(db, alice))[0]?.shown, START + 1);
  });
});

async function start(t: TestContext, database: TestDatabase) {
  const db = await database.open(t);
  const alice = await addUser(db, 'alice');
  return {
    db,
    alice,
    /** @returns the id of the entry */
    async write(logId = newId(START), at = START): Promise<string> {
      const push = { userId: alice, subscriptionId: 'phone', kind: 'test' } as const;
      await writePushLog(db, { ...push, outcome: 'accepted', status: 201 }, at, logId);
      return logId;
    },
    times: async () => (await listPushLog(db, alice)).map(({ shown, clicked }) => [shown, clicked]),
  };
}
