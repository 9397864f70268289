import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createDoorman } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { onSqlite, type TestDatabase } from '../../../../test/databases.ts';
import type { Behaviour } from '../../../../test/push-service.ts';
import { startPushing } from '../../../../test/pushing.ts';
import { type TestResult, testDevice } from './device-test.ts';

/** Somebody with a device, who tests it. */
async function start(
  t: TestContext,
  database: TestDatabase,
  { unconfirmed = false, pushDeadlineMs = 10_000 } = {},
) {
  const pushing = await startPushing(t, database, { world: { pushDeadlineMs }, realTime: true });
  const baseUrl = await pushing.service.app.listen({ port: 0, host: '127.0.0.1' });
  const doorman = createDoorman({ baseUrl, storage: new MemoryStorage() });
  const { userId: id } = await doorman.signUp({ username: 'carol', password: 'secret' });
  const person = { ...pushing.alice, id, token: doorman.session?.token ?? '' };
  const subscription = await pushing.subscribe(person, { unconfirmed });
  const [device] = await doorman.api.pushDevices();
  assert.ok(device);
  const results: TestResult[] = [];
  let looks = 0;
  const before = { look: async () => {} };
  const ending = new AbortController();
  const api = {
    pushTest: doorman.api.pushTest,
    pushLog: async () => {
      looks += 1;
      await before.look();
      return doorman.api.pushLog();
    },
  };
  return {
    results,
    looks: () => looks,
    /** What happens before the log is looked at. */
    before,
    ending,
    doorman,
    device,
    answer: (behaviour: Behaviour) => pushing.pushService.answerNext(subscription.endpoint, behaviour),
    /** What the device does with what came. */
    tell: async (event: 'shown' | 'clicked') => {
      const { text = '' } = await pushing.pushService.next(subscription.endpoint, 30_000);
      await doorman.api.pushReceipt({ receipt: JSON.parse(text).doorman.receipt, event });
    },
    run: (looksMs: readonly number[] = [5, 5, 5]) =>
      testDevice({
        api,
        device,
        onResult: (result) => void results.push(result),
        signal: ending.signal,
        looksMs,
      }),
  };
}

onSqlite('Testing a device', (database) => {
  test('it is told that the notification is shown, and the log is looked at no more', async (t) => {
    const { run, tell, results, looks, before } = await start(t, database);
    before.look = () => tell('shown');
    await run();
    assert.deepEqual([results, looks()], [['handed', 'shown'], 1]);
  });

  test('a device that says nothing is not waited for any longer', async (t) => {
    const { run, results, looks } = await start(t, database);
    await run();
    assert.deepEqual(results, ['handed', 'unseen']);
    assert.equal(looks(), 3);
  });

  test('of a device that could not say so nothing is asked', async (t) => {
    const { run, results, looks } = await start(t, database, { unconfirmed: true });
    await run();
    assert.deepEqual([results, looks()], [['handed', 'unseen'], 0]);
  });

  const answers: [behaviour: Behaviour, result: TestResult][] = [
    [{ status: 410 }, 'gone'],
    [{ status: 400 }, 'refused'],
    [{ status: 429 }, 'busy'],
    [{ status: 502 }, 'busy'],
    ['drop', 'unreachable'],
  ];
  for (const [behaviour, result] of answers)
    test(`the push service answers ${JSON.stringify(behaviour)}: ${result}`, async (t) => {
      const { run, answer, results, looks } = await start(t, database);
      answer(behaviour);
      await run();
      assert.deepEqual([results, looks()], [[result], 0]);
    });

  test('a late answer is found in the log, and not taken for that of another test', async (t) => {
    const { run, answer, results } = await start(t, database, { pushDeadlineMs: 5_000 });
    await run([]);
    answer('hang');
    await run(Array(300).fill(100));
    assert.deepEqual(results, ['handed', 'unseen', 'unanswered', 'timeout']);
  });

  test('whoever has left is told nothing more', async (t) => {
    const { run, ending, results, looks, before } = await start(t, database);
    before.look = async () => ending.abort();
    await run();
    assert.deepEqual([results, looks()], [['handed'], 1]);
  });

  test('a device that was removed cannot be tested', async (t) => {
    const { run, doorman, device } = await start(t, database);
    await doorman.api.pushUnsubscribe({ id: device.id });
    await assert.rejects(run(), { name: 'DoormanError', code: 404 });
  });
});
