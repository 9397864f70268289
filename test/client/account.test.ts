import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DoormanError } from 'doorman-client';
import { suspendUser } from '../../src/accounts/account-status.ts';
import { onSqlite, type TestDatabase } from '../databases.ts';
import { codeIn, tokenIn } from '../mailed.ts';
import { startSmtp } from '../smtp.ts';
import { Device, join } from './device.ts';
import { serve } from './serving.ts';

const MINUTE_MS = 60_000;

/** A service that sends mail, and what arrived. */
async function serveWithMail(t: TestContext, database: TestDatabase) {
  const clock = { addedMs: 0 };
  const smtp = await startSmtp(t);
  const service = await serve(t, database, {
    env: { SMTP_URL: smtp.url, PUBLIC_URL: 'https://chat.example.org' },
    world: { now: () => Date.now() + clock.addedMs, monotonicMs: () => performance.now() + clock.addedMs },
  });
  /** The text of the newest mail to an address. */
  async function readMail(to: string): Promise<string> {
    await service.mails.runDue();
    const mail = smtp.received(to).at(-1);
    assert.ok(mail, `no mail to ${to}`);
    return mail.text;
  }
  return { service, smtp, clock, readMail };
}

onSqlite('The account by the kit', (database) => {
  test('an address is verified by the code, or by the link without a session, and removed', async (t) => {
    const { service, readMail } = await serveWithMail(t, database);
    const { doorman } = await new Device(t, service.url).signUp('alice');
    const { api } = doorman;
    assert.equal((await api.options()).mail, true);

    await api.setEmail({ email: 'Alice@example.org', lang: 'en' });
    const waiting = await api.account();
    assert.deepEqual([waiting.email, waiting.pending_email], ['', 'Alice@example.org']);
    const code = codeIn(await readMail('Alice@example.org'));
    const wrong = code === '12345678' ? '12345679' : '12345678';
    await assert.rejects(api.verifyEmail({ code: wrong }), { code: 400, error: 'code_invalid' });
    assert.deepEqual(await api.verifyEmail({ code }), { email: 'Alice@example.org' });
    const verified = await api.account();
    assert.deepEqual([verified.email, verified.pending_email], ['Alice@example.org', '']);
    await assert.rejects(api.verifyEmail({ code }), { code: 400, error: 'code_invalid' });

    await api.setEmail({ email: 'new@example.org' });
    const token = tokenIn(await readMail('new@example.org'), 'verify-email');
    const stranger = new Device(t, service.url).doorman.api;
    await assert.rejects(stranger.verifyEmail({ code: '12345678' }), { code: 401, error: 'signed_out' });
    assert.deepEqual(await stranger.verifyEmail({ token }), { email: 'new@example.org' });
    assert.equal((await api.account()).email, 'new@example.org');

    await api.removeEmail();
    const { email, pending_email } = await api.account();
    assert.deepEqual([email, pending_email], ['', '']);
  });

  test('a session is confirmed for five minutes by the password', async (t) => {
    const { service, clock } = await serveWithMail(t, database);
    const { doorman } = await new Device(t, service.url).signUp('alice');
    const { api } = doorman;
    clock.addedMs = 6 * MINUTE_MS;
    assert.equal((await api.account()).confirmed_until, 0);
    const refused = { code: 403, error: 'confirm_required', msg: '请先输入密码确认' };
    await assert.rejects(api.setEmail({ email: 'alice@example.org' }), refused);
    await assert.rejects(api.removeEmail(), refused);
    await assert.rejects(api.confirm('another password'), { code: 400, error: 'wrong_password' });
    await assert.rejects(api.removeEmail(), refused);
    const { until } = await api.confirm('password-of-alice');
    assert.ok(Math.abs(until - (Date.now() + clock.addedMs + 5 * MINUTE_MS)) < MINUTE_MS, String(until));
    assert.equal((await api.account()).confirmed_until, until);
    await api.setEmail({ email: 'alice@example.org' });
  });

  test('what an address is refused for has a word of its own', async (t) => {
    const { service, clock, readMail } = await serveWithMail(t, database);
    const { api } = (await new Device(t, service.url).signUp('alice')).doorman;
    const { api: bobs } = (await new Device(t, service.url).signUp('bob')).doorman;
    for (const email of ['', 'alice', 'a@b@example.org', 'a@x.org, b@y.org', '<a@x.org>'])
      await assert.rejects(api.setEmail({ email }), { code: 400, error: 'email_invalid' }, email);

    await api.setEmail({ email: 'shared@example.org' });
    const code = codeIn(await readMail('shared@example.org'));
    await bobs.setEmail({ email: 'SHARED@example.org' });
    const others = codeIn(await readMail('SHARED@example.org'));
    await api.verifyEmail({ code });
    await assert.rejects(bobs.verifyEmail({ code: others }), { code: 400, error: 'email_taken' });

    for (let n = 2; n <= 5; n++) await api.setEmail({ email: `a${n}@example.org` });
    await assert.rejects(api.setEmail({ email: 'a6@example.org' }), (error: unknown) => {
      assert.ok(error instanceof Error && 'error' in error && 'retryAfterMs' in error);
      assert.equal(error.error, 'too_many_mails');
      assert.ok(Number(error.retryAfterMs) > 0 && Number(error.retryAfterMs) <= 60 * MINUTE_MS);
      return true;
    });
    clock.addedMs = 61 * MINUTE_MS;
    await api.confirm('password-of-alice');
    await api.setEmail({ email: 'a6@example.org' });
  });

  test('without mail the calls that send are refused, and the others work', async (t) => {
    const service = await serve(t, database);
    const { api } = (await new Device(t, service.url).signUp('alice')).doorman;
    assert.equal((await api.options()).mail, false);
    const off = { code: 403, error: 'mail_off' };
    await assert.rejects(api.setEmail({ email: 'alice@example.org' }), off);
    await assert.rejects(api.forgotPassword({ account: 'alice' }), off);
    await assert.rejects(api.verifyEmail({ code: '12345678' }), { code: 400, error: 'code_invalid' });
    await api.removeEmail();
    assert.equal((await api.account()).email, '');
  });

  test('a user with the mailbox alone sets a new password and signs in, and nobody else learns anything', async (t) => {
    const { service, smtp, clock, readMail } = await serveWithMail(t, database);
    const { api } = (await new Device(t, service.url).signUp('alice')).doorman;
    await api.setEmail({ email: 'alice@example.org', lang: 'en' });
    await api.verifyEmail({ code: codeIn(await readMail('alice@example.org')) });
    const lost = new Device(t, service.url).doorman;
    await lost.api.forgotPassword({ account: 'nobody@example.org' });
    await lost.api.forgotPassword({ account: 'alice@example.org', lang: 'en' });
    clock.addedMs += 1000;
    const text = await readMail('alice@example.org');
    assert.match(text, /the account alice\b/);
    const token = tokenIn(text, 'set-password');
    assert.equal(smtp.received().length, 2);
    await lost.api.usePasswordLink({ token, newPassword: 'remembered now' });
    await assert.rejects(lost.api.usePasswordLink({ token, newPassword: 'and once more' }), {
      code: 400,
      error: 'link_invalid',
    });
    await lost.signIn({ username: 'alice@example.org', password: 'remembered now' });
    assert.equal(lost.session?.username, 'alice');
  });

  test('a sign-in from elsewhere is an event, and the link of its mail ends that session', async (t) => {
    const { service, readMail } = await serveWithMail(t, database);
    const alice = await join(t, service.url, 'alice');
    const { api } = alice.doorman;
    await api.setEmail({ email: 'alice@example.org', lang: 'en' });
    await api.verifyEmail({ code: codeIn(await readMail('alice@example.org')) });
    const login = { username: 'alice', password: 'password-of-alice' };
    const elsewhere = { from: '198.51.100.7', headers: { 'user-agent': 'Browser/1' } };
    const { body } = await service.post('/api/login', login, elsewhere);

    const { seq, ...event } = await alice.first('account');
    const sessions = await api.sessions();
    const session = sessions.find(({ device }) => device === 'Browser/1')?.id;
    assert.ok(seq > 0 && session);
    assert.deepEqual(event, { what: 'new_sign_in', session, device: 'Browser/1' });
    assert.ok(!JSON.stringify(event).includes('198.51.100'));

    const token = tokenIn(await readMail('alice@example.org'), 'end-session');
    const stranger = new Device(t, service.url).doorman.api;
    await assert.rejects(stranger.endSessionByLink(`${token}x`), { code: 400, error: 'link_invalid' });
    await stranger.endSessionByLink(token);
    assert.deepEqual((await alice.first('sessions')).ended, [session]);
    assert.equal((await service.get('/api/sessions', { token: body.data.token })).status, 401);
    await assert.rejects(stranger.endSessionByLink(token), { code: 400, error: 'link_invalid' });
  });

  test('a sign-in to a suspended account says why and until when', async (t) => {
    const service = await serve(t, database);
    const { id, doorman } = await new Device(t, service.url).signUp('alice');
    const login = { username: 'alice', password: 'password-of-alice' };
    const refusal = async (suspension?: { reason: string; until: number | null; at: number }) => {
      await service.services.db.transaction((tx) => suspendUser(tx, id, suspension));
      const error: unknown = await doorman.api.login(login).catch((error) => error);
      assert.ok(error instanceof DoormanError);
      assert.deepEqual([error.code, error.error, error.msg], [403, 'account_suspended', '账号已停用']);
      return error.suspension;
    };
    const now = Date.now();
    const until = now + 60 * MINUTE_MS;
    assert.deepEqual(await refusal({ reason: 'spam', until, at: now }), { reason: 'spam', until });
    assert.deepEqual(await refusal({ reason: '', until: null, at: now }), { reason: '', until: 0 });
    assert.deepEqual(await refusal(), { reason: '', until: 0 });
    const wrong: unknown = await doorman.api.login({ ...login, password: 'wrong' }).catch((error) => error);
    assert.ok(wrong instanceof DoormanError && wrong.suspension === undefined);
  });

  test('all other sessions end by one call, with one event', async (t) => {
    const service = await serve(t, database);
    const alice = await join(t, service.url, 'alice');
    const others = [];
    for (let n = 0; n < 3; n++) others.push(await new Device(t, service.url).signIn('alice'));
    const { api } = alice.doorman;
    const ids = (await api.sessions()).filter(({ current }) => current === 0).map(({ id }) => id);
    await api.endOtherSessions();
    assert.deepEqual(
      (await api.sessions()).map(({ current }) => current),
      [1],
    );
    assert.deepEqual((await alice.first('sessions')).ended.toSorted(), ids.toSorted());
    for (const { doorman } of others)
      await assert.rejects(doorman.api.sessions(), { code: 401, error: 'unauthenticated' });
    await api.endOtherSessions();
    assert.ok(alice.doorman.session);
  });

  test('the log comes in pages, newest first', async (t) => {
    const service = await serve(t, database);
    const alice = await new Device(t, service.url).signUp('alice');
    const { api } = alice.doorman;
    for (let n = 0; n < 3; n++) await (await new Device(t, service.url).signIn('alice')).doorman.signOut();
    const whole = await api.accountLog();
    assert.equal(whole.next, undefined);
    assert.deepEqual(
      whole.items.map(({ what }) => what),
      [...Array(3)].flatMap(() => ['signed_out', 'signed_in']).concat('signed_up'),
    );
    const paged = [];
    for (let before: string | undefined, pages = 0; pages < 10; pages++) {
      const page = await api.accountLog({ limit: 3, ...(before !== undefined && { before }) });
      paged.push(...page.items);
      before = page.next;
      if (before === undefined) break;
    }
    assert.deepEqual(paged, whole.items);
    await assert.rejects(api.accountLog({ limit: 101 }), { code: 400, error: 'invalid_field' });
  });
});
