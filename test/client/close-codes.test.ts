import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { suspendUser } from '../../src/accounts/account-status.ts';
import { recordExternalChange } from '../../src/events/changes.ts';
import { closeCodes } from '../../src/sockets/close-codes.ts';
import { onSqlite } from '../databases.ts';
import type { Body } from '../harness.ts';
import { allButProofs, Device, join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

/** Which of the codes of docs/protocol.md a test below sees. */
const again = [1002, 1006, 1007, 1011, 1012, 1013, 4008, 4408, 3999] as const;
const broken = [1003, 1008, 4413] as const;

onSqlite('The kit obeys the close codes', (database) => {
  // They wait for timers most of the time.
  describe('all at once', { concurrency: true }, () => {
    test('every code of the service has a test', () => {
      const obeyed: number[] = [...again, ...broken, 1000, 4401, 4403, 4409, 4429];
      for (const code of Object.values(closeCodes)) assert.ok(obeyed.includes(code), String(code));
    });

    for (const code of again)
      test(`${code}: comes back, and resumes`, async (t) => {
        const service = await serve(t, database);
        const line = await startLine(t, service.url);
        const alice = await join(t, line.url, 'alice');
        if (code === 1006) line.cut();
        else line.close(code);
        await alice.first('connection', ({ state }) => state === 'waiting');
        await alice.is('live');
        assert.equal(alice.all('snapshot').length, 1);
        assert.ok(alice.doorman.session);
      });

    for (const code of broken)
      test(`${code}: a client error; it does not come back until connect is called`, async (t) => {
        const service = await serve(t, database);
        const line = await startLine(t, service.url);
        const alice = await join(t, line.url, 'alice');
        line.close(code, 'whatever');
        assert.deepEqual(await alice.is('stopped'), { state: 'stopped', why: 'broken' });
        alice.doorman.reconnectNow();
        // Bob's connection is the second one: Alice has opened none before it.
        await join(t, line.url, 'bob');
        assert.equal(line.arrivals.length, 2);
        assert.deepEqual(alice.doorman.connection, { state: 'stopped', why: 'broken' });
        assert.ok(alice.doorman.session);
        await alice.connect();
      });

    test('1012 with a drain: comes back at a random moment within the given time', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { times: { backoffMs: 1, maxBackoffMs: 1 } });
      const waits: number[] = [];
      alice.doorman.on('connection', (connection) => {
        if (connection.state === 'waiting') waits.push(connection.retryAt - Date.now());
      });
      for (let i = 0; i < 8; i++) {
        line.say({ type: 'drain', spreadMs: 400 });
        line.close(1012, 'restart');
        await until(() => waits.length > i);
        await alice.is('live');
      }
      assert.ok(Math.max(...waits) > 50 && Math.max(...waits) <= 400, `${waits}`);
      assert.ok(Math.min(...waits) < 300, `${waits}`);
      // The second connection was not sent a drain.
      line.close(1012, 'restart');
      await until(() => waits.length > 8);
      assert.ok((waits[8] ?? 99) <= 1, `${waits}`);
    });

    test('after a graceful stop the clients come back to the next service', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const drains: Body[] = [];
      line.passes = (frame) => {
        if (frame.type === 'drain') drains.push(frame);
        return true;
      };
      const next = await service.restart();
      const { retryAt } = await alice.is('waiting');
      assert.ok(retryAt <= Date.now() + drains[0].spreadMs);
      line.target = await next.app.listen({ port: 0, host: '127.0.0.1' });
      alice.doorman.reconnectNow();
      await alice.is('live');
      assert.equal(alice.all('snapshot').length, 1);
    });

    test('4401: it fetches a fresh token once, and continues with it', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const before = alice.session.token;
      // Tokens of the same second are the same.
      await until(() => Math.floor(Date.now() / 1000) > readIat(before));
      line.close(4401, 'token_expired');
      await alice.first('connection', ({ state }) => state === 'connecting', 2);
      await alice.is('live');
      assert.notEqual(alice.session.token, before);
      assert.equal(line.frames.filter(({ type }) => type === 'hello').at(-1).token, alice.session.token);
      assert.equal(line.requests.filter(({ path }) => path === '/api/token').length, 1);
      // A 4401 after a good connection is not the same as one for the fresh token.
      line.close(4401, 'token_expired');
      await until(() => line.arrivals.length === 3);
      await alice.is('live');
    });

    test('4401: it uses the token that another tab fetched', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const before = alice.session.token;
      await until(() => Math.floor(Date.now() / 1000) > readIat(before));
      const { token } = await alice.doorman.api.freshToken();
      const kept = await alice.storage.get('session');
      await alice.storage.set('session', { ...(kept as object), token });
      const asked = line.requests.length;
      line.close(4401, 'token_expired');
      await until(() => line.frames.filter(({ type }) => type === 'hello').length === 2);
      await alice.is('live');
      assert.equal(alice.session.token, token);
      assert.equal(line.requests.length, asked);
    });

    test('4401 for a fresh token too: the session has expired', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      line.passes = (frame) => {
        if (frame.type !== 'reply') return true;
        line.close(4401, 'unauthenticated');
        return false;
      };
      line.close(4401, 'unauthenticated');
      await alice.first('session', ({ session, end }) => session === undefined && end === 'expired');
      assert.deepEqual(alice.doorman.connection, { state: 'off' });
      assert.equal(line.arrivals.length, 2);
    });

    test('4401 while the service does not answer: it waits, and the session stays', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      line.answers = () => ({ status: 502, text: 'Bad gateway' });
      line.close(4401, 'token_expired');
      await alice.is('waiting');
      line.answers = () => undefined;
      await alice.is('live');
      assert.ok(alice.doorman.session);
    });

    test('4401 because the token expired for good: the session ends, unsent messages stay', async (t) => {
      let addedMs = 0;
      const world = {
        now: () => Date.now() + addedMs,
        monotonicMs: () => performance.now() + addedMs,
      };
      const service = await serve(t, database, { env: { TOKEN_TTL: '60s' }, world });
      const alice = await join(t, service.url, 'alice');
      addedMs = 61_000;
      const { end } = await alice.first('session', ({ session }) => session === undefined);
      assert.equal(end, 'expired');
      assert.equal(await alice.storage.get('session'), undefined);
    });

    test('4403: the account is suspended', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      await service.services.db.transaction(async (tx) => {
        await suspendUser(tx, alice.id);
        await recordExternalChange(tx);
      });
      const { end } = await alice.first('session', ({ session }) => session === undefined);
      assert.equal(end, 'suspended');
      assert.deepEqual(alice.doorman.connection, { state: 'off' });
    });

    test('4403 account_leaving: the user asked for the deletion elsewhere; nothing is kept here', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const asked: number[] = [];
      const getToken = () => Promise.resolve(void asked.push(1));
      const alice = await join(t, line.url, 'alice', { getToken });
      await alice.storage.set('page/anything', 1);
      alice.doorman.send('nobody', 'refused').catch(() => {});
      await alice.first('outgoing', ({ state }) => state === 'refused');
      line.close(4403, 'account_leaving');
      const { end } = await alice.first('session', ({ session }) => session === undefined);
      assert.equal(end, 'leaving');
      await until(async () => (await allButProofs(alice.storage)).length === 0);
      assert.deepEqual(alice.doorman.connection, { state: 'off' });
      assert.deepEqual(asked, []);
    });

    test('4409: ended from another device; nothing is kept here', async (t) => {
      const service = await serve(t, database);
      const phone = await join(t, service.url, 'alice');
      const desk = await new Device(t, service.url).signIn('alice');
      const [ended] = (await desk.doorman.api.sessions()).filter(({ current }) => current === 0);
      await phone.storage.set('page/anything', 1);
      await desk.doorman.api.endSession(ended?.id ?? '');
      const { end } = await phone.first('session', ({ session }) => session === undefined);
      assert.equal(end, 'ended');
      assert.deepEqual(phone.doorman.connection, { state: 'off' });
      await until(async () => (await allButProofs(phone.storage)).length === 0);
    });

    test('4429 for the eleventh connection: the oldest is closed and does not come back', async (t) => {
      const service = await serve(t, database);
      const oldest = await join(t, service.url, 'alice');
      for (let i = 0; i < 10; i++) await (await new Device(t, service.url).signIn('alice')).connect();
      assert.deepEqual(await oldest.is('stopped'), { state: 'stopped', why: 'replaced' });
      assert.ok(oldest.doorman.session);
    });

    test('4429 for too many frames: it comes back', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      line.close(4429, 'too_many_frames');
      await alice.first('connection', ({ state }) => state === 'waiting');
      await alice.is('live');
    });

    test('the kit stays within the frame budget by itself, however much it has to send', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      for (let i = 0; i < 100; i++) alice.doorman.typing(`nobody-${i}`);
      await until(() => line.frames.filter(({ type }) => type === 'typing').length === 100);
      assert.equal(alice.doorman.connection.state, 'live');
      assert.equal(line.arrivals.length, 1);
    });
  });
});

function readIat(token: string): number {
  return JSON.parse(atob(token.split('.')[1] ?? '')).iat;
}
