import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../test/clocks.ts';
import { onEachDatabase, onEachDeployment } from '../../../test/databases.ts';
import { eventually } from '../../../test/eventually.ts';
import { type ServiceOptions, startService } from '../../../test/harness.ts';
import { addUser } from '../../../test/people.ts';
import { startSmtp } from '../../../test/smtp.ts';
import type { Db } from '../../db/db.ts';
import { getValue } from '../../db/installation-values.ts';
import { logAct } from '../log/account-log.ts';
import { createPasswordLink } from '../password-links.ts';
import { buildForgotMail } from './forgot-password.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PUBLIC_URL = 'https://chat.example.org';
const SENT = { code: 200, message: 'If the account has a verified address, an email is on its way' };

/** Gives a user a verified address. */
async function verify(db: Db, userId: string, address: string, language = 'en'): Promise<void> {
  await db.run`
    insert into emails (user_id, address, address_key, language, verified_at)
    values (${userId}, ${address}, ${address.toLowerCase()}, ${language}, 1)`;
}

onEachDeployment('POST /api/password/forgot', (database) => {
  /** A service that sends mails, with alice, whose address is verified. */
  async function start(t: TestContext, env: ServiceOptions['env'] = {}) {
    const [smtp, clock] = [await startSmtp(t), new ManualClock()];
    const service = await startService(t, database, {
      env: { SMTP_URL: smtp.url, PUBLIC_URL, ...env },
      world: clock.world,
    });
    const { db } = service.services;
    const alice = await service.join('alice');
    await verify(db, alice.id, 'Alice@example.org');
    const post = (account: string, headers: Record<string, string> = {}) =>
      service.post(
        '/api/password/forgot',
        { account, lang: 'en' },
        { headers: { 'accept-language': 'en', ...headers } },
      );
    return {
      service,
      db,
      smtp,
      clock,
      alice,
      post,
      /** Asks for a mail and sends what waits. @returns the tokens of the links that were mailed so far */
      async forgot(account: string, headers: Record<string, string> = {}): Promise<string[]> {
        const { body } = await post(account, headers);
        assert.deepEqual(body, SENT);
        // It is due within a second, which would move the moments that a test means.
        await db.run`update mail_jobs set due_at = created_at where tries = 0`;
        await service.mails.runDue();
        return tokens();
      },
      tokens,
      /** Tries a link. @returns the status */
      use: async (token = '', newPassword = 'a new password') =>
        (await service.post('/api/password-link', { token, newPassword })).status,
      jobs: () =>
        db.all<{
          account: string;
          dedup: string;
        }>`select account, dedup from mail_jobs where kind = 'forgot'`,
      /** The entries about such mails in alice's account log. */
      entries: async () =>
        (
          await db.all<{
            data: string;
          }>`select data from account_log where user_id = ${alice.id} and what = 'mail'`
        )
          .map(({ data }) => JSON.parse(data))
          .filter(({ kind }) => kind === 'forgot'),
    };

    function tokens(): string[] {
      return smtp.received().flatMap(({ text }) => /\/set-password#(\S+)/.exec(text)?.[1] ?? []);
    }
  }

  test('the mail names the user, and its link sets a new password once and ends all sessions', async (t) => {
    const { service, smtp, alice, forgot, use } = await start(t);
    const [token = ''] = await forgot('ALICE');
    const [mail] = smtp.received();
    assert.deepEqual(
      [mail?.to, mail?.subject, mail?.text],
      [
        'Alice@example.org',
        'Set a new password',
        `Someone asked for a new password for the account alice. Open this link to choose one. It works once, within an hour:
${PUBLIC_URL}/set-password#${token}

All your devices will be signed out. If it wasn't you, do nothing: your password stays as it is.

chat.example.org`,
      ],
    );
    assert.equal(
      (await service.get('/api/sessions', { token: alice.token })).status,
      200,
      'nothing has changed yet',
    );
    assert.equal(await use(token), 200);
    assert.equal((await service.get('/api/sessions', { token: alice.token })).status, 401);
    assert.equal(await use(token), 400);
    const login = { username: 'alice', password: 'a new password' };
    assert.equal((await service.post('/api/login', login)).status, 200);
  });

  test('the language is that of the call', async (t) => {
    const { service, smtp, clock } = await start(t);
    await service.post(
      '/api/password/forgot',
      { account: 'alice' },
      { headers: { 'accept-language': 'zh-CN' } },
    );
    clock.add(SECOND_MS);
    await service.mails.runDue();
    assert.match(smtp.received()[0]?.text ?? '', /^有人为账号 alice 请求重新设置密码。/);
  });

  test('an account is found by its verified address before a name of the same text', async (t) => {
    const { service, db, smtp, forgot } = await start(t);
    const impostor = await service.join('alice@example.org');
    await verify(db, impostor.id, 'impostor@example.org');
    assert.equal((await forgot('alice@EXAMPLE.org')).length, 1);
    assert.deepEqual(
      smtp.received().map(({ to, text }) => [to, text.includes('account alice.')]),
      [['Alice@example.org', true]],
    );
  });

  test('an address of a suspended user leaves the text to the user with that name', async (t) => {
    const { service, db, smtp, alice, forgot } = await start(t);
    const { id } = await service.join('alice@example.org');
    await verify(db, id, 'other@example.org');
    await db.run`update users set status = 'suspended' where id = ${alice.id}`;
    await forgot('alice@example.org');
    assert.deepEqual(
      smtp.received().map(({ to }) => to),
      ['other@example.org'],
    );
  });

  test('a text that only looks like an address is a job of its own', async (t) => {
    const { post, forgot } = await start(t);
    await post('ａlice@example.org');
    assert.equal((await forgot('alice@example.org')).length, 1);
  });

  test('who has no verified address, or no active account, gets no mail', async (t) => {
    const { service, db, smtp, forgot } = await start(t);
    const [bob, carol, dora] = [
      await service.join('bob'),
      await service.join('carol'),
      await service.join('dora'),
    ];
    await db.run`
      insert into email_codes (user_id, address, language, requested_at, expires_at)
      values (${bob.id}, 'bob@example.org', 'en', 1, ${2 ** 50})`;
    for (const [{ id, username }, status] of [
      [carol, 'suspended'],
      [dora, 'deleted'],
    ] as const) {
      await verify(db, id, `${username}@example.org`);
      await db.run`update users set status = ${status} where id = ${id}`;
    }
    for (const account of ['bob', 'carol', 'dora'])
      for (const text of [account, `${account}@example.org`]) await forgot(text);
    for (const text of [
      'nobody',
      'nobody@example.org',
      '<alice@example.org>',
      'alice@example.org, bob@example.org',
      ' ',
    ])
      await forgot(text);
    assert.deepEqual(smtp.received(), []);
    assert.equal((await db.all`select user_id from password_links`).length, 0);
  });

  test('repeated calls are one job while it waits, in any spelling', async (t) => {
    const { service, smtp, clock, post, jobs, tokens } = await start(t);
    smtp.answerAlways({ at: 'rcpt', code: 451 });
    for (const account of ['alice', 'ALICE', 'ａｌｉｃｅ', 'alice']) await post(account);
    clock.add(SECOND_MS);
    await service.mails.runDue();
    await post('Alice');
    const [job, ...others] = await jobs();
    assert.deepEqual([job?.account, others], ['alice', []]);
    assert.ok(!job?.dedup.includes('alice'));
    smtp.answerAlways(undefined);
    clock.add(10 * SECOND_MS);
    await service.mails.runDue();
    assert.equal(tokens().length, 1);
    assert.deepEqual(await jobs(), []);
  });

  test('a link is replaced by no other mail for 5 minutes', async (t) => {
    const { clock, forgot, use, entries } = await start(t);
    const [first] = await forgot('alice');
    assert.equal((await forgot('alice@example.org')).length, 1);
    clock.add(5 * MINUTE_MS - 1);
    assert.equal((await forgot('alice')).length, 1);
    clock.add(1);
    const [, second] = await forgot('alice');
    assert.equal(await use(first), 400, 'replaced');
    assert.equal(await use(second), 200);
    assert.equal((await entries()).length, 2);
    assert.equal((await forgot('alice')).length, 2, 'also where the link is used up');
  });

  test('a link of the operator is replaced by no mail for 5 minutes', async (t) => {
    const { db, clock, alice, forgot, use } = await start(t);
    const link = await db.transaction((tx) => createPasswordLink(tx, alice.id, clock.world.now()));
    clock.add(5 * MINUTE_MS - 1);
    assert.deepEqual(await forgot('alice'), []);
    assert.equal(await use(link?.token), 200);
    assert.equal((await forgot('alice')).length, 1);
  });

  test('five mails a day go to a user', async (t) => {
    const { clock, forgot, entries } = await start(t);
    for (let i = 0; i < 7; i++) {
      await forgot(i % 2 === 0 ? 'alice' : 'alice@example.org');
      clock.add(5 * MINUTE_MS);
    }
    assert.equal((await entries()).length, 5);
    clock.add(DAY_MS - 36 * MINUTE_MS);
    assert.equal((await forgot('alice')).length, 5);
    clock.add(MINUTE_MS);
    assert.equal((await forgot('alice')).length, 6, 'the first is a day old');
  });

  test('mails of a time before the clock was set back by more than a day do not count', async (t) => {
    const { db, clock, alice, forgot } = await start(t);
    const later = { userId: alice.id, what: 'mail', at: clock.world.now() + 2 * DAY_MS } as const;
    for (let i = 0; i < 5; i++) await logAct(db, { ...later, detail: { kind: 'forgot', job: `job-${i}` } });
    assert.equal((await forgot('alice')).length, 1);
  });

  test('a mail goes at a random moment of the next second', async (t) => {
    const { db, post } = await start(t);
    for (let i = 0; i < 15; i++) await post(`account ${i}`);
    const jobs = await db.all<{ ms: number }>`select due_at - created_at as ms from mail_jobs`;
    // One whose moment is the first millisecond may be done already.
    assert.ok(jobs.length > 10, `${jobs.length} mails wait`);
    assert.ok(jobs.every(({ ms }) => ms >= 0 && ms < SECOND_MS));
    assert.ok(new Set(jobs.map(({ ms }) => ms)).size > 1);
  });

  test('a retry replaces the link that its first try made, and is logged once', async (t) => {
    const { service, smtp, clock, forgot, tokens, use, entries } = await start(t);
    smtp.answerNext('accept-and-drop');
    const [lost] = await forgot('alice');
    clock.add(10 * SECOND_MS);
    await service.mails.runDue();
    const [, sent] = tokens();
    assert.equal(await use(lost), 400);
    assert.equal(await use(sent), 200);
    assert.equal((await entries()).length, 1);
  });

  test('a retry does not replace a link that was made since', async (t) => {
    const { service, db, smtp, clock, alice, forgot, tokens, use } = await start(t);
    smtp.answerNext({ at: 'data', code: 451 });
    await forgot('alice');
    const link = await db.transaction((tx) => createPasswordLink(tx, alice.id, clock.world.now()));
    clock.add(10 * SECOND_MS);
    await service.mails.runDue();
    assert.deepEqual(tokens(), []);
    assert.equal(await use(link?.token), 200);
  });

  test('a retry makes no link once its own was used, or ended by a new password', async (t) => {
    const { service, smtp, clock, alice, forgot, tokens, use } = await start(t);
    smtp.answerNext('accept-and-drop');
    const [used] = await forgot('alice');
    assert.equal(await use(used, alice.password), 200);
    clock.add(10 * SECOND_MS);
    await service.mails.runDue();
    assert.equal(tokens().length, 1);

    clock.add(5 * MINUTE_MS);
    smtp.answerNext('accept-and-drop');
    const [, ended] = await forgot('alice');
    const { token } = (await service.post('/api/login', { username: 'alice', password: alice.password })).body
      .data;
    const body = { oldPassword: alice.password, newPassword: 'another password' };
    assert.equal((await service.post('/api/user/change-password', body, { token })).status, 200);
    clock.add(10 * SECOND_MS);
    await service.mails.runDue();
    assert.equal(tokens().length, 2);
    assert.equal(await use(ended), 400);
  });

  test('of two jobs of one user at once, one sends a mail', async (t) => {
    const { service, clock, post, tokens, use, entries } = await start(t);
    await Promise.all([post('alice'), post('alice@example.org')]);
    clock.add(SECOND_MS);
    await Promise.all(service.nodes.map(({ mails }) => mails.runDue()));
    await service.mails.runDue();
    const [token, ...others] = tokens();
    assert.deepEqual(others, []);
    assert.equal((await entries()).length, 1);
    assert.equal(await use(token), 200);
  });

  test('a name of markup is text, and no link', async (t) => {
    const { service, db, smtp, forgot } = await start(t);
    const name = '<img/src=//evil.example>"&';
    const { id } = await service.join(name);
    await verify(db, id, 'markup@example.org');
    await forgot(name);
    const [mail] = smtp.received('markup@example.org');
    assert.ok(mail);
    assert.doesNotMatch(mail.html, /<img|evil\.example/);
    assert.doesNotMatch(mail.text, /evil\.example/);
    assert.equal(mail.html.match(/href=/g)?.length, 1);
  });

  test('links lead to PUBLIC_URL, whatever host a request names', async (t) => {
    const { smtp, forgot } = await start(t, { TRUST_PROXY: 'loopback' });
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    await forgot('alice', { ...headers, forwarded: 'host=evil.example', origin: 'https://evil.example' });
    const [mail] = smtp.received();
    assert.match(mail?.text ?? '', /\nhttps:\/\/chat\.example\.org\/set-password#/);
    assert.doesNotMatch(JSON.stringify(mail), /evil/);
  });

  test('with 10,000 waiting mails no further one is taken', async (t) => {
    const { service, post, jobs } = await start(t);
    // The worker counts.
    await service.mails[Symbol.asyncDispose]();
    for (const { services } of service.nodes)
      if (services.accounts.mail) services.accounts.mail.waiting = 10_000;
    const { status, body, headers } = await post('alice');
    assert.deepEqual([status, body.error, headers['retry-after']], [429, 'overloaded', '60']);
    assert.deepEqual(await jobs(), []);
  });

  test('a text of no or more than 254 characters is refused', async (t) => {
    const { post } = await start(t);
    assert.equal((await post('😀'.repeat(254))).status, 200);
    for (const account of ['', 'a'.repeat(255)]) {
      const { status, body } = await post(account);
      assert.deepEqual([status, body.error], [400, 'invalid_field']);
    }
  });
});

onEachDatabase('POST /api/password/forgot', (database) => {
  test('of many jobs of one user that are built at once, one makes a link', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    await verify(db, alice, 'alice@example.org');
    const now = 1_790_000_000_000;
    const jobs = Array.from({ length: 8 }, (_, i) => ({
      ...{
        id: `job-${i}`,
        kind: 'forgot' as const,
        userId: null,
        address: '',
        language: 'en' as const,
        data: {},
      },
      ...{ account: i % 2 === 0 ? 'alice' : 'alice@example.org', createdAt: now, tries: 0, leaseUntil: now },
    }));
    const mails = await Promise.all(
      jobs.map((job) => db.transaction((tx) => buildForgotMail(tx, job, PUBLIC_URL, now))),
    );
    assert.equal(mails.filter((mail) => mail !== undefined).length, 1);
    assert.equal((await db.all`select id from account_log where user_id = ${alice}`).length, 1);
  });

  test('it is one statement, the same for a name, an address, an unknown and a suspended user', async (t) => {
    const smtp = await startSmtp(t);
    const service = await startService(t, database, {
      env: { SMTP_URL: smtp.url, PUBLIC_URL },
      world: new ManualClock().world,
    });
    const { db } = service.services;
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    await verify(db, alice, 'alice@example.org');
    await verify(db, bob, 'bob@example.org');
    await db.run`update users set status = 'suspended' where id = ${bob}`;
    // The workers ask the database by themselves.
    await Promise.all([service.mails[Symbol.asyncDispose](), service.pushes[Symbol.asyncDispose]()]);
    // So does the clean-up that runs at the start; this is its last statement.
    await eventually(async () => Number(await getValue(db, 'account-log-counted-until')) > 0);
    const statements = recordStatements(db);
    const answers: unknown[] = [];
    for (const account of [
      'alice',
      'alice@example.org',
      'nobody',
      'nobody@example.org',
      'bob',
      'bob@example.org',
    ]) {
      const { status, body, headers } = await service.post('/api/password/forgot', { account });
      answers.push({ status, body, length: headers['content-length'] });
      const [statement, ...others] = statements.splice(0);
      assert.match(
        statement ?? '',
        /^run insert into mail_jobs \([^)]*\) values \([? ,]*\) on conflict \(dedup\) do nothing$/,
      );
      assert.deepEqual(others, []);
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  });

  test('without SMTP_URL it is 403, before anything is stored', async (t) => {
    const service = await startService(t, database);
    const { status, body } = await service.post('/api/password/forgot', { account: 'alice' });
    assert.deepEqual([status, body.error], [403, 'mail_off']);
    assert.deepEqual(await service.services.db.all`select id from mail_jobs`, []);
  });
});

/** Records what is asked of a database from now on: a statement as its text without parameters. */
function recordStatements(db: Db): string[] {
  const statements: string[] = [];
  for (const method of ['run', 'get', 'all'] as const) {
    const own = db[method].bind(db) as Db['run'];
    Object.assign(db, {
      [method]: (strings: TemplateStringsArray, ...parts: Parameters<Db['run']>[1][]) => {
        const text = strings.join('?').replaceAll(/\s+/g, ' ').trim();
        // Read twice a second, whatever is called.
        if (!text.includes('from changes')) statements.push(`${method} ${text}`);
        return own(strings, ...parts);
      },
    });
  }
  for (const method of ['transaction', 'twoFlights', 'snapshot'] as const) {
    const own = db[method].bind(db) as (...args: unknown[]) => unknown;
    Object.assign(db, {
      [method]: (...args: unknown[]) => {
        statements.push(method);
        return own(...args);
      },
    });
  }
  return statements;
}
