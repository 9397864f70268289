import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { ManualClock } from '../../test/clocks.ts';
import { databaseEnv, onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { startSmtp } from '../../test/smtp.ts';
import { restoreDueUsers } from '../accounts/account-status.ts';
import { queueNotice } from '../accounts/recovery/notices.ts';
import type { Options } from '../commands/run.ts';
import { user } from '../commands/user.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PUBLIC_URL = 'https://chat.example.org';
const MAILBOX = 'alice@example.org';
const UNTIL = '2126-01-31T18:00:00.000Z';

onEachDatabase('A user who leaves, with mail and the operator', (database) => {
  /** Alice, whose address is verified. */
  async function start(t: TestContext, { language = 'en', grace = '30d' } = {}) {
    const [smtp, clock] = [await startSmtp(t), new ManualClock()];
    clock.add(Date.now() - clock.world.now()); // commands have the time of the machine
    const env = { SMTP_URL: smtp.url, PUBLIC_URL, DELETION_GRACE: grace };
    const service = await startService(t, database, { env, world: clock.world });
    const { config, db, events } = service.services;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    await db.run`
      insert into emails (user_id, address, address_key, language, verified_at)
      values (${alice.id}, ${MAILBOX}, ${MAILBOX}, ${language}, 1)`;
    const logIn = async (username = 'alice', password = alice.password) => {
      const { status, body } = await service.post('/api/login', { username, password });
      const { error, ticket, until } = body;
      return { status, error, ticket, until, token: body.data?.token };
    };
    return {
      service,
      clock,
      db,
      alice,
      bob,
      inboxes: { db, events },
      logIn,
      ask: () => service.post('/api/account/delete', {}, alice),
      keep: (ticket: unknown) => service.post('/api/account/keep', { ticket }),
      /** Sends what waits. @returns subjects and texts of the mails that arrived at the address, but for the host */
      async mails() {
        await service.mails.runDue();
        return smtp.received(MAILBOX).map(({ subject, text }) => [subject, text.split('\n\nchat.')[0]]);
      },
      smtp,
      /** Runs `doorman user ACTION alice` beside the service. */
      async operate(action: string, options: Options = {}) {
        const { databaseUrl, dataDir } = config;
        const settings = databaseUrl === null ? { dataDir } : { databaseUrl };
        const [output, errors] = [new PassThrough(), new PassThrough().resume()];
        const all = { ...databaseEnv(settings), ...env, BCRYPT_COST: '4' };
        await user({ env: all, input: new PassThrough(), output, errors }, [action, 'alice'], options);
        clock.add(Date.now() + 1_000 - clock.world.now());
        return String(output.read());
      },
      statusNow: async () =>
        (await db.get<{ status: string }>`select status from users where id = ${alice.id}`)?.status,
      /** What the account log says, but for sign-ups and sign-ins. */
      acts: async () =>
        (
          await db.all<{ what: string; data: string; device: string }>`
            select what, data, device from account_log
            where user_id = ${alice.id} and what not in ('signed_up', 'signed_in') order by id`
        ).map(({ what, data, device }) => ({ what, ...JSON.parse(data), ...(device !== '' && { device }) })),
    };
  }

  test('gets a mail with the date, and one when they come back; the account log has both', async (t) => {
    const { clock, ask, keep, logIn, mails, acts } = await start(t);
    const until = clock.world.now() + 30 * DAY_MS;
    const date = `${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    assert.equal((await ask()).body.data.until, until);
    const first = [
      'Your account will be deleted',
      `alice will be deleted on ${date}. Until then you can sign in and choose "Keep my account".`,
    ];
    assert.deepEqual(await mails(), [first]);
    assert.equal((await keep((await logIn()).ticket)).status, 200);
    assert.deepEqual(await mails(), [first, ['Your account stays', 'alice will not be deleted.']]);
    const logged = (await acts()).map(({ job: _, device: __, ...act }) => act);
    assert.deepEqual(logged, [
      { what: 'deletion_asked', until, ended: 1 },
      { what: 'mail', kind: 'deletion_asked' },
      { what: 'deletion_undone' },
      { what: 'mail', kind: 'deletion_undone' },
    ]);
  });

  test('gets both in the language of their address', async (t) => {
    const { ask, keep, logIn, mails } = await start(t, { language: 'zh' });
    const until = (await ask()).body.data.until;
    const date = `${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    await mails();
    await keep((await logIn()).ticket);
    assert.deepEqual(await mails(), [
      ['账号将被删除', `账号 alice 将在 ${date} 删除。在此之前登录并选择“保留账号”即可撤销。`],
      ['账号已保留', '账号 alice 不会被删除。'],
    ]);
  });

  test('gets the mails that waited, but not that of a deletion that was undone before', async (t) => {
    const { service, db, smtp, clock, alice, ask, keep, logIn, mails } = await start(t);
    for (let i = 0; i < 2; i++) smtp.answerNext({ at: 'connect', code: 421 });
    await db.transaction((tx) => queueNotice(tx, 'password_changed', alice.id, {}, clock.world.now()));
    await ask();
    await service.mails.runDue();
    assert.deepEqual(await mails(), []);
    await keep((await logIn()).ticket);
    clock.add(60_000);
    const subjects = (await mails()).map(([subject]) => subject);
    assert.deepEqual(subjects.sort(), ['Your account stays', 'Your password was changed']);
    await db.transaction((tx) => queueNotice(tx, 'password_changed', alice.id, {}, clock.world.now()));
    await db.run`update users set status = 'deleted' where id = ${alice.id}`; // as by an earlier version
    assert.equal((await mails()).length, 2);
  });

  test('signs in by their address as by their name; anything else about it is unknown', async (t) => {
    const { service, bob, ask, logIn, keep } = await start(t);
    await ask();
    assert.deepEqual(await logIn(MAILBOX, 'a guess'), {
      ...{ status: 400, error: 'unknown_user', ticket: undefined, until: undefined, token: undefined },
    });
    const { status, error, ticket } = await logIn('ALICE@example.org');
    assert.deepEqual([status, error], [403, 'account_leaving']);
    assert.equal((await keep(ticket)).status, 200);
    assert.equal((await service.get('/api/sessions', bob)).status, 200);
  });

  test('keeps their address, which another account cannot verify meanwhile', async (t) => {
    const { service, smtp, db, alice, bob, ask } = await start(t);
    await ask();
    await service.post('/api/account/email', { email: MAILBOX, lang: 'en' }, bob);
    await service.mails.runDue();
    const text = smtp.received(MAILBOX).find(({ subject }) => subject.startsWith('Confirm'))?.text ?? '';
    const code = /\d{8}/.exec(text)?.[0];
    const verified = await service.post('/api/account/email/verify', { code }, bob);
    assert.deepEqual([verified.status, verified.body.error], [400, 'email_taken']);
    const rows = await db.all<{ user_id: string }>`select user_id from emails`;
    assert.deepEqual(rows, [{ user_id: alice.id }]);
  });

  test('has no use for a password link, a forgotten password or a code of before', async (t) => {
    const { service, clock, smtp, alice, ask, operate, mails, keep, logIn } = await start(t);
    const token = /#(\S+)/.exec(await operate('link'))?.[1];
    await service.post('/api/account/confirm', { password: alice.password }, alice);
    await service.post('/api/account/email', { email: 'new@example.org', lang: 'en' }, alice);
    await service.mails.runDue();
    const link = /#(\S+)/.exec(smtp.received('new@example.org')[0]?.text ?? '')?.[1];
    assert.ok(token && link);
    await ask();
    const used = async () => [
      (await service.post('/api/password-link', { token, newPassword: 'another one' })).body.error,
      (await service.post('/api/account/email/verify', { token: link })).body.error,
    ];
    const sent = (await mails()).length;
    for (const account of ['alice', MAILBOX])
      assert.equal((await service.post('/api/password/forgot', { account })).status, 200);
    clock.add(1_000);
    assert.equal((await mails()).length, sent);
    assert.deepEqual(await used(), ['link_invalid', 'code_invalid']);
    await assert.rejects(operate('link'), /was deleted/);
    await assert.rejects(operate('password'), /was deleted/);
    await keep((await logIn()).ticket);
    assert.deepEqual(await used(), ['link_invalid', 'code_invalid'], 'after they came back too');
  });

  test('cannot come back while suspended, and can when the suspension has ended', async (t) => {
    const { clock, inboxes, ask, keep, logIn, operate, statusNow, mails } = await start(t);
    await ask();
    await operate('suspend', { reason: 'Spam', until: UNTIL });
    const { status, error, ticket } = await logIn();
    assert.deepEqual([status, error, await statusNow()], [403, 'account_leaving', 'deleted']);
    const { code, msg: _, ...refused } = (await keep(ticket)).body;
    assert.deepEqual(
      [code, refused],
      [403, { error: 'account_suspended', reason: 'Spam', until: Date.parse(UNTIL) }],
    );
    assert.equal(await statusNow(), 'deleted');
    assert.ok((await mails()).some(([subject]) => subject === 'Your account was suspended'));
    clock.add(Date.parse(UNTIL) - clock.world.now());
    await restoreDueUsers(inboxes, clock.world.now());
    assert.equal(await statusNow(), 'deleted', 'the end of the suspension undoes no deletion');
    assert.equal((await keep((await logIn()).ticket)).status, 200);
  });

  for (const [language, words] of [
    ['en', ['Your data was downloaded', 'by the operator of this service.']],
    ['zh', ['有人下载了你的数据', '由本服务的运营者导出。']],
  ] as const)
    test(`gets a mail when the operator writes their data, in ${language}`, async (t) => {
      const { operate, mails } = await start(t, { language });
      await operate('export');
      const [[subject = '', text = ''] = [], ...others] = await mails();
      assert.deepEqual(
        [subject, others, text.startsWith('alice, ') || text.startsWith('账号 alice，')],
        [words[0], [], true],
      );
      assert.ok(text.trim().endsWith(words[1]), text);
    });

  for (const by of ['operator', 'key'])
    test(`is restored by the ${by} at once, suspended or not`, async (t) => {
      const { service, db, alice, ask, logIn, operate, acts, mails } = await start(t);
      const key = await makeKey(service);
      const act = (action: 'suspend' | 'restore') =>
        by === 'operator'
          ? operate(action)
          : service.post(`/api/admin/users/${action}`, { userId: alice.id }, key);
      await ask();
      await act('suspend');
      await mails();
      await act('restore');
      assert.equal((await logIn()).status, 200);
      assert.deepEqual((await mails()).at(-1), ['Your account stays', 'alice will not be deleted.']);
      const undone = (await acts()).filter(({ what }) => what === 'deletion_undone');
      assert.deepEqual(
        undone.map(({ by }) => by),
        [by],
      );
      await service.services.events.changes.read();
      const logged = service.logLines.filter((line) => line.includes('"event":"deletion_undone"'));
      assert.deepEqual(
        logged.map((line) => JSON.parse(line).userId),
        [alice.id],
      );
      for (const rows of [
        await db.all`select user_id from deletions`,
        await db.all`select user_id from suspensions`,
      ])
        assert.deepEqual(rows, []);
      await act('restore');
      assert.equal((await mails()).filter(([subject]) => subject === 'Your account stays').length, 1);
    });

  for (const by of ['operator', 'key'])
    test(`is erased by the ${by} at once`, async (t) => {
      const { service, db, alice, ask, logIn, keep, operate } = await start(t);
      await ask();
      const { ticket } = await logIn();
      if (by === 'operator') await operate('delete');
      else {
        const key = await makeKey(service);
        assert.equal((await service.post('/api/admin/users/delete', { userId: alice.id }, key)).status, 200);
      }
      assert.equal((await keep(ticket)).body.error, 'ticket_invalid');
      assert.deepEqual((await logIn()).error, 'unknown_user');
      assert.deepEqual(await db.all`select user_id from emails where user_id = ${alice.id}`, []);
    });

  test('is erased at once without grace, and gets no mail', async (t) => {
    const { service, clock, db, alice, ask, logIn, mails } = await start(t, { grace: '0' });
    const { status, body } = await ask();
    assert.deepEqual([status, body.data], [200, { until: clock.world.now() }]);
    assert.equal((await logIn()).error, 'unknown_user');
    assert.deepEqual(await mails(), []);
    const hashes = await db.all`select password_hash from users where id = ${alice.id}`;
    assert.deepEqual(hashes, [{ password_hash: '' }]);
    assert.deepEqual(await db.all`select user_id from deletions`, []);
    assert.equal((await service.get('/api/sessions', alice)).status, 401);
  });

  test('is another one than whom an earlier version deleted, who stays deleted', async (t) => {
    const { db, alice, logIn, operate } = await start(t);
    await db.run`update users set status = 'deleted' where id = ${alice.id}`;
    assert.equal((await logIn()).error, 'unknown_user');
    assert.equal((await logIn(MAILBOX)).error, 'unknown_user');
    await assert.rejects(operate('suspend'), /was deleted/);
    await operate('restore');
    assert.equal((await logIn()).status, 200);
  });

  test('can leave again after an earlier version restored them, which knows no deletions', async (t) => {
    const { service, clock, db, alice, ask, logIn, keep } = await start(t);
    await ask();
    await db.run`update users set status = 'active' where id = ${alice.id}`;
    clock.add(DAY_MS);
    const { token } = await logIn();
    const asked = await service.post('/api/account/delete', {}, { token });
    const { ticket, until } = await logIn();
    assert.deepEqual([asked.body.data.until, until], Array(2).fill(clock.world.now() + 30 * DAY_MS));
    assert.equal((await keep(ticket)).status, 200);
  });
});
