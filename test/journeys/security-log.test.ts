import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { user } from '../../src/commands/user.ts';
import type { Config } from '../../src/config/config.ts';
import { ManualClock } from '../clocks.ts';
import { onEachDatabase, onSqlite, type TestDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Body, TestService } from '../harness.ts';
import { startSockets } from '../sockets.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const document = readFileSync(new URL('../../docs/logs.md', import.meta.url), 'utf8');
/** The words of the events that docs/logs.md lists. */
const documented = [...document.matchAll(/^\| `"event":"(\w+)"` \|/gm)].map(([, word = '']) => word);

const linesOf = ({ logLines }: Pick<TestService, 'logLines'>): Body[] =>
  logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'security');

/** Runs `doorman user` on the database of the service. @returns what it prints */
async function runUser({ databaseUrl, dataDir }: Config, args: string[]): Promise<string> {
  const env = {
    ...(databaseUrl === null ? { DATA_DIR: dataDir } : { DATABASE_URL: databaseUrl }),
    PUBLIC_URL: 'https://chat.example.com',
    BCRYPT_COST: '4',
  };
  const [output, errors] = [new PassThrough(), new PassThrough()];
  await user({ env, input: new PassThrough(), output, errors }, args);
  for (const stream of [output, errors]) stream.end();
  assert.equal(await text(errors), '');
  return text(output);
}

async function start(t: TestContext, database: TestDatabase, env: Record<string, string> = {}) {
  const clock = new ManualClock();
  const service = await startSockets(t, database, { env, world: clock.world });
  const { username, password, id, token } = await service.join('alice');
  service.logLines.length = 0;
  const secrets = [username, password, token];
  return {
    service,
    alice: { username, password, id, token },
    secrets,
    /** Calls from an address. What it sends and gets is secret, but for ids. */
    async call(from: string, path: string, body: Record<string, string>, as?: string) {
      const { headers, ...answer } = await service.post(path, body, {
        from,
        ...(as !== undefined && { token: as }),
        headers: { 'device-proof': 'none' },
      });
      const { id: _id, to: _to, ...hidden } = body;
      const texts = [...Object.values(hidden), answer.body.data?.token, headers['device-proof'], from];
      secrets.push(...texts.filter((one) => typeof one === 'string'));
      return answer;
    },
    passMinute: () => clock.advance(MINUTE_MS),
    pass: (ms: number) => clock.add(ms),
    /** The lines so far, which have nothing but what docs/logs.md describes. */
    take() {
      const lines = linesOf(service);
      service.logLines.length = 0;
      return lines.map(({ level, time, msg, ...fields }) => {
        assert.deepEqual([level, typeof time, msg], [30, 'number', 'security']);
        return fields;
      });
    },
  };
}

onEachDatabase('the security events in the log', (database) => {
  test('are those that docs/logs.md lists, with users and networks, and never a name, password, token or address', async (t) => {
    const started = await start(t, database, { RATE_LIMIT_MESSAGES: '1/10s' });
    const { service, alice, secrets, call, passMinute, pass, take } = started;
    const { id, username } = alice;
    const seen: Body[] = [];
    const expect = (...expected: object[]) => {
      const taken = take();
      assert.deepEqual(taken, expected);
      seen.push(...taken);
    };
    const home = { userId: id, network: '198.51.100.0/24' };
    const logIn = async (password: string) =>
      (await call('198.51.100.7', '/api/login', { username, password })).body.data?.token;

    const bob = await call('2001:db8:1:2::3', '/api/register', {
      username: 'bobby',
      password: 'the-builder',
    });
    expect({ event: 'signed_in', userId: bob.body.data.id, network: '2001:db8:1::/48' });
    const phone = await logIn(alice.password);
    expect({ event: 'signed_in', ...home });

    for (const host of ['203.0.113.1', '203.0.113.2', '192.0.2.1'])
      await call(host, '/api/login', { username, password: 'a wrong one' });
    await call('192.0.2.1', '/api/login', { username: 'nobody here', password: 'a wrong one' });
    await call('192.0.2.1', '/api/login', { username: 'nobody at all', password: 'a wrong one' });
    expect();
    await passMinute();
    const failed = { event: 'sign_in_failed', userId: id };
    expect(
      { ...failed, network: '203.0.113.0/24', count: 2 },
      { ...failed, network: '192.0.2.0/24' },
      { event: 'sign_in_failed', network: '192.0.2.0/24', count: 2 },
    );

    const passwords = { oldPassword: alice.password, newPassword: 'second-password' };
    assert.equal((await call('198.51.100.7', '/api/user/change-password', passwords, phone)).status, 200);
    expect({ event: 'password_changed', ...home }, { event: 'session_ended', ...home });

    const laptop = await logIn('second-password');
    assert.equal((await call('198.51.100.7', '/api/logout', {}, laptop)).status, 200);
    const tablet = await logIn('second-password');
    const sessions = await service.get('/api/sessions', { token: phone });
    const ended = { id: sessions.body.data[0].id };
    assert.equal((await call('198.51.100.7', '/api/sessions/end', ended, phone)).status, 200);
    assert.equal((await service.get('/api/sessions', { token: tablet })).status, 401);
    const [signedIn, sessionEnded] = [
      { event: 'signed_in', ...home },
      { event: 'session_ended', ...home },
    ];
    expect(signedIn, sessionEnded, signedIn, sessionEnded);

    const { config, events } = service.services;
    await logIn('second-password');
    expect(signedIn);
    const link = (await runUser(config, ['link', username])).split('#')[1]?.trim() ?? '';
    await events.changes.read();
    expect({ event: 'link_made', userId: id });
    const used = { token: link, newPassword: 'third-password' };
    assert.equal((await call('198.51.100.7', '/api/password-link', used)).status, 200);
    expect({ event: 'link_used', ...home }, { ...sessionEnded, count: 2 });

    await logIn('third-password');
    expect(signedIn);
    const printed = await runUser(config, ['password', username]);
    const password = /is now (\S+),/.exec(printed)?.[1] ?? '';
    secrets.push(password);
    await events.changes.read();
    // They have one time, so their order is any.
    const byOperator = take().map(({ event, ...fields }) => [event, fields]);
    assert.deepEqual(Object.fromEntries(byOperator), {
      password_changed: { userId: id },
      session_ended: { userId: id },
    });

    const leaving = await logIn(password);
    expect(signedIn);
    const { ticket: download } = (await call('198.51.100.7', '/api/account/export', {}, leaving)).body.data;
    await service.call('GET', `/api/account/export?ticket=${download}`, { from: '198.51.100.7' });
    expect({ event: 'export_made', ...home });
    assert.equal((await call('198.51.100.7', '/api/account/delete', {}, leaving)).status, 200);
    expect({ event: 'deletion_asked', ...home }, sessionEnded);
    const { ticket } = (await call('198.51.100.7', '/api/login', { username, password })).body;
    const kept = await call('198.51.100.7', '/api/account/keep', { ticket });
    expect({ event: 'deletion_undone', ...home }, signedIn);
    await call('198.51.100.7', '/api/logout', {}, kept.body.data.token);
    expect(sessionEnded);
    await passMinute();
    expect({ event: 'sign_in_failed', ...home });
    secrets.push(download);

    const message = { to: id, cid: 'the first message', body: 'words for alice' };
    for (let i = 0; i < 3; i++) await call('2001:db8:1:2::3', '/api/messages', message, bob.body.data.token);
    expect();
    await passMinute();
    const ofBob = { userId: bob.body.data.id, network: '2001:db8:1::/48' };
    expect({ event: 'refused', limit: 'too_many_messages', ...ofBob, count: 2 });

    pass(181 * DAY_MS);
    await passMinute();
    await eventually(() => linesOf(service).length > 0);
    expect({ event: 'session_ended', userId: bob.body.data.id });

    assert.deepEqual([...new Set(seen.map(({ event }) => event))].sort(), [...documented].sort());
    const all = JSON.stringify(seen);
    for (const secret of new Set(secrets)) assert.ok(secret.length > 1 && !all.includes(secret), secret);
  });
});

onSqlite('refusals in the log of security events', (database) => {
  test('name the user of the token or of the attacked account, also for a socket behind a proxy', async (t) => {
    const env = {
      RATE_LIMIT_AUTH: '',
      RATE_LIMIT_API: '1/1m',
      RATE_LIMIT_MESSAGES: '1/10s',
      TRUST_PROXY: 'loopback',
    };
    const { service, alice, call, passMinute, take } = await start(t, database, env);
    const { id: userId, username, token } = alice;
    for (let host = 1; host <= 6; host++)
      for (let n = 0; n < 5; n++)
        await call(`192.0.2.${host}`, '/api/login', { username, password: 'a wrong one' });
    for (let n = 0; n < 4; n++)
      await call('203.0.113.1', '/api/login', { username, password: 'a wrong one' });
    for (let n = 0; n < 3; n++) await service.get('/api/users', { token, from: '198.51.100.7' });
    for (let n = 0; n < 3; n++) await service.get('/api/users', { from: '198.51.100.7' });
    const socket = await service.enter(alice, { headers: { 'x-forwarded-for': '198.51.100.9' } });
    const frame = { type: 'send', to: userId, cid: 'c1', body: 'hi' };
    const replies = [await socket.ask(frame), await socket.ask(frame), await socket.ask(frame)];
    assert.equal(replies.at(-1)?.error, 'too_many_messages');
    await passMinute();
    const near = { network: '198.51.100.0/24' };
    const far = { network: '203.0.113.0/24' };
    assert.deepEqual(
      take().filter(({ event }) => event === 'refused'),
      [
        { event: 'refused', limit: 'too_many_logins', userId, ...far, count: 3 },
        { event: 'refused', limit: 'rate_limited', userId, ...near, count: 2 },
        { event: 'refused', limit: 'rate_limited', ...near, count: 2 },
        { event: 'refused', limit: 'too_many_messages', userId, ...near, count: 2 },
      ],
    );
  });
});
