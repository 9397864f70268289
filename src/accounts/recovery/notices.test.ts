import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../test/clocks.ts';
import { databaseEnv, onEachDeployment } from '../../../test/databases.ts';
import { startService } from '../../../test/harness.ts';
import { startSmtp } from '../../../test/smtp.ts';
import type { Options } from '../../commands/run.ts';
import { user } from '../../commands/user.ts';

const MINUTE_MS = 60_000;
const PUBLIC_URL = 'https://chat.example.org';
const MAILBOX = 'alice@example.org';

onEachDeployment('Mails about an account', (database) => {
  /** A service that sends mails, with alice, whose address is verified. */
  async function start(t: TestContext, language = 'en') {
    const [smtp, clock] = [await startSmtp(t), new ManualClock()];
    const env = { SMTP_URL: smtp.url, PUBLIC_URL };
    const service = await startService(t, database, { env, world: clock.world });
    const { config, db } = service.services;
    const alice = await service.join('alice');
    await db.run`
      insert into emails (user_id, address, address_key, language, verified_at)
      values (${alice.id}, ${MAILBOX}, ${MAILBOX}, ${language}, 1)`;
    const { username, password } = alice;
    return {
      service,
      db,
      smtp,
      clock,
      alice,
      /** Sends what waits. @returns the mails that arrived */
      async mails() {
        await service.mails.runDue();
        return smtp.received();
      },
      async logIn(from: string, device = 'Firefox on Linux') {
        const sent = { from, headers: { 'user-agent': device } };
        const { body } = await service.post('/api/login', { username, password }, sent);
        return String(body.data.token);
      },
      /** Runs `doorman user ACTION alice` beside the service. */
      async runCommand(action = 'password', options: Options = {}) {
        const { databaseUrl, dataDir } = config;
        const settings = databaseUrl === null ? { dataDir } : { databaseUrl };
        const [output, errors] = [new PassThrough().resume(), new PassThrough().resume()];
        const all = { ...databaseEnv(settings), ...env, BCRYPT_COST: '4' };
        await user({ env: all, input: new PassThrough(), output, errors }, [action, 'alice'], options);
      },
      /** What the account log says of mails. */
      entries: async () =>
        (
          await db.all<{ data: string }>`
            select data from account_log where user_id = ${alice.id} and what = 'mail' order by id`
        ).map(({ data }) => JSON.parse(data).kind),
    };
  }

  test('a new sign-in names device, network address and time, and its link signs that device out', async (t) => {
    const { service, alice, logIn, mails, entries } = await start(t);
    const token = await logIn('203.0.113.9');
    const [mail, ...others] = await mails();
    assert.deepEqual(others, []);
    const link = /#(\S+)/.exec(mail?.text ?? '')?.[1];
    assert.deepEqual(
      [mail?.to, mail?.subject, mail?.text],
      [
        MAILBOX,
        'New sign-in to your account',
        `Firefox on Linux, 203.0.113.9, 2026-09-21 14:13 UTC

If this was you, there's nothing to do. If not, sign that device out:
${PUBLIC_URL}/end-session#${link}

chat.example.org`,
      ],
    );
    assert.equal((await service.post('/api/sessions/end-by-link', { token: link })).status, 200);
    assert.equal((await service.get('/api/sessions', { token })).status, 401);
    assert.equal((await service.get('/api/sessions', { token: alice.token })).status, 200);
    assert.deepEqual(await entries(), ['new_sign_in']);
  });

  test('a program that signs in each minute from ever new networks causes one mail an hour', async (t) => {
    const { clock, logIn, mails } = await start(t);
    for (let minute = 0; minute < 61; minute++) {
      await logIn(`203.0.113.${minute}`);
      await mails();
      clock.add(MINUTE_MS);
    }
    assert.equal((await mails()).length, 2);
  });

  test('of several logins at once one is mailed', async (t) => {
    const { logIn, mails } = await start(t);
    await Promise.all(Array.from({ length: 6 }, (_, i) => logIn(`203.0.113.${i}`)));
    assert.equal((await mails()).length, 1);
  });

  test('what a device calls itself is text of one line, and no link', async (t) => {
    const { logIn, mails } = await start(t);
    await logIn('203.0.113.9', '<a href=https://evil.example>x</a>'.padEnd(190, '!'));
    const [mail] = await mails();
    assert.doesNotMatch(JSON.stringify(mail), /evil\.example/);
    assert.deepEqual(mail?.html.match(/<a /g)?.length, 1);
    const [line = ''] = mail?.text.split('\n') ?? [];
    assert.ok([...line].length < 120, line);
  });

  test('a changed password is mailed, in the language of the address', async (t) => {
    const { service, alice, mails, entries } = await start(t, 'zh');
    const body = { oldPassword: alice.password, newPassword: 'another one' };
    await service.post('/api/user/change-password', body, { token: alice.token });
    const [mail, ...others] = await mails();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [mail?.to, mail?.subject, mail?.text],
      [
        MAILBOX,
        '密码已更改',
        `账号 alice 的密码在 2026-09-21 14:13 UTC 更改，其他设备已退出登录。如果不是你，请立即重新设置密码：
${PUBLIC_URL}/forgot-password

chat.example.org`,
      ],
    );
    assert.deepEqual(await entries(), ['password_changed']);
  });

  test('so is one that was set by a link, and one that the operator set', async (t) => {
    const { service, clock, mails, runCommand, entries } = await start(t);
    await service.post('/api/password/forgot', { account: 'alice' });
    clock.add(1000);
    const [forgot] = await mails();
    const token = /#(\S+)/.exec(forgot?.text ?? '')?.[1];
    await service.post('/api/password-link', { token, newPassword: 'another one' });
    // Sent before the step to the time of the command, which is more than a day: a mail that still waited would expire.
    const [, byLink] = await mails();
    await runCommand();
    clock.add(Date.now() - clock.world.now());
    const [, , byOperator, ...others] = await mails();
    assert.deepEqual(others, []);
    const text = `The password of alice was changed at`;
    assert.ok(byLink?.text.startsWith(text));
    assert.ok(byOperator?.text.startsWith(text));
    assert.deepEqual(await entries(), ['forgot', 'password_changed', 'password_changed']);
  });

  test('a suspension is mailed with its reason and end, unless it was lifted or replaced before', async (t) => {
    const { clock, mails, runCommand, entries } = await start(t);
    const next = async () => {
      clock.add(Date.now() + 1_000 - clock.world.now());
      return mails();
    };
    await runCommand('suspend', { reason: 'Spam, see https://rules.example' });
    await runCommand('restore');
    assert.deepEqual(await next(), []);
    await runCommand('suspend');
    await new Promise((resolve) => setTimeout(resolve, 2)); // another millisecond
    await runCommand('suspend', { reason: 'Spam, see https://rules.example', until: '2126-01-31T18:00:00Z' });
    const [mail, ...others] = await next();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [mail?.to, mail?.subject, mail?.text],
      [
        MAILBOX,
        'Your account was suspended',
        `The account alice is suspended until 2126-01-31 18:00 UTC. Nobody can sign in to it.

Reason: Spam, see https://rules.example

chat.example.org`,
      ],
    );
    assert.deepEqual(await entries(), ['suspended']);
  });

  test('a download of the data is mailed with the device and the time', async (t) => {
    const { service, alice, mails, entries } = await start(t);
    const { ticket } = (await service.post('/api/account/export', {}, alice)).body.data;
    const headers = { 'user-agent': 'Firefox on evil.example' };
    await service.call('GET', `/api/account/export?ticket=${ticket}`, { headers });
    const [mail, ...others] = await mails();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [mail?.subject, mail?.text],
      [
        'Your data was downloaded',
        `alice, 2026-09-21 14:13 UTC, Firefox on evil.\u2060example. If it wasn't you, change your password:
${PUBLIC_URL}/settings/security

chat.example.org`,
      ],
    );
    assert.deepEqual(await entries(), ['export_made']);
  });

  test('a mail that is sent again has the same text, and one entry in the account log', async (t) => {
    const { smtp, clock, logIn, mails, entries } = await start(t);
    smtp.answerNext('accept-and-drop');
    await logIn('203.0.113.9');
    await mails();
    clock.add(10_000);
    const [first, second, ...others] = await mails();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [second?.text, second?.headers['message-id']],
      [first?.text, first?.headers['message-id']],
    );
    assert.deepEqual(await entries(), ['new_sign_in']);
  });

  test('it goes to the address of the moment of the act', async (t) => {
    const { service, db, smtp, clock, alice, mails } = await start(t);
    smtp.answerNext({ at: 'rcpt', code: 451 });
    const body = { oldPassword: alice.password, newPassword: 'another one' };
    await service.post('/api/user/change-password', body, { token: alice.token });
    await mails();
    await db.run`update emails set address = 'thief@example.org', address_key = 'thief@example.org'`;
    clock.add(10_000);
    assert.deepEqual(
      (await mails()).map(({ to }) => to),
      [MAILBOX],
    );
  });

  test('who has no verified address, or is deleted before it is sent, gets none', async (t) => {
    const { service, db, smtp, clock, alice, logIn, mails } = await start(t);
    const bob = await service.join('bob');
    const body = { oldPassword: bob.password, newPassword: 'another one' };
    await service.post('/api/user/change-password', body, { token: bob.token });
    smtp.answerNext({ at: 'rcpt', code: 451 });
    await logIn('203.0.113.9');
    await mails();
    await db.run`update users set status = 'deleted' where id = ${alice.id}`;
    clock.add(10_000);
    assert.deepEqual(await mails(), []);
    assert.deepEqual(await db.all`select id from mail_jobs`, []);
  });

  test('without SMTP_URL no mail is queued, and the event is appended', async (t) => {
    const service = await startService(t, database);
    const { db } = service.services;
    const { id, username, password, token } = await service.join('alice');
    await db.run`
      insert into emails (user_id, address, address_key, language, verified_at) values (${id}, 'a@b.org', 'a@b.org', 'en', 1)`;
    await service.post('/api/login', { username, password }, { from: '203.0.113.9' });
    const body = { oldPassword: password, newPassword: 'another one' };
    await service.post('/api/user/change-password', body, { token });
    assert.deepEqual(await db.all`select id from mail_jobs`, []);
    const events = await db.all`select seq from inbox where user_id = ${id} and event = 'account'`;
    assert.equal(events.length, 1);
  });
});
