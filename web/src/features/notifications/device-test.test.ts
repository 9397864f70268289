import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createDoorman } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { onSqlite, type TestDatabase } from '../../../../test/databases.ts';
import type { Behaviour } from '../../../../test/push-behaviour.ts';
import { startPushing } from '../../../../test/pushing.ts';
import { type TestResult, testDevice } from './device-test.ts';

/** A user who tests their device. */
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
  let reads = 0;
  const before = { read: async () => {} };
  const ending = new AbortController();
  const api = {
    pushTest: doorman.api.pushTest,
    pushLog: async () => {
      reads += 1;
      await before.read();
      return doorman.api.pushLog();
    },
  };
  return {
    results,
    reads: () => reads,
    /** What happens before the log is read. */
    before,
    ending,
    doorman,
    device,
    answer: (behaviour: Behaviour) => pushing.pushService.answerNext(subscription.endpoint, behaviour),
    /** The device reports what it did with the push. */
    report: async (event: 'shown' | 'clicked') => {
      const { text = '' } = await pushing.pushService.next(subscription.endpoint, 30_000);
      await doorman.api.pushReceipt({ receipt: JSON.parse(text).doorman.receipt, event });
    },
    run: (readDelaysMs: readonly number[] = [5, 5, 5]) =>
      testDevice({
        api,
        device,
        onResult: (result) => void results.push(result),
        signal: ending.signal,
        readDelaysMs,
      }),
  };
}

onSqlite('Testing a device', (database) => {
  test('the result is that the device shows it, and the log is not read again', async (t) => {
    const { run, report, results, reads, before } = await start(t, database);
    before.read = () => report('shown');
    await run();
    assert.deepEqual([results, reads()], [['handed', 'shown'], 1]);
  });

  test('after the last read, a silent device is not waited for', async (t) => {
    const { run, results, reads } = await start(t, database);
    await run();
    assert.deepEqual(results, ['handed', 'unseen']);
    assert.equal(reads(), 3);
  });

  test('the log is not read for a device that cannot report', async (t) => {
    const { run, results, reads } = await start(t, database, { unconfirmed: true });
    await run();
    assert.deepEqual([results, reads()], [['handed', 'unseen'], 0]);
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
      const { run, answer, results, reads } = await start(t, database);
      answer(behaviour);
      await run();
      assert.deepEqual([results, reads()], [[result], 0]);
    });

  test('a late answer is found in the log, and not confused with that of another test', async (t) => {
    const { run, answer, results } = await start(t, database, { pushDeadlineMs: 5_000 });
    await run([]);
    answer('hang');
    await run(Array(300).fill(100));
    assert.deepEqual(results, ['handed', 'unseen', 'unanswered', 'timeout']);
  });

  test('after an abort there is no further result', async (t) => {
    const { run, ending, results, reads, before } = await start(t, database);
    before.read = async () => ending.abort();
    await run();
    assert.deepEqual([results, reads()], [['handed'], 1]);
  });

  test('a device that was removed cannot be tested', async (t) => {
    const { run, doorman, device } = await start(t, database);
    await doorman.api.pushUnsubscribe({ id: device.id });
    await assert.rejects(run(), { name: 'DoormanError', code: 404 });
  });
});
