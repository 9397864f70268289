import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { Clock } from '../../test/clocks.ts';
import {
  onEachDatabase,
  onEachDeployment,
  onNodes,
  onSqlite,
  type TestDatabase,
} from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startService, type TestService } from '../../test/harness.ts';
import { type SmtpService, startSmtp } from '../../test/smtp.ts';
import {
  beginAttempt,
  claimMails,
  countMails,
  endMail,
  nextMailAt,
  queueMail,
  removeOldMails,
  returnMail,
} from './mail-jobs.ts';
import type { MailBuilders } from './mail-worker.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Real time, in which a mail that a server takes is sent also on a busy machine. */
const ATTEMPT_MS = 5 * SECOND;

interface Story {
  service: TestService;
  smtp: SmtpService;
  /** Sets the wall clock of all nodes, while the monotonic clock goes on. */
  setWallClock(byMs: number): void;
  queue(kind: 'verify' | 'new_sign_in', address: string): Promise<void>;
  /** Moves both clocks. */
  add(ms: number): void;
  /** Passes `ms`, and sends what is due then. */
  pass(ms: number): Promise<void>;
  jobs(): Promise<{ dueIn: number; leased: number; tries: number }[]>;
  /** Of all nodes. */
  outcomes(): Record<string, number>;
  codes(): string[];
}

/** A service with a mail that has a secret, and one without: each attempt makes another code. */
async function startMails(
  t: TestContext,
  database: TestDatabase,
  options: { password?: string; urlPassword?: string; mailAttemptMs?: number } = {},
): Promise<Story> {
  const { password, urlPassword, mailAttemptMs } = options;
  const smtp = await startSmtp(t, { ...(password && { password }) });
  const url = new URL(smtp.url);
  if (urlPassword) url.password = urlPassword;
  const clock = new Clock({ isStill: true });
  let setBy = 0;
  const build: MailBuilders['verify'] = async (_tx, { address, tries }) =>
    address === '' ? undefined : { to: address, subject: 'Your code', paragraphs: [`code-${tries}`] };
  const service = await startService(t, database, {
    env: { SMTP_URL: url.href, PUBLIC_URL: 'https://chat.example.org', DRAIN_SECONDS: '0' },
    world: {
      ...clock.world,
      now: () => (clock.world.now?.() ?? 0) + setBy,
      ...(mailAttemptMs && { mailAttemptMs }),
    },
    mailBuilders: { verify: build, new_sign_in: build },
  });
  const { db, events, clock: time } = service.services;
  return {
    service,
    smtp,
    setWallClock(byMs) {
      setBy += byMs;
    },
    async queue(kind, address) {
      await queueMail(db, { kind, dedup: `${kind} ${address}`, address, language: 'en' }, time.now());
      events.publish({ type: 'mail-queued' });
    },
    add: (ms) => clock.add(ms),
    async pass(ms) {
      clock.add(ms);
      await service.mails.runDue();
    },
    async jobs() {
      const rows = await db.all<{ due_at: number; leased: number; tries: number }>`
        select due_at, leased, tries from mail_jobs order by due_at`;
      return rows.map(({ due_at, leased, tries }) => ({ dueIn: due_at - time.now(), leased, tries }));
    },
    outcomes() {
      const sum: Record<string, number> = {};
      for (const { services } of service.nodes)
        for (const [key, count] of services.accounts.mail?.outcomes ?? []) sum[key] = (sum[key] ?? 0) + count;
      return sum;
    },
    codes: () => smtp.received().map(({ text }) => text.split('\n')[0] ?? ''),
  };
}

onEachDeployment('The mail worker', (database) => {
  test('sends a mail that was queued, once, as text and HTML', async (t) => {
    const { service, smtp, queue, jobs, pass, outcomes } = await startMails(t, database);
    assert.equal((await service.get('/api/options')).body.data.mail, true);
    await Promise.all([queue('verify', 'alice@example.org'), queue('verify', 'alice@example.org')]);
    await eventually(async () => (await jobs()).length === 0);
    await pass(HOUR);
    const [mail, ...others] = smtp.received();
    assert.deepEqual(others, []);
    assert.equal(mail?.from, 'no-reply@chat.example.org');
    assert.deepEqual(mail?.recipients, ['alice@example.org']);
    assert.equal(mail?.subject, 'Your code');
    assert.equal(mail?.text, 'code-0\n\nchat.example.org');
    assert.match(mail?.html ?? '', /<p>code-0<\/p>/);
    assert.match(mail?.headers['message-id'] ?? '', /^<[\da-f-]{36}@chat\.example\.org>$/);
    assert.deepEqual(outcomes(), { 'verify sent': 1 });
  });

  test('many mails are sent once each, by all nodes at the same time', async (t) => {
    const { service, smtp, queue, jobs } = await startMails(t, database);
    const addresses = Array.from({ length: 40 }, (_, n) => `user-${n}@example.org`);
    await Promise.all(addresses.map((address) => queue('verify', address)));
    await Promise.all(service.nodes.map(({ mails }) => mails.runDue()));
    assert.deepEqual(await jobs(), []);
    assert.deepEqual(
      smtp
        .received()
        .map(({ to }) => to)
        .sort(),
      addresses.sort(),
    );
    // Each node has two connections, which it uses for several mails.
    assert.ok(smtp.connections <= 2 * service.nodes.length, `${smtp.connections} connections`);
  });

  test('a reply of 451 is followed by another attempt after 10 s, with a new code and the same Message-ID', async (t) => {
    const { smtp, queue, pass, jobs, outcomes, codes } = await startMails(t, database);
    smtp.answerNext({ at: 'data', code: 451 });
    await queue('verify', 'alice@example.org');
    await pass(0);
    assert.deepEqual(await jobs(), [{ dueIn: 10 * SECOND, leased: 0, tries: 1 }]);
    await pass(9 * SECOND);
    assert.equal(smtp.attempts, 1);
    smtp.answerNext('accept-and-drop');
    await pass(SECOND);
    await pass(MINUTE);
    assert.deepEqual(codes(), ['code-1', 'code-2']);
    const [first, second] = smtp.received().map(({ headers }) => headers['message-id']);
    assert.equal(first, second);
    assert.deepEqual(outcomes(), { 'verify retry': 2, 'verify sent': 1 });
  });

  test('a mail that is not needed any more is not sent', async (t) => {
    const { smtp, queue, pass, jobs, outcomes } = await startMails(t, database);
    await queue('verify', '');
    await pass(0);
    assert.deepEqual(await jobs(), []);
    assert.equal(smtp.attempts, 0);
    assert.deepEqual(outcomes(), { 'verify skipped': 1 });
  });

  test('without SMTP_URL a job of yesterday is removed', async (t) => {
    const db = await database.open(t);
    const yesterday = 1_790_000_000_000;
    await queueMail(db, { kind: 'new_sign_in', dedup: 'x', language: 'en' }, yesterday);
    await queueMail(db, { kind: 'new_sign_in', dedup: 'y', language: 'en' }, yesterday + 1);
    await removeOldMails(db, yesterday + 25 * HOUR);
    assert.equal(await countMails(db), 2);
    await removeOldMails(db, yesterday + 25 * HOUR + 1);
    assert.equal(await countMails(db), 1);
  });

  test('what another process claimed before it was killed is sent when its lease ends', async (t) => {
    const { service, smtp, queue, pass, jobs, codes } = await startMails(t, database);
    const { clock, db } = service.services;
    const address = 'alice@example.org';
    await service.mails.runDue();
    await queueMail(db, { kind: 'verify', dedup: 'x', address, language: 'en' }, clock.now());
    const [job] = await claimMails(db, { now: clock.now(), dueAt: clock.now(), limit: 1 });
    assert.equal(job?.address, address);
    await queue('verify', 'bob@example.org');
    await pass(59 * SECOND);
    assert.deepEqual(await jobs(), [{ dueIn: SECOND, leased: 1, tries: 0 }]);
    await pass(SECOND);
    await pass(HOUR);
    assert.deepEqual(
      smtp.received().map(({ to }) => to),
      ['bob@example.org', address],
    );
    assert.deepEqual(codes(), ['code-0', 'code-0']);
  });

  test('a process that has lost its lease writes no result', async (t) => {
    const db = await database.open(t);
    await queueMail(db, { kind: 'verify', dedup: 'x', language: 'en' }, 1_000);
    const claim = async (now: number) => (await claimMails(db, { now, dueAt: now, limit: 1 }))[0];
    const lost = await claim(1_000);
    assert.equal(await claim(60_999), undefined);
    const held = await claim(61_000);
    assert.ok(lost && held);
    assert.equal(await db.transaction((tx) => beginAttempt(tx, lost)), false);
    await returnMail(db, lost, 0);
    await endMail(db, lost);
    assert.equal(await nextMailAt(db), 121_000);
    assert.equal(await db.transaction((tx) => beginAttempt(tx, held)), true);
    await endMail(db, held);
    assert.equal(await countMails(db), 0);
  });

  test('after the wall clock was set back, what waits too long is sent', async (t) => {
    const { service, smtp, queue, pass, jobs, setWallClock } = await startMails(t, database);
    const { clock, db } = service.services;
    smtp.answerNext({ at: 'rcpt', code: 451 });
    await queue('verify', 'alice@example.org');
    await pass(0);
    const [claimed, fresh] = ['bob@example.org', 'carol@example.org'];
    await queueMail(db, { kind: 'verify', dedup: claimed, address: claimed, language: 'en' }, clock.now());
    await claimMails(db, { now: clock.now(), dueAt: clock.now(), limit: 1 });
    await queueMail(db, { kind: 'verify', dedup: fresh, address: fresh, language: 'en' }, clock.now());
    setWallClock(-2 * HOUR);
    await pass(0);
    assert.deepEqual(await jobs(), []);
    assert.equal(smtp.received().length, 3);
  });
});

onEachDatabase('Mails that cannot be sent', (database) => {
  for (const at of ['mail', 'rcpt', 'data'] as const)
    test(`a reply of 5xx to the mail (${at}) ends it`, async (t) => {
      const { smtp, queue, pass, jobs, outcomes } = await startMails(t, database);
      smtp.answerAlways({ at, code: 550 });
      await queue('new_sign_in', 'alice@example.org');
      await pass(0);
      assert.deepEqual(await jobs(), []);
      assert.deepEqual(outcomes(), { 'new_sign_in refused': 1 });
    });

  test('a reply of 5xx to the connection or to the password does not', async (t) => {
    const { smtp, queue, pass, outcomes } = await startMails(t, database, { password: 'geheim' });
    smtp.answerNext({ at: 'connect', code: 554 });
    await queue('verify', 'alice@example.org');
    await pass(0);
    smtp.answerNext({ at: 'auth', code: 535 });
    await pass(10 * SECOND);
    assert.deepEqual(smtp.received(), []);
    await pass(MINUTE);
    assert.equal(smtp.received('alice@example.org').length, 1);
    assert.deepEqual(outcomes(), { 'verify retry': 2, 'verify sent': 1 });
  });

  test('a reply of 530, as the settings have no password, does not', async (t) => {
    const { smtp, queue, pass, outcomes } = await startMails(t, database);
    smtp.answerNext({ at: 'mail', code: 530 });
    await queue('verify', 'alice@example.org');
    await pass(0);
    await pass(10 * SECOND);
    assert.equal(smtp.received('alice@example.org').length, 1);
    assert.deepEqual(outcomes(), { 'verify retry': 1, 'verify sent': 1 });
  });

  test('a server that ends the connection before its greeting is called once for each attempt', async (t) => {
    const { smtp, queue, pass, jobs } = await startMails(t, database);
    smtp.answerAlways('hang-up');
    await queue('verify', 'alice@example.org');
    await pass(0);
    assert.deepEqual(await jobs(), [{ dueIn: 10 * SECOND, leased: 0, tries: 1 }]);
    assert.equal(smtp.connections, 1);
  });

  test('a server that ends the connection after the data gets the mail again', async (t) => {
    const { smtp, queue, pass, codes, outcomes } = await startMails(t, database);
    smtp.answerNext('drop');
    await queue('verify', 'alice@example.org');
    await pass(0);
    assert.equal(smtp.attempts, 1);
    await pass(10 * SECOND);
    assert.deepEqual(codes(), ['code-1']);
    assert.deepEqual(outcomes(), { 'verify retry': 1, 'verify sent': 1 });
  });

  test('while the server is away for an hour, a mail with a secret ends after 15 minutes, and another one comes later', async (t) => {
    const { smtp, queue, pass, outcomes } = await startMails(t, database);
    await smtp.goAway();
    await Promise.all([queue('verify', 'alice@example.org'), queue('new_sign_in', 'bob@example.org')]);
    for (const ms of [0, 10 * SECOND, MINUTE, 5 * MINUTE]) await pass(ms);
    assert.deepEqual(outcomes(), { 'verify retry': 4, 'new_sign_in retry': 4 });
    await pass(530 * SECOND);
    assert.deepEqual(outcomes(), { 'verify retry': 4, 'verify expired': 1, 'new_sign_in retry': 4 });
    await pass(370 * SECOND);
    await smtp.comeBack();
    await pass(59 * MINUTE);
    assert.deepEqual(smtp.received(), []);
    await pass(MINUTE);
    assert.deepEqual(
      smtp.received().map(({ to }) => to),
      ['bob@example.org'],
    );
  });

  test('after a day a mail without a secret ends too', async (t) => {
    const { smtp, queue, pass, jobs, outcomes } = await startMails(t, database);
    smtp.answerAlways({ at: 'connect', code: 421 });
    await queue('new_sign_in', 'alice@example.org');
    for (const ms of [0, 10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE]) await pass(ms);
    for (let hours = 0; hours < 23; hours++) await pass(HOUR);
    assert.equal((await jobs()).length, 1);
    await pass(HOUR);
    assert.deepEqual(await jobs(), []);
    assert.equal(outcomes()['new_sign_in expired'], 1);
  });

  test('a mail of yesterday is not sent any more', async (t) => {
    const { service, smtp, pass, outcomes } = await startMails(t, database);
    const { clock, db } = service.services;
    const address = 'alice@example.org';
    await service.mails.runDue();
    await queueMail(db, { kind: 'verify', dedup: 'x', address, language: 'en' }, clock.now() - 17 * MINUTE);
    await pass(0);
    assert.equal(smtp.attempts, 0);
    assert.deepEqual(outcomes(), { 'verify expired': 1 });
  });

  test('a single server sends at its start what the one before had claimed', async (t) => {
    const { service, smtp } = await startMails(t, database);
    const { clock, db } = service.services;
    const address = 'alice@example.org';
    await service.mails.runDue();
    await queueMail(db, { kind: 'verify', dedup: 'x', address, language: 'en' }, clock.now());
    await claimMails(db, { now: clock.now(), dueAt: clock.now(), limit: 1 });
    const next = await service.restart();
    await next.mails.runDue();
    assert.equal(smtp.received(address).length, 1);
  });

  test('failures are logged once a minute, without addresses and passwords', async (t) => {
    const { service, smtp, queue, pass } = await startMails(t, database, {
      password: 'right-one',
      urlPassword: 'geheim%2Fwort',
    });
    await queue('verify', 'alice@example.org');
    await queue('new_sign_in', 'bob@example.org');
    for (const ms of [0, 10 * SECOND]) await pass(ms);
    assert.deepEqual(smtp.received(), []);
    const lines = () => service.logLines.filter((line) => line.includes('mails could not be sent'));
    assert.equal(lines().length, 1);
    const { code, command, responseCode, failures } = JSON.parse(lines()[0] ?? '');
    assert.deepEqual([code, command, responseCode, failures], ['EAUTH', 'AUTH PLAIN', 535, 1]);
    await pass(MINUTE);
    assert.deepEqual(
      lines().map((line) => JSON.parse(line).failures),
      [1, 4],
    );
    for (const secret of ['geheim', 'right-one', 'alice', 'bob@', 'example.org', 'code-'])
      assert.deepEqual(
        service.logLines.filter((line) => line.includes(secret)),
        [],
        secret,
      );
  });

  test('a mail that is being sent while the wall clock is set back has no second attempt beside', async (t) => {
    const { service, smtp, queue, jobs, pass, setWallClock } = await startMails(t, database);
    smtp.answerNext('no-answer');
    await queue('verify', 'alice@example.org');
    await eventually(() => smtp.attempts === 1);
    setWallClock(-2 * HOUR);
    service.services.events.publish({ type: 'clock-step' });
    await queue('verify', 'bob@example.org');
    await eventually(async () => smtp.received().length === 1 && (await jobs()).length === 1);
    assert.deepEqual(await jobs(), [{ dueIn: 2 * HOUR + MINUTE, leased: 1, tries: 1 }]);
    await smtp.goAway();
    await pass(0);
    await smtp.comeBack();
    await pass(MINUTE);
    assert.deepEqual(
      smtp.received().map(({ to }) => to),
      ['bob@example.org', 'alice@example.org'],
    );
    assert.deepEqual(await jobs(), []);
  });

  test('a mail that cannot be built, such as one of a later version, is tried again and logged', async (t) => {
    const { service, smtp, pass } = await startMails(t, database);
    const { clock, db } = service.services;
    await queueMail(db, { kind: 'test', dedup: 'x', language: 'en' }, clock.now());
    await pass(0);
    await pass(MINUTE);
    assert.equal(smtp.attempts, 0);
    const lines = service.logLines.filter((line) => line.includes('mails could not be sent'));
    assert.equal(lines.length, 2);
    assert.match(JSON.parse(lines[0] ?? '').err.message, /no mail of the kind test/);
  });
});

onSqlite('A mail server that hangs, and a stop', (database) => {
  for (const behaviour of ['no-greeting', 'no-answer'] as const)
    test(`a server that hangs (${behaviour}) ends the attempt, and keeps no other mail waiting`, async (t) => {
      const { smtp, queue, pass, jobs } = await startMails(t, database, { mailAttemptMs: ATTEMPT_MS });
      smtp.answerNext(behaviour);
      await queue('verify', 'alice@example.org');
      await eventually(() => smtp.attempts === 1);
      await queue('verify', 'bob@example.org');
      await eventually(() => smtp.received('bob@example.org').length === 1);
      await pass(0);
      assert.deepEqual(await jobs(), [{ dueIn: 10 * SECOND, leased: 0, tries: 1 }]);
      await pass(10 * SECOND);
      assert.equal(smtp.received('alice@example.org').length, 1);
    });

  test('a server that refuses a mail and hangs then keeps no connection', async (t) => {
    const { smtp, queue, pass, outcomes } = await startMails(t, database, { mailAttemptMs: SECOND });
    smtp.answerAlways('mute-after-rcpt');
    await Promise.all([queue('new_sign_in', 'alice@example.org'), queue('new_sign_in', 'bob@example.org')]);
    // An attempt that takes too long on a busy machine is repeated.
    await eventually(async () => {
      await pass(HOUR);
      return outcomes()['new_sign_in refused'] === 2;
    });
    smtp.answerAlways(undefined);
    await queue('new_sign_in', 'carol@example.org');
    for (let hours = 0; hours < 12 && smtp.received('carol@example.org').length === 0; hours++)
      await pass(HOUR);
    assert.equal(smtp.received('carol@example.org').length, 1);
  });

  test('a stop returns the jobs of attempts that do not end in time', async (t) => {
    const { service, smtp, queue, jobs } = await startMails(t, database);
    smtp.answerAlways('no-answer');
    await queue('verify', 'alice@example.org');
    await eventually(() => smtp.attempts === 1);
    await service.mails[Symbol.asyncDispose]();
    assert.deepEqual(await jobs(), [{ dueIn: 0, leased: 0, tries: 1 }]);
  });

  test('without SMTP_URL its client is not loaded', async () => {
    const loads = `
      let loads = 0;
      const resolve = (name, context, next) => {
        if (name === 'nodemailer') loads++;
        return next(name, context);
      };
      (await import('node:module')).registerHooks({ resolve });
      await import('./src/server-process.ts');
      const { openMail } = await import('./src/mail/mail-services.ts');
      const from = { name: '', address: 'us@example.org' };
      for (const smtp of [null, { url: 'smtp://127.0.0.1', from }]) {
        await openMail({ publicUrl: 'https://chat.example.org', smtp });
        console.log(loads);
      }`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', loads]);
    assert.equal(stdout, '0\n1\n');
  });
});

onNodes('Mails of several nodes', (database) => {
  test('a job is left for 2 s to the node that stored it', async (t) => {
    const { service, smtp, pass, add, jobs } = await startMails(t, database);
    const { clock, db } = service.services;
    await pass(0);
    const address = 'alice@example.org';
    await queueMail(db, { kind: 'verify', dedup: 'x', address, language: 'en' }, clock.now());
    // Wakes the workers of all nodes, none of which knows that it stored a job.
    const wakeAll = () => {
      for (const { services } of service.nodes) services.events.receive({ type: 'mail-queued' });
    };
    add(1_999);
    wakeAll();
    await eventually(() => service.nodes.every(({ services }) => services.accounts.mail?.waiting === 1));
    assert.deepEqual(await jobs(), [{ dueIn: -1_999, leased: 0, tries: 0 }]);
    add(1);
    wakeAll();
    await eventually(() => smtp.received(address).length === 1);
  });
});
