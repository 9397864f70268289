import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../../test/databases.ts';
import type { Person } from '../../../test/harness.ts';
import { addCrowd } from '../../../test/people.ts';
import { PRESENT } from '../../../test/present.ts';
import { startPushing } from '../../../test/pushing.ts';
import type { Db } from '../../db/db.ts';
import { deleteUser } from '../../leaving/remove-user.ts';
import { decideDue } from '../decide/decide.ts';
import { claimJobs, jobKey } from '../decide/jobs.ts';
import { readSendable, reasonToSkip } from '../send/prepare.ts';
import { recordResults } from '../send/record-result.ts';

const HOUR = 3_600_000;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

async function start(t: TestContext, database: TestDatabase) {
  const pushing = await startPushing(t, database);
  const { service, alice, bob, now, pushService, subscribe, writeAndPush, log } = pushing;
  const setQuiet = async (body: object) => {
    const quiet = { timeZone: 'UTC', windows: [], ...body };
    const { status } = await service.post('/api/user/quiet', quiet, { token: bob.token });
    assert.equal(status, 200);
  };
  /** A push of Alice's message that its push service did not take, so its job waits. */
  const waitingJob = async () => {
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 500 });
    await writeAndPush(alice, bob);
    assert.deepEqual(await brief(bob), [['waiting', 'server_error']]);
    return phone;
  };
  const brief = async (person: Person) =>
    (await log(person)).map(({ outcome, reason }) => (reason === '' ? [outcome] : [outcome, reason]));
  const jobDueAt = async () => {
    const row = await service.services.db.get<{ due_at: number }>`select due_at from push_jobs`;
    return row && row.due_at - now();
  };
  return { ...pushing, setQuiet, waitingJob, brief, jobDueAt, db: service.services.db };
}

/** Counts the statements of a database's transactions. */
function counting(db: Db): { db: Db; count: () => number } {
  let count = 0;
  const counted = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        if (key === 'transaction')
          return (work: (tx: object) => unknown) => value.call(target, (tx: object) => work(counted(tx)));
        return (...args: unknown[]) => {
          count++;
          return value.apply(target, args);
        };
      },
    });
  return { db: counted(db), count: () => count };
}

onEachDatabase('pushes held in quiet hours', (database) => {
  for (const [how, until] of [
    ['ended', 0],
    ['made longer', 3 * HOUR],
    ['left as they are', undefined],
  ] as const)
    test(`a job that is deferred while the quiet hours are ${how}`, async (t) => {
      const { db, service, now, setQuiet, waitingJob, log, bob, jobDueAt } = await start(t, database);
      await waitingJob();
      await setQuiet({ until: now() + 2 * HOUR });
      await service.pushes[Symbol.asyncDispose]();
      const at = now() + 60_000;
      const [job] = await claimJobs(db, at, 1);
      assert(job);
      const row = (await readSendable(db, [job], at)).get(jobKey(job));
      const result = row && reasonToSkip(row, at);
      assert(row && result?.kind === 'deferred' && result.reason === 'quiet');
      if (until !== undefined) await setQuiet({ until: until && now() + until });
      await recordResults(db, [{ job, row, logId: row.log_id, result, now: at }]);
      const expected = until === undefined ? result.until : at;
      assert.equal(await jobDueAt(), expected - now());
      assert.deepEqual(
        (await log(bob)).map(({ outcome, waiting_until }) => [outcome, waiting_until]),
        [['waiting', expected]],
      );
    });

  test('a job ends at once as quiet if the quiet time ends 24 hours after the decision, or is made that long', async (t) => {
    const { now, pass, setQuiet, waitingJob, writeAndPush, brief, alice, bob, pushService, service } =
      await start(t, database);
    const phone = await waitingJob();
    await setQuiet({ until: now() + 25 * HOUR });
    await pass(10_000);
    assert.deepEqual(await brief(bob), [['quiet']]);
    await setQuiet({ until: 0 });
    pushService.answerNext(phone.endpoint, { status: 500 });
    await writeAndPush(alice, bob);
    await setQuiet({ until: now() + HOUR });
    await pass(10_000);
    assert.deepEqual(await brief(bob), [['waiting', 'quiet'], ['quiet']]);
    await setQuiet({ until: now() + 25 * HOUR });
    await service.pushes.runDue();
    assert.deepEqual(await brief(bob), [['quiet'], ['quiet']]);
  });

  test('a job that a clock running ahead deferred is due when the clock is set back', async (t) => {
    const { now, pass, setQuiet, setClock, waitingJob, brief, bob, pushService, service } = await start(
      t,
      database,
    );
    const phone = await waitingJob();
    const timeOf = (at: number) => new Date(at).toISOString().slice(11, 16);
    await setQuiet({
      windows: [{ days: EVERY_DAY, from: timeOf(now() + 10 * HOUR), to: timeOf(now() + 12 * HOUR) }],
    });
    setClock(11 * HOUR);
    await pass(0);
    assert.deepEqual(await brief(bob), [['waiting', 'quiet']]);
    setClock(-11 * HOUR);
    await service.pushes.runDue();
    assert.equal(pushService.received(phone.endpoint).length, 1);
  });

  test('the entries of what waits end with the account of the sender', async (t) => {
    const { db, now, service, setQuiet, waitingJob, writeAndPush, brief, alice, bob } = await start(
      t,
      database,
    );
    await waitingJob();
    const carol = await service.join('carol');
    await setQuiet({ until: now() + HOUR });
    await writeAndPush(carol, bob);
    for (const { id } of [alice, carol]) await db.transaction((tx) => deleteUser(tx, id));
    assert.deepEqual(await brief(bob), [['account_closed'], ['account_closed']]);
  });

  test('a pair that a node of the version before decided is not held', async (t) => {
    const { db, now, pass, setQuiet, subscribe, writeAndPush, alice, bob, pushService, service } =
      await start(t, database);
    const phone = await subscribe(bob);
    await setQuiet({ until: now() + HOUR });
    await writeAndPush(alice, bob);
    await db.run`update push_pending set count = 0, due_at = ${now() + 3_000}, cooldown_until = ${now() + 3_000}`;
    await db.run`delete from quiet`;
    // The second joins the first, which is not held, so it is decided when it would have been.
    service.services.presence.online.add(bob.id, PRESENT);
    await writeAndPush(alice, bob);
    const [row] = await db.all<object>`select count, quiet_until, quiet_log from push_pending`;
    assert.deepEqual({ ...row }, { count: 1, quiet_until: null, quiet_log: null });
    await pass(5_000);
    assert.equal(pushService.received(phone.endpoint).length, 1);
  });

  test('however many conversations are held, as many statements decide them', async (t) => {
    const { db, now, service, setQuiet, subscribe, bob } = await start(t, database);
    await subscribe(bob);
    await service.pushes[Symbol.asyncDispose]();
    const people = await addCrowd(db, 300);
    const statementsFor = async (ids: readonly string[], at: number) => {
      await db.transaction(async (tx) => {
        await tx.run`delete from push_jobs`;
        await tx.run`delete from push_log`;
        for (const [i, id] of ids.entries()) {
          await tx.run`
            insert into push_log (id, user_id, at, peer_id, subscription_id, device_name, kind, outcome, status, reason, detail, waiting_until)
            values (${`log ${id}`}, ${bob.id}, ${at}, ${id}, '', '', 'message', 'waiting', null, 'quiet', '', ${at})`;
          await tx.run`
            insert into push_pending (user_id, peer_id, first_seq, last_seq, count, due_at, cooldown_until, quiet_until, quiet_log)
            values (${bob.id}, ${id}, ${i + 1}, ${i + 1}, 1, ${at}, ${at}, ${at}, ${`log ${id}`})`;
        }
      });
      const counted = counting(db);
      const counts: number[] = [];
      const decide = async (when: number) => {
        const before = counted.count();
        const { jobs } = await decideDue(counted.db, [{ userId: bob.id, peerId: ids[0] ?? '' }], when);
        counts.push(counted.count() - before);
        return jobs.length;
      };
      await setQuiet({ until: at + HOUR });
      await db.run`update push_pending set due_at = ${at}`;
      assert.equal(await decide(at), 0, 'held again');
      const held = await db.all<{ due_at: number }>`select due_at from push_pending where due_at > ${at}`;
      assert.equal(held.length, ids.length);
      assert.equal(await decide(at + 2 * HOUR), 3);
      const ended = await db.all`
        select id from push_log where outcome = 'quiet' and reason = '' and waiting_until is null`;
      assert.equal(ended.length, ids.length - 3);
      assert.equal(await decide(at + 3 * HOUR), 0, 'cooled down');
      assert.deepEqual(await db.all`select user_id from push_pending`, []);
      return counts;
    };
    const few = await statementsFor(people.slice(0, 5), now());
    assert.deepEqual(await statementsFor(people, now()), few);
  });
});
