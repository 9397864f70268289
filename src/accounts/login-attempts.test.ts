import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { type Answer, startService } from '../../test/harness.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

onEachDatabase('Guessing the password of one account', (database) => {
  /** A service with the printed limits and the user alice; its clock moves by `pass` alone. */
  async function startLimited(t: TestContext, env: Record<string, string> = {}) {
    let ms = 1_000_000;
    const service = await startService(t, database, {
      env: { RATE_LIMIT_AUTH: '', ...env },
      world: { monotonicMs: () => ms },
    });
    const alice = await service.join('alice');
    const logIn = (
      from: string,
      password: string,
      username = 'alice',
      headers: Record<string, string> = {},
    ) => service.post('/api/login', { username, password }, { from, headers });
    return {
      service,
      alice,
      pass: (milliseconds: number) => {
        ms += milliseconds;
      },
      logIn,
      guess: (from: string, username?: string) => logIn(from, 'a wrong one', username),
      /** Wrong passwords for alice, `each` from every address; how many were checked. */
      async guesses(addresses: readonly string[], each: number): Promise<number> {
        const answers: Answer[] = [];
        for (const from of addresses)
          for (let i = 0; i < each; i++) answers.push(await logIn(from, 'a wrong one'));
        return countJudged(answers);
      },
    };
  }

  function countJudged(answers: readonly Answer[]): number {
    for (const { status, body } of answers)
      if (status !== 429) assert.deepEqual([status, body.msg], [400, '密码错误']);
    return answers.filter(({ status }) => status !== 429).length;
  }

  const addresses = (count: number, network = '198.51.100') =>
    Array.from({ length: count }, (_, i) => `${network}.${i + 1}`);

  test('300 guesses from 60 addresses: 30 are checked, then one a minute, the others get 429', async (t) => {
    const { guesses, guess, pass } = await startLimited(t);
    assert.equal(await guesses(addresses(60), 5), 31);
    const { status, body, headers } = await guess('203.0.113.1');
    assert.deepEqual([status, body.code, body.error], [429, 429, 'too_many_logins']);
    assert.equal(headers['retry-after'], '60');
    pass(MINUTE_MS - 1);
    assert.equal(await guesses(addresses(60, '192.0.2'), 5), 0);
    pass(1);
    assert.equal(await guesses(addresses(60, '203.0.113'), 5), 1);
  });

  test('parallel guesses are limited alike', async (t) => {
    const { guess } = await startLimited(t);
    const all = addresses(60).flatMap((from) => [1, 2, 3, 4, 5].map(() => guess(from)));
    assert.equal(countJudged(await Promise.all(all)), 31);
  });

  test('other accounts and unknown names are not affected', async (t) => {
    const { service, guesses, logIn, guess } = await startLimited(t);
    await service.join('bob');
    await guesses(addresses(8), 5);
    assert.equal((await guess('198.51.100.1')).status, 429);
    assert.equal((await guess('198.51.100.1', 'bob')).body.msg, '密码错误');
    assert.equal((await logIn('198.51.100.1', 'password-of-bob', 'bob')).status, 200);
    assert.equal((await guess('198.51.100.1', 'unknown')).body.msg, '用户不存在');
  });

  test('an hour after the guesses the limit is over', async (t) => {
    const { guesses, guess, pass } = await startLimited(t);
    assert.equal(await guesses(addresses(8), 5), 31);
    pass(HOUR_MS - 1);
    assert.equal((await guess('203.0.113.1')).status, 400);
    assert.equal((await guess('203.0.113.2')).status, 429);
    pass(1);
    assert.equal(await guesses(addresses(5), 5), 25);
  });

  test('an address counts at most five times an hour: five addresses do not reach the limit', async (t) => {
    const { guesses, logIn, pass } = await startLimited(t);
    for (let i = 0; i < 4; i++) {
      assert.equal(await guesses(addresses(5), 20), 100);
      pass(15 * MINUTE_MS);
    }
    for (const from of addresses(10, '203.0.113'))
      assert.equal((await logIn(from, 'password-of-alice')).status, 200);
  });

  test('an IPv6 address counts as its /64', async (t) => {
    const { guesses } = await startLimited(t);
    const ofOneNetwork = Array.from({ length: 20 }, (_, i) => `2001:db8:1:2::${i + 1}`);
    assert.equal(await guesses(ofOneNetwork, 1), 20);
    assert.equal(await guesses(addresses(4), 20), 80);
    assert.equal(await guesses(['2001:db8:1:3::1'], 8), 6);
  });

  test('right passwords do not count, and do not reset the count of wrong ones', async (t) => {
    const { guesses, logIn, guess } = await startLimited(t);
    for (const from of addresses(10, '203.0.113'))
      for (let i = 0; i < 5; i++) assert.equal((await logIn(from, 'password-of-alice')).status, 200);
    assert.equal(await guesses(addresses(4), 5), 20);
    assert.equal((await logIn('203.0.113.99', 'password-of-alice')).status, 200);
    assert.equal(await guesses(addresses(4, '192.0.2'), 5), 11);
    assert.equal((await guess('203.0.113.98')).status, 429);
  });

  test('the owner on a new device shares the one attempt a minute', async (t) => {
    const { guesses, logIn, pass } = await startLimited(t);
    await guesses(addresses(8), 5);
    assert.equal((await logIn('203.0.113.1', 'password-of-alice')).status, 429);
    pass(MINUTE_MS);
    assert.equal((await logIn('203.0.113.1', 'password-of-alice')).status, 200);
    assert.equal((await logIn('203.0.113.1', 'password-of-alice')).status, 429);
  });

  test('a device that signed in before can sign in while the account is being guessed', async (t) => {
    const { guesses, logIn } = await startLimited(t);
    const withoutProof = { 'device-proof': 'none' };
    const proof = String(
      (await logIn('203.0.113.1', 'password-of-alice', 'alice', withoutProof)).headers['device-proof'],
    );
    await guesses(addresses(8), 5);
    const own = { 'device-proof': proof };
    for (let i = 0; i < 3; i++) {
      const wrong = await logIn('203.0.113.2', 'mistyped', 'alice', own);
      assert.deepEqual([wrong.status, wrong.body.msg], [400, '密码错误']);
      const right = await logIn('203.0.113.2', 'password-of-alice', 'Alice', own);
      assert.deepEqual([right.status, right.headers['device-proof']], [200, proof]);
    }
    assert.equal((await logIn('203.0.113.2', 'password-of-alice')).status, 429);
  });

  test('a device with a proof has 20 attempts in 15 minutes of its own, then the limits of any other', async (t) => {
    const { guesses, logIn, pass } = await startLimited(t);
    const withoutProof = { 'device-proof': 'none' };
    const proof = String(
      (await logIn('203.0.113.1', 'password-of-alice', 'alice', withoutProof)).headers['device-proof'],
    );
    await guesses(addresses(8), 5);
    const own = { 'device-proof': proof };
    const tries = addresses(25, '192.0.2').map((from) => logIn(from, 'a wrong one', 'alice', own));
    assert.equal(countJudged(await Promise.all(tries)), 20);
    pass(15 * MINUTE_MS);
    assert.equal((await logIn('192.0.2.1', 'password-of-alice', 'alice', own)).status, 200);
  });

  test('wrong passwords of a device with a proof do not count for others', async (t) => {
    const { logIn, guesses } = await startLimited(t);
    const withoutProof = { 'device-proof': 'none' };
    const proof = String(
      (await logIn('203.0.113.1', 'password-of-alice', 'alice', withoutProof)).headers['device-proof'],
    );
    const own = { 'device-proof': proof };
    for (const from of addresses(20, '192.0.2')) await logIn(from, 'a wrong one', 'alice', own);
    assert.equal(await guesses(addresses(5), 5), 25);
    assert.equal((await logIn('203.0.113.2', 'password-of-alice')).status, 200);
  });

  test('proofs of another account, unknown and malformed proofs are ignored', async (t) => {
    const { service, guesses, logIn } = await startLimited(t);
    const withoutProof = { 'device-proof': 'none' };
    const body = { username: 'mallory', password: 'password-of-mallory' };
    const registered = await service.post('/api/register', body, {
      headers: withoutProof,
      from: '203.0.113.1',
    });
    const ofMallory = String(registered.headers['device-proof']);
    await guesses(addresses(8), 5);
    const unknown = 'A'.repeat(43);
    const malformed = ['', 'none', '[1', ofMallory.slice(1), `${ofMallory}=`, "' or 1=1 --", 'é'.repeat(43)];
    for (const proof of [ofMallory, unknown, ...malformed, `${unknown}, `.repeat(300)]) {
      const { status } = await logIn('203.0.113.2', 'password-of-alice', 'alice', { 'device-proof': proof });
      assert.equal(status, 429, proof);
    }
    assert.equal((await logIn('203.0.113.1', 'password-of-mallory', 'mallory')).status, 200);
  });

  test('RATE_LIMIT_AUTH=off turns it off', async (t) => {
    const { guesses } = await startLimited(t, { RATE_LIMIT_AUTH: 'off' });
    assert.equal(await guesses(addresses(10), 10), 100);
  });
});
