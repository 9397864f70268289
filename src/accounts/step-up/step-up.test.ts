import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { type Person, startService } from '../../../test/harness.ts';
import { withInboxes } from '../../inbox/inbox.ts';
import { suspendUser } from '../account-status.ts';
import { confirmSession, requireConfirmed } from './step-up.ts';

const MINUTE_MS = 60_000;

onEachDatabase('Step-up', (database) => {
  /** A service with the user alice, whose registration is 10 minutes ago. */
  async function start(t: TestContext) {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { world: { now: () => now, monotonicMs: () => now } });
    const alice = await service.join('alice');
    const joined = now;
    now += 10 * MINUTE_MS;
    const { accounts, db, events } = service.services;
    const context = {
      db,
      passwords: accounts.passwords,
      now: () => now,
      signal: new AbortController().signal,
    };
    const callerOf = async ({ token }: Pick<Person, 'token'>) =>
      (await accounts.authentication.identify(token)) ?? assert.fail('no caller');
    return {
      service,
      alice,
      context,
      callerOf,
      joined,
      now: () => now,
      pass: (ms: number) => {
        now += ms;
      },
      confirm: (password: unknown, token = alice.token) =>
        service.post('/api/account/confirm', { password }, { token }),
      confirmedUntil: async (token = alice.token): Promise<number> =>
        (await service.get('/api/account', { token })).body.data.confirmed_until,
      /** What a rule does that needs it: its word if it is refused. */
      act: async (person: Pick<Person, 'token'> = alice) => {
        const { userId, sessionId } = await callerOf(person);
        return withInboxes({ db, events }, [userId], now, (tx) => requireConfirmed(tx, sessionId, now)).then(
          () => 'done',
          ({ kind, word }) => `${kind}: ${word}`,
        );
      },
    };
  }

  test('the password confirms the session for 5 minutes, and no other session', async (t) => {
    const { service, alice, now, pass, confirm, confirmedUntil, act } = await start(t);
    const { username, password } = alice;
    const other = (await service.post('/api/login', { username, password })).body.data;
    pass(5 * MINUTE_MS);
    assert.equal(await act(), 'forbidden: confirm_required');
    const { status, body } = await confirm(password);
    const until = now() + 5 * MINUTE_MS;
    assert.deepEqual([status, body], [200, { code: 200, data: { until } }]);
    assert.equal(await confirmedUntil(), until);
    assert.equal(await act(), 'done');
    assert.deepEqual(
      [await confirmedUntil(other.token), await act(other)],
      [0, 'forbidden: confirm_required'],
    );
    pass(5 * MINUTE_MS - 1);
    assert.equal(await act(), 'done');
    pass(1);
    assert.deepEqual([await confirmedUntil(), await act()], [0, 'forbidden: confirm_required']);
  });

  test('a registration and a login confirm their session, a new token of it does not', async (t) => {
    const { service, alice, joined, now, pass, confirmedUntil, act } = await start(t);
    pass(joined + MINUTE_MS - now());
    assert.equal(await confirmedUntil(), joined + 5 * MINUTE_MS);
    assert.equal(await act(), 'done');
    pass(9 * MINUTE_MS);
    const token = (await service.post('/api/token', {}, { token: alice.token })).body.data.token;
    assert.equal(await act({ token }), 'forbidden: confirm_required');
    const { username, password } = alice;
    assert.equal(await act((await service.post('/api/login', { username, password })).body.data), 'done');
  });

  test('sessions from before the update are not confirmed', async (t) => {
    const { alice, context, confirmedUntil, act } = await start(t);
    await context.db.run`update sessions set confirmed_at = 0 where user_id = ${alice.id}`;
    assert.deepEqual([await confirmedUntil(), await act()], [0, 'forbidden: confirm_required']);
  });

  test('a clock that was set back prolongs no confirmation beyond 5 minutes before and after it', async (t) => {
    const { alice, pass, confirm, act } = await start(t);
    await confirm(alice.password);
    pass(-60 * MINUTE_MS);
    assert.equal(await act(), 'forbidden: confirm_required');
    pass(56 * MINUTE_MS);
    assert.equal(await act(), 'done');
    pass(9 * MINUTE_MS);
    assert.equal(await act(), 'forbidden: confirm_required');
  });

  test('wrong passwords confirm nothing, and count together with wrong old passwords', async (t) => {
    const { service, alice, confirm, act, pass } = await start(t);
    const wrong = await confirm('a guess');
    assert.deepEqual(
      [wrong.status, wrong.body],
      [400, { code: 400, error: 'wrong_password', msg: '密码错误' }],
    );
    for (let i = 0; i < 4; i++) assert.equal((await confirm('a guess')).status, 400);
    const change = (oldPassword: string) =>
      service.post('/api/user/change-password', { oldPassword, newPassword: 'a new one' }, alice);
    for (let i = 0; i < 5; i++) assert.equal((await change('a guess')).body.error, 'wrong_old_password');
    assert.equal((await confirm(alice.password)).body.error, 'rate_limited');
    assert.equal((await change(alice.password)).status, 429);
    assert.equal(await act(), 'forbidden: confirm_required');
    pass(15 * MINUTE_MS);
    assert.equal((await confirm(alice.password)).status, 200);
  });

  test('a body without a password is refused, and does not count', async (t) => {
    const { alice, confirm } = await start(t);
    for (let i = 0; i < 12; i++) assert.equal((await confirm(5)).body.error, 'invalid_field');
    assert.equal((await confirm(alice.password)).status, 200);
  });

  test('a session that ends, or a password that changes, while the password is checked confirms nothing', async (t) => {
    const { service, alice, context, callerOf, confirmedUntil } = await start(t);
    const caller = await callerOf(alice);
    /** Real passwords; `act` happens once, directly after a check. */
    const after = (act: () => Promise<unknown>) => {
      let left: (() => Promise<unknown>) | undefined = act;
      const { passwords } = context;
      const verify: typeof passwords.verify = async (...args) => {
        const verified = await passwords.verify(...args);
        const meanwhile = left;
        left = undefined;
        await meanwhile?.();
        return verified;
      };
      return { ...context, passwords: { ...passwords, verify } };
    };
    const change = () =>
      service.post(
        '/api/user/change-password',
        { oldPassword: alice.password, newPassword: 'a new one' },
        alice,
      );
    await assert.rejects(confirmSession(after(change), caller, alice.password), { word: 'wrong_password' });
    assert.equal(await confirmedUntil(), 0);
    const end = () => service.post('/api/logout', {}, alice);
    await assert.rejects(confirmSession(after(end), caller, 'a new one'), { kind: 'unauthenticated' });
  });

  test('a session that ended, or whose user is suspended, is unauthenticated', async (t) => {
    const { alice, context, callerOf, now } = await start(t);
    const { sessionId } = await callerOf(alice);
    await context.db.transaction((tx) => suspendUser(tx, alice.id));
    await assert.rejects(requireConfirmed(context.db, sessionId, now()), { kind: 'unauthenticated' });
  });
});
