import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { runCommand } from '../../test/commands.ts';
import { type DatabaseSettings, databaseEnv, onEachDeployment } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startService } from '../../test/harness.ts';
import { restoreDueUsers } from './account-status.ts';

const HOUR_MS = 3_600_000;

onEachDeployment('A suspension', (database) => {
  async function start(t: TestContext) {
    const clock = new ManualClock();
    let env: Record<string, string> = {};
    const service = await startService(t, database, {
      env: (_node, settings: DatabaseSettings) => {
        env = databaseEnv(settings);
        return {};
      },
      world: clock.world,
    });
    const alice = await service.join('alice');
    const { db, events } = service.services;
    return {
      clock,
      service,
      alice,
      db,
      inboxes: { db, events },
      operate: (...words: string[]) => runCommand(env, ['user', ...words]),
      logIn: async (password = alice.password) => {
        const { status, body } = await service.post('/api/login', { username: 'alice', password });
        return { status, error: body.error, reason: body.reason, until: body.until };
      },
      statusNow: async () =>
        (await db.get<{ status: string }>`select status from users where id = ${alice.id}`)?.status,
      acts: async () =>
        (
          await db.all<{
            what: string;
            data: string;
          }>`select what, data from account_log where what = 'restored'`
        ).map(({ data }) => data),
    };
  }
  /** In a century: the command refuses a time that is past for the machine, and the service's clock is the test's. */
  const until = '2126-01-31T18:00:00Z';

  test('says why and until when to who knows the password, and to no one else', async (t) => {
    const { operate, alice, logIn } = await start(t);
    const { output } = await operate('suspend', 'alice', '--reason', '发送垃圾信息 <b>', '--until', until);
    assert.equal(output, `suspended alice (${alice.id}) until 2126-01-31T18:00:00.000Z, sessions ended: 1\n`);
    const refused = {
      status: 403,
      error: 'account_suspended',
      reason: '发送垃圾信息 <b>',
      until: Date.parse(until),
    };
    assert.deepEqual(await logIn(), refused);
    const wrong = { status: 400, error: 'wrong_password', reason: undefined, until: undefined };
    assert.deepEqual(await logIn('a guess'), wrong);
    await operate('suspend', 'alice');
    assert.deepEqual(await logIn(), { ...refused, reason: '', until: 0 });
  });

  test('ends at its time on every node, once, and not before', async (t) => {
    const { operate, clock, logIn, statusNow, acts, service } = await start(t);
    await operate('suspend', 'alice', '--until', until);
    clock.add(Date.parse(until) - clock.world.now() - 1);
    for (const { services } of service.nodes) await restoreDueUsers(services, clock.world.now());
    assert.equal(await statusNow(), 'suspended');
    await eventually(async () => {
      await clock.advance(1_000);
      return (await statusNow()) === 'active';
    });
    assert.equal((await logIn()).status, 200);
    await clock.advance(2_000);
    assert.deepEqual(await acts(), ['{"by":"time"}']);
  });

  test('that three processes end at once is restored once', async (t) => {
    const { operate, service, statusNow, acts, db } = await start(t);
    await operate('suspend', 'alice', '--until', until);
    const { nodes } = service;
    const workers = [...nodes, ...nodes, ...nodes].slice(0, 3);
    await Promise.all(workers.map(({ services }) => restoreDueUsers(services, Date.parse(until))));
    assert.deepEqual([await statusNow(), await acts()], ['active', ['{"by":"time"}']]);
    assert.deepEqual(await db.all`select user_id from suspensions`, []);
  });

  test('that is given again has the new time, and without one does not end by itself', async (t) => {
    const { operate, inboxes, statusNow } = await start(t);
    await operate('suspend', 'alice', '--until', until);
    await operate('suspend', 'alice', '--until', '2126-01-31T19:00:00+00:00');
    await restoreDueUsers(inboxes, Date.parse(until) + HOUR_MS - 1);
    assert.equal(await statusNow(), 'suspended');
    await operate('suspend', 'alice', '--reason', 'spam');
    await restoreDueUsers(inboxes, Date.parse(until) + 1_000 * HOUR_MS);
    assert.equal(await statusNow(), 'suspended');
  });

  test('goes with restore and delete, and show has it', async (t) => {
    const { operate, db, inboxes, statusNow } = await start(t);
    const rows = () => db.all`select user_id from suspensions`;
    await operate('suspend', 'alice', '--reason', 'spam', '--until', until);
    const { reason, until: shown } = JSON.parse((await operate('show', 'alice')).output).suspension;
    assert.deepEqual([reason, shown], ['spam', Date.parse(until)]);
    await operate('restore', 'alice');
    assert.deepEqual(await rows(), []);
    assert.equal('suspension' in JSON.parse((await operate('show', 'alice')).output), false);
    await operate('suspend', 'alice', '--until', until);
    await operate('delete', 'alice');
    assert.deepEqual(await rows(), []);
    await restoreDueUsers(inboxes, Date.parse(until));
    assert.equal(await statusNow(), 'deleted');
  });

  test('is refused with a reason that is too long, and a time that is past, no time or without a zone', async (t) => {
    const { operate, statusNow } = await start(t);
    const times = [
      '',
      'tomorrow',
      '2126-01-31',
      '2126-01-31T18:00',
      '2126-13-31T18:00Z',
      '2020-01-31T18:00:00Z',
      '7d',
    ];
    for (const time of times) {
      const { code, errors } = await operate('suspend', 'alice', '--until', time);
      assert.deepEqual(
        [code, errors.split('\n')[0]],
        [2, '--until must be a time to come with its zone, such as 2030-01-31T18:00:00Z'],
      );
    }
    assert.equal((await operate('suspend', 'alice', '--reason', 'x'.repeat(501))).code, 2);
    for (const action of ['restore', 'show', 'delete', 'link', 'password'])
      assert.equal((await operate(action, 'alice', '--reason', 'spam')).code, 2, action);
    assert.equal(await statusNow(), 'active');
    assert.equal((await operate('suspend', 'alice', '--reason', '字'.repeat(500))).code, 0);
  });
});
