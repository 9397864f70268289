import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onNodes, type TestDatabase } from '../../../test/databases.ts';
import { type Answer, type Person, type ServiceOptions, startService } from '../../../test/harness.ts';
import { type ReceivedMail, startSmtp } from '../../../test/smtp.ts';
import { deleteUser } from '../../leaving/remove-user.ts';
import { restoreUser, suspendUser } from '../account-status.ts';
import { removeExpiredCodes } from './addresses.ts';
import { requestCode } from './verification.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PUBLIC_URL = 'https://chat.example.org';

/** A service that sends mail, with the user alice, and a clock that the test moves. */
async function start(t: TestContext, database: TestDatabase, options: ServiceOptions = {}) {
  let now = 1_790_000_000_000;
  const smtp = await startSmtp(t);
  const service = await startService(t, database, {
    ...options,
    env: { SMTP_URL: smtp.url, PUBLIC_URL, ...options.env },
    world: { now: () => now, monotonicMs: () => now },
  });
  const { db } = service.services;
  const alice = await service.join('alice');
  const post = (path: string, body: object, person?: Pick<Person, 'token'>) =>
    service.post(`/api/account/${path}`, body, person ? { token: person.token } : {});
  const request = (email: unknown, person: Pick<Person, 'token'> = alice, lang = 'en') =>
    post('email', { email, lang }, person);
  return {
    service,
    smtp,
    db,
    alice,
    pass: (ms: number) => {
      now += ms;
    },
    confirm: (person: Person = alice) => post('confirm', { password: person.password }, person),
    request,
    /** Asks for a mail and waits until it has arrived. @returns what it has */
    async receive(email: string, person: Pick<Person, 'token'> = alice) {
      const { status, text } = await request(email, person);
      assert.equal(status, 200, text);
      await service.mails.runDue();
      // A mail without a code may arrive after it, such as one about an address that was removed.
      return readMail(smtp.received().findLast(({ text }) => text.includes('/verify-email#')));
    },
    verify: (code: string, person: Pick<Person, 'token'> = alice) => post('email/verify', { code }, person),
    open: (token: string) => post('email/verify', { token }),
    remove: (person: Pick<Person, 'token'> = alice) => post('email/remove', {}, person),
    account: async (person: Pick<Person, 'token'> = alice) => {
      const { email, pending_email } = (await service.get('/api/account', { token: person.token })).body.data;
      return [email, pending_email];
    },
    /** What the account log has, without the sign-up. */
    acts: async ({ id }: Pick<Person, 'id'> = alice) =>
      (
        await db.all<{ what: string; data: string }>`
          select what, data from account_log where user_id = ${id} and what <> 'signed_up' order by id`
      ).map(({ what, data }) => (what === 'mail' ? `mail ${JSON.parse(data).kind}` : what)),
  };
}

function readMail(mail: ReceivedMail | undefined) {
  assert.ok(mail, 'no mail');
  const code = /\b\d{8}\b/.exec(mail.text)?.[0] ?? assert.fail(mail.text);
  const [link = '', token = ''] = /https?:\S+#(\S+)/.exec(mail.text) ?? [];
  return { mail, code, link, token };
}

const other = (code: string) => String((Number(code) + 1) % 10 ** 8).padStart(8, '0');

const INVALID = { code: 400, error: 'code_invalid', msg: '验证码不正确或已过期' };
const assertInvalid = ({ status, body }: Answer) => assert.deepEqual([status, body], [400, INVALID]);
const assertVerified = ({ status, body }: Answer, email: string) =>
  assert.deepEqual([status, body], [200, { code: 200, data: { email } }]);

onEachDatabase('A verified address', (database) => {
  test('the code of the mail verifies it, once; its key is in lower case, its host in ASCII', async (t) => {
    const { db, alice, receive, verify, account, acts } = await start(t, database);
    const { code } = await receive('Alice@xn--bcher-kva.example');
    assert.deepEqual(await account(), ['', 'Alice@xn--bcher-kva.example']);
    assertVerified(await verify(code), 'Alice@xn--bcher-kva.example');
    assert.deepEqual(await account(), ['Alice@xn--bcher-kva.example', '']);
    const rows = await db.all`select user_id, address, address_key, language from emails`;
    const [address, address_key] = ['Alice@xn--bcher-kva.example', 'alice@xn--bcher-kva.example'];
    assert.deepEqual(rows, [{ user_id: alice.id, address, address_key, language: 'en' }]);
    assertInvalid(await verify(code));
    assert.deepEqual(await acts(), ['mail verify', 'email_verified']);
  });

  test('the link verifies it without a session, by a POST, once', async (t) => {
    const { receive, open, verify, account } = await start(t, database);
    const { code, token, link } = await receive('alice@mail.example');
    assert.equal(link, `${PUBLIC_URL}/verify-email#${token}`);
    assertVerified(await open(token), 'alice@mail.example');
    assert.deepEqual(await account(), ['alice@mail.example', '']);
    assertInvalid(await open(token));
    assertInvalid(await verify(code));
    for (const unknown of ['', 'A'.repeat(43), '\u{1f511}']) assertInvalid(await open(unknown));
  });

  test('the mail names nobody, and its links no host that a request names', async (t) => {
    const { service, smtp } = await start(t, database);
    const mallory = await service.join('evil.example/login');
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const body = { email: 'victim@mail.example', lang: 'zh-TW' };
    const { status } = await service.post('/api/account/email', body, { token: mallory.token, headers });
    assert.equal(status, 200);
    await service.mails.runDue();
    const { mail, code } = readMail(smtp.received('victim@mail.example')[0]);
    assert.equal(mail.subject, '确认你的邮箱');
    assert.ok(mail.text.includes(`你的验证码是 ${code}，15 分钟内有效`), mail.text);
    for (const text of [mail.subject, mail.text, mail.html]) assert.doesNotMatch(text, /evil/);
  });

  test('neither code nor token is stored', async (t) => {
    const { service, db, alice, receive } = await start(t, database);
    const { code, token } = await receive('alice@mail.example');
    const [row] = await db.all<{ code_hash: string; link_hash: string }>`select * from email_codes`;
    const { mac } = service.services.accounts;
    assert.equal(row?.code_hash, mac('email-code', `${alice.id} ${code}`));
    assert.doesNotMatch(JSON.stringify(row), RegExp(`${code}|${token}`));
    assert.doesNotMatch(service.logLines.join(), RegExp(`${code}|${token}|mail\\.example`));
  });

  test('a code is tried 5 times: the right one of the sixth try is refused, and so is the link', async (t) => {
    const { receive, verify, open, account, alice, confirm, pass } = await start(t, database);
    const first = await receive('alice@mail.example');
    for (let i = 0; i < 4; i++) assertInvalid(await verify(other(first.code)));
    assertVerified(await verify(first.code), 'alice@mail.example');

    const second = await receive('second@mail.example');
    const wrong = Array.from({ length: 5 }, () => verify(other(second.code)));
    for (const answer of await Promise.all(wrong)) assertInvalid(answer);
    assert.deepEqual(await account(), ['alice@mail.example', ''], 'it waits no longer');
    assertInvalid(await verify(second.code));
    assertInvalid(await open(second.token));
    pass(HOUR_MS);
    await confirm(alice);
    assertVerified(await verify((await receive('second@mail.example')).code), 'second@mail.example');
  });

  test('parallel tries are limited alike', async (t) => {
    const { receive, verify } = await start(t, database);
    const { code } = await receive('alice@mail.example');
    for (const answer of await Promise.all(Array.from({ length: 12 }, () => verify(other(code)))))
      assertInvalid(answer);
    assertInvalid(await verify(code));
  });

  test('a code that is tried before its mail is built is refused, and does not count', async (t) => {
    const mailBuilders = { verify: async () => undefined };
    const { service, db, request, verify, open, account } = await start(t, database, { mailBuilders });
    assert.equal((await request('alice@mail.example')).status, 200);
    await service.mails.runDue();
    for (const code of ['', '00000000', 'null', '12345678']) assertInvalid(await verify(code));
    assertInvalid(await open(''));
    assert.deepEqual(await db.all`select code_hash, tries from email_codes`, [{ code_hash: null, tries: 0 }]);
    assert.deepEqual(await account(), ['', 'alice@mail.example']);
  });

  test('code and link end 15 minutes after the mail is built, and are removed', async (t) => {
    const { db, receive, verify, open, pass, service } = await start(t, database);
    const { code, token } = await receive('alice@mail.example');
    pass(15 * MINUTE_MS);
    assertInvalid(await verify(code));
    assertInvalid(await open(token));
    await removeExpiredCodes(db, service.services.clock.now() - 1);
    assert.equal((await db.all`select user_id from email_codes`).length, 1);
    await removeExpiredCodes(db, service.services.clock.now());
    assert.deepEqual(await db.all`select user_id from email_codes`, []);
  });

  test('a code does not outlive its 15 minutes when the clock is set back', async (t) => {
    const { receive, verify, open, pass } = await start(t, database);
    const { code, token } = await receive('alice@mail.example');
    pass(-1);
    assertInvalid(await verify(code));
    assertInvalid(await open(token));
    pass(1);
    assertVerified(await verify(code), 'alice@mail.example');
  });

  test('the account log names the session that sends a code, and none that opens a link', async (t) => {
    const { service, db, alice, receive, verify, remove } = await start(t, database);
    const bob = await service.join('bob');
    await verify((await receive('alice@mail.example')).code);
    await remove();
    const { token } = await receive('alice@mail.example');
    assert.equal((await service.post('/api/account/email/verify', { token }, bob)).status, 200);
    const sessions = await db.all<{ session_id: string }>`
      select session_id from account_log where user_id = ${alice.id} and what = 'email_verified' order by id`;
    const [own] = await db.all<{ id: string }>`select id from sessions where user_id = ${alice.id}`;
    assert.deepEqual(sessions, [{ session_id: own?.id }, { session_id: '' }]);
  });

  test('the address of a user whom the version before deleted is free', async (t) => {
    const { service, db, alice, receive, verify } = await start(t, database);
    const bob = await service.join('bob');
    await verify((await receive('bob@mail.example', bob)).code, bob);
    await db.run`update users set status = 'deleted' where id = ${bob.id}`;
    assertVerified(await verify((await receive('bob@mail.example')).code), 'bob@mail.example');
    assert.deepEqual(await db.all`select user_id from emails`, [{ user_id: alice.id }]);
  });

  test('the 15 minutes start when the mail is built', async (t) => {
    const { smtp, service, request, pass, verify } = await start(t, database);
    smtp.answerNext({ at: 'rcpt', code: 451 });
    await request('alice@mail.example');
    await service.mails.runDue();
    pass(5 * MINUTE_MS);
    await service.mails.runDue();
    const { code } = readMail(smtp.received('alice@mail.example')[0]);
    pass(15 * MINUTE_MS - 1);
    assertVerified(await verify(code), 'alice@mail.example');
  });

  test('a retry makes a new code, keeps the tries, and is in the account log once', async (t) => {
    const { smtp, service, request, pass, verify, acts } = await start(t, database);
    // The first mail arrives, but its server does not say so.
    smtp.answerNext('accept-and-drop');
    await request('alice@mail.example');
    await service.mails.runDue();
    const first = readMail(smtp.received('alice@mail.example')[0]);
    for (let i = 0; i < 4; i++) assertInvalid(await verify(other(first.code)));
    pass(MINUTE_MS);
    await service.mails.runDue();
    const [, mail] = smtp.received('alice@mail.example');
    const second = readMail(mail);
    assert.notEqual(second.token, first.token);
    assertInvalid(await verify(second.code === first.code ? other(first.code) : first.code));
    assertInvalid(await verify(second.code));
    assert.deepEqual(await acts(), ['mail verify']);
  });

  test('a later request replaces an earlier one, whose mail is not tried again', async (t) => {
    const { smtp, service, db, request, receive, pass, verify } = await start(t, database);
    smtp.answerNext({ at: 'rcpt', code: 451 });
    await request('alice@mail.example');
    await service.mails.runDue();
    pass(1);
    const { code } = await receive('alice@mail.example');
    pass(MINUTE_MS);
    await service.mails.runDue();
    assert.equal(smtp.received().length, 1);
    assert.deepEqual(await db.all`select id from mail_jobs`, []);
    assertVerified(await verify(code), 'alice@mail.example');
  });

  test('of two calls at once with one code, or one link, one succeeds', async (t) => {
    const { receive, verify, open, account } = await start(t, database);
    for (const act of ['code', 'token'] as const) {
      const secret = await receive(`${act}@mail.example`);
      const use = () => (act === 'code' ? verify(secret.code) : open(secret.token));
      const answers = await Promise.all([use(), use(), use()]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400], act);
      for (const answer of answers) if (answer.status === 400) assertInvalid(answer);
      assert.deepEqual(await account(), [`${act}@mail.example`, '']);
    }
  });

  test('the code of another account is refused', async (t) => {
    const { service, receive, verify, account } = await start(t, database);
    const bob = await service.join('bob');
    const { code } = await receive('alice@mail.example');
    assertInvalid(await verify(code, bob));
    const ofBob = await receive('bob@mail.example', bob);
    if (ofBob.code !== code) assertInvalid(await verify(code, bob));
    assert.deepEqual(await account(bob), ['', 'bob@mail.example']);
  });

  test('of two accounts that verify one address at once, one gets it, and the other learns it by its code alone', async (t) => {
    const { service, db, receive, verify, open, account, remove, alice, acts } = await start(t, database);
    const bob = await service.join('bob');
    const first = await receive('shared@mail.example');
    const second = await receive('SHARED@mail.example', bob);
    const answers = await Promise.all([verify(first.code), verify(second.code, bob)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    const [winner, loser] = answers[0]?.status === 200 ? [alice, bob] : [bob, alice];
    const refused = answers.find(({ status }) => status === 400);
    assert.deepEqual(refused?.body, { code: 400, error: 'email_taken', msg: '该邮箱已被其他账号使用' });
    assert.deepEqual(await db.all`select user_id from emails`, [{ user_id: winner.id }]);
    assert.deepEqual(await acts(loser), ['mail verify']);

    // The other account gives it up: the same link works.
    assert.equal((await remove(winner)).status, 200);
    const { status } = await open(loser === bob ? second.token : first.token);
    assert.equal(status, 200);
    assert.deepEqual((await account(loser))[1], '');
  });

  test('two accounts that exchange their addresses at once get an answer each', async (t) => {
    const { service, db, receive, verify } = await start(t, database);
    const bob = await service.join('bob');
    assert.equal((await verify((await receive('a@mail.example')).code)).status, 200);
    assert.equal((await verify((await receive('b@mail.example', bob)).code, bob)).status, 200);
    const [first, second] = [await receive('b@mail.example'), await receive('a@mail.example', bob)];
    const answers = await Promise.all([verify(first.code), verify(second.code, bob)]);
    for (const { status, body } of answers) assert.ok(status === 200 || body.error === 'email_taken', body);
    assert.equal((await db.all`select user_id from emails`).length, 2);
  });

  test('with another address the old one gets a mail, and so it does when it is removed', async (t) => {
    const { service, smtp, receive, verify, remove, account, acts } = await start(t, database);
    await verify((await receive('first@mail.example')).code);
    await verify((await receive('second@mail.example')).code);
    await service.mails.runDue();
    const changed = smtp.received('first@mail.example').at(-1);
    assert.equal(changed?.subject, 'Your recovery address was changed');
    assert.match(changed.text, /^alice no longer uses this address/);
    assert.ok(changed.text.includes(PUBLIC_URL));
    assert.doesNotMatch(changed.text, /second@/);

    // The same mailbox in another spelling is no change.
    await verify((await receive('SECOND@mail.example')).code);
    await service.mails.runDue();
    assert.equal(smtp.received('second@mail.example').length, 1);

    const { status, body } = await remove();
    assert.deepEqual([status, body], [200, { code: 200, message: '已移除邮箱' }]);
    assert.deepEqual(await account(), ['', '']);
    await service.mails.runDue();
    assert.match(
      smtp.received('SECOND@mail.example').at(-1)?.text ?? '',
      /^alice no longer uses this address/,
    );
    assert.equal((await remove()).status, 200);
    const verified = [
      'mail verify',
      'email_verified',
      'mail verify',
      'email_changed',
      'mail address_changed',
    ];
    const rest = ['mail verify', 'email_verified', 'email_removed', 'mail address_changed'];
    assert.deepEqual(await acts(), [...verified, ...rest]);
  });

  test('removing also ends an address that waits', async (t) => {
    const { receive, remove, verify, account } = await start(t, database);
    const { code } = await receive('alice@mail.example');
    assert.equal((await remove()).status, 200);
    assert.deepEqual(await account(), ['', '']);
    assertInvalid(await verify(code));
  });

  test('asking and removing need a confirmed session, also after the limits; verifying does not', async (t) => {
    const { receive, request, remove, verify, confirm, pass, alice } = await start(t, database);
    const { code } = await receive('alice@mail.example');
    pass(5 * MINUTE_MS);
    for (let i = 0; i < 6; i++) {
      const { status, body } = await request('alice@mail.example');
      assert.deepEqual([status, body.error], [403, 'confirm_required']);
    }
    assert.equal((await remove()).body.error, 'confirm_required');
    assertVerified(await verify(code), 'alice@mail.example');
    await confirm(alice);
    assert.equal((await request('other@mail.example')).status, 200, 'refused calls did not count');
    assert.equal((await remove()).status, 200);
  });

  test('a confirmation that ends while the limits are asked is read again behind the lock', async (t) => {
    const { service, db, alice } = await start(t, database);
    const { accounts, clock, events } = service.services;
    const { mail } = accounts;
    const caller = (await accounts.authentication.identify(alice.token)) ?? assert.fail();
    const limitCodeMails = async () => void (await db.run`update sessions set confirmed_at = 0`);
    const context = { db, events, mail, mac: accounts.mac, limitCodeMails, client: {}, now: clock.now };
    await assert.rejects(requestCode(context, caller, 'a@mail.example', 'en'), { word: 'confirm_required' });
    assert.deepEqual(await db.all`select user_id from email_codes`, []);
  });

  test('a new password voids code and link: a thief may have asked for them', async (t) => {
    const { service, receive, open, alice } = await start(t, database);
    const { token } = await receive('thief@mail.example');
    const body = { oldPassword: alice.password, newPassword: 'a new password' };
    assert.equal((await service.post('/api/user/change-password', body, alice)).status, 200);
    assertInvalid(await open(token));
  });

  test('a suspended user verifies nothing, and gets no code that waited; a deleted one leaves nothing', async (t) => {
    const { service, smtp, db, alice, receive, request, verify, open } = await start(t, database);
    const { code, token } = await receive('alice@mail.example');
    smtp.answerNext({ at: 'rcpt', code: 451 });
    await request('second@mail.example');
    await service.mails.runDue();
    await db.transaction((tx) => suspendUser(tx, alice.id));
    // This process still remembers the token: no command has told it.
    assertInvalid(await verify(code));
    assertInvalid(await open(token));
    await db.transaction((tx) => restoreUser(tx, alice.id));
    assertInvalid(await open(token));

    const carol = await service.join('carol');
    await verify((await receive('carol@mail.example', carol)).code, carol);
    const pending = await receive('next@mail.example', carol);
    await db.transaction((tx) => deleteUser(tx, carol.id));
    assertInvalid(await open(pending.token));
    assert.deepEqual(await db.all`select user_id from emails`, []);
    assert.deepEqual(await db.all`select user_id from email_codes`, []);
  });

  test('a code needs a session, and one of the two is needed', async (t) => {
    const { service, receive, alice } = await start(t, database);
    const { code, token } = await receive('alice@mail.example');
    const verify = async (body: object, call = {}) =>
      (await service.post('/api/account/email/verify', body, call)).body.error;
    assert.equal(await verify({ code }), 'unauthenticated');
    assert.equal(await verify({ code }, { token: 'nonsense' }), 'unauthenticated');
    for (const body of [{}, { code, token }]) assert.equal(await verify(body, alice), 'invalid_field');
    for (const body of [{ code: 12345678 }, { token: null }])
      assert.equal(await verify(body, alice), 'code_invalid');
  });

  test('a session that ends while a code is verified verifies nothing', async (t) => {
    const { service, receive, verify, account, alice } = await start(t, database);
    const { code } = await receive('alice@mail.example');
    const { username, password } = alice;
    const { data: phone } = (await service.post('/api/login', { username, password })).body;
    const [ended] = await Promise.all([verify(code, phone), service.post('/api/logout', {}, phone)]);
    const [email] = await account();
    assert.equal(email, ended.status === 200 ? 'alice@mail.example' : '');
  });

  test('what is no single address is refused, and sends nothing', async (t) => {
    const { service, smtp, db, request } = await start(t, database);
    const long = `${'a'.repeat(64)}@${'b.'.repeat(93)}example`;
    const bad = ['', 'a', '@', 'a@b', 'a@b.example, c@d.example', 'a@b.example;c@d.example'];
    const sent = ['a@b.example\r\nBcc: c@d.example', '<c@d.example>', 'a <c@d.example>', '"a"@b.example'];
    const rest = ['G: c@d.example, e@d.example;', ' a@b.example', `a@${'b'.repeat(245)}.example`, 5, null];
    assert.equal(`${long}x`.length >= 255, true);
    for (const email of [...bad, ...sent, ...rest, `${long}x`]) {
      const { status, body } = await request(email);
      assert.deepEqual([status, body.error], [400, 'email_invalid'], String(email));
    }
    await service.mails.runDue();
    assert.deepEqual([smtp.received(), await db.all`select id from mail_jobs`], [[], []]);
  });

  test('the address is in no answer to others, nor in the events and the snapshot of its user', async (t) => {
    const { service, alice, receive, verify } = await start(t, database);
    const bob = await service.join('bob');
    await service.post('/api/friends/request', { userId: bob.id }, { token: alice.token });
    await service.post('/api/messages', { to: bob.id, cid: '1', body: 'hello' }, { token: alice.token });
    await verify((await receive('secret@mail.example')).code);
    await receive('pending@mail.example');
    const paths = ['/api/users', `/api/user/profile/${alice.id}`, '/api/friends', '/api/conversations'];
    for (const path of [...paths, '/api/sync', `/api/messages?peer=${alice.id}`])
      for (const { token } of [alice, bob])
        assert.doesNotMatch((await service.get(path, { token })).text, /mail\.example/, path);
    const { db } = service.services;
    assert.doesNotMatch(JSON.stringify(await db.all`select * from inbox`), /mail\.example/);
    assert.doesNotMatch(JSON.stringify(await db.all`select * from users`), /mail\.example/);
  });
});

onEachDatabase('Without SMTP_URL', (database) => {
  test('no address can be verified, but one can be removed', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const asked = await service.post('/api/account/email', { email: 'a@mail.example' }, { token });
    assert.deepEqual([asked.status, asked.body.error], [403, 'mail_off']);
    const { db } = service.services;
    await db.run`
      insert into emails (user_id, address, address_key, language, verified_at)
      values (${id}, ${'a@mail.example'}, ${'a@mail.example'}, ${'en'}, ${0})`;
    assert.equal((await service.post('/api/account/email/remove', {}, { token })).status, 200);
    assert.deepEqual(await db.all`select user_id from emails`, []);
    assert.deepEqual(await db.all`select id from mail_jobs`, []);
  });
});

function registerLimits(database: TestDatabase): void {
  test('an account asks for 5 mails an hour, an address gets 3 a day, over all nodes together', async (t) => {
    const { service, request, alice, confirm } = await start(t, database);
    const words: string[] = [];
    const ask = async (email: string, person: Person = alice) => {
      const { body } = await request(email, person);
      words.push(body.error ?? 'sent');
      return body;
    };
    for (let i = 0; i < 7; i++) await ask(`alice${i}@mail.example`);
    // What the account may not ask for does not use up the three of this address.
    for (let i = 0; i < 3; i++) await ask('victim@mail.example');
    assert.deepEqual(words.splice(0), [...Array(5).fill('sent'), ...Array(5).fill('too_many_mails')]);
    for (const name of ['bob', 'carol', 'dora', 'eve']) {
      const person = await service.join(name);
      await confirm(person);
      await ask(name === 'carol' ? 'VICTIM@mail.example' : 'victim@mail.example', person);
    }
    assert.deepEqual(words, ['sent', 'sent', 'sent', 'too_many_mails']);
    const { body } = await request('victim@mail.example', await service.join('frank'));
    assert.deepEqual(body.msg, '验证邮件发送过多，请稍后再试');
  });
}
onEachDatabase('Limits of code mails', registerLimits);
onNodes('Limits of code mails', registerLimits);

onNodes('A verified address', (database) => {
  test('one node sends the mail, others verify its code, count its tries and see the address', async (t) => {
    const { receive, verify, account, db } = await start(t, database);
    const { code } = await receive('alice@mail.example');
    for (const answer of await Promise.all(Array.from({ length: 4 }, () => verify(other(code)))))
      assertInvalid(answer);
    assert.deepEqual(await db.all`select tries from email_codes`, [{ tries: 4 }]);
    assertVerified(await verify(code), 'alice@mail.example');
    for (let i = 0; i < 3; i++) assert.deepEqual(await account(), ['alice@mail.example', '']);
  });
});
