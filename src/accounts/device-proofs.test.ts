import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { onEachDatabase } from '../../test/databases.ts';
import { type Answer, type Call, type Person, startService } from '../../test/harness.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { restoreUser, suspendUser } from './account-status.ts';
import { removeIdleProofs, renewProof } from './device-proofs.ts';

const DAY_MS = 86_400_000;

onEachDatabase('Device proofs', (database) => {
  /** A service with the user alice, a clock that the test moves, and a look at which proofs still are valid. */
  async function start(t: Parameters<typeof startService>[0]) {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { world: { now: () => now } });
    const alice = await service.join('alice');
    const send = (path: string, body: object, proof: string, call: Call = {}) =>
      service.post(path, body, { ...call, headers: { 'device-proof': proof } });
    const logIn = async (proof = 'none', { username, password }: Omit<Person, 'id' | 'token'> = alice) => {
      const answer = await send('/api/login', { username, password }, proof);
      assert.equal(answer.status, 200);
      return { proof: proofOf(answer), token: String(answer.body.data.token) };
    };
    return {
      service,
      alice,
      now: () => now,
      send,
      logIn,
      /** A login with a valid proof answers that one, with any other a new one. */
      isValid: async (proof: string, person?: Person) => (await logIn(proof, person)).proof === proof,
      pass: (ms: number) => {
        now += ms;
      },
      stored: () =>
        service.services.db.all<{ hash: string; user_id: string; used_at: number }>`
          select * from device_proofs order by hash`,
    };
  }

  function proofOf({ headers }: Answer): string {
    const proof = headers['device-proof'];
    assert.ok(typeof proof === 'string' && /^[\w-]{43}$/.test(proof), `${proof}`);
    return proof;
  }

  test('registration, login and POST /api/token send a proof in a header to a client that asks', async (t) => {
    const { send, logIn, alice } = await start(t);
    const body = { username: 'bob', password: 'password-of-bob' };
    const registered = await send('/api/register', body, 'none');
    assert.deepEqual(Object.keys(registered.body), ['code', 'message', 'data']);
    assert.deepEqual(Object.keys(registered.body.data), ['id', 'username', 'nickname', 'email', 'token']);
    const proof = proofOf(registered);
    assert.equal((await logIn(proof, body)).proof, proof);
    const token = await send('/api/token', {}, 'none', { token: alice.token });
    assert.deepEqual(Object.keys(token.body.data), ['token']);
    const ofAlice = proofOf(token);
    assert.notEqual(ofAlice, proof);
    assert.equal((await logIn(`${proof}, ${ofAlice}`)).proof, ofAlice);
  });

  test('a client that does not ask or is refused gets no proof', async (t) => {
    const { service, alice, send, stored } = await start(t);
    const { username, password } = alice;
    const answers = [
      await service.post('/api/login', { username, password }),
      await service.post('/api/token', {}, { token: alice.token }),
      await send('/api/login', { username, password: 'a wrong one' }, 'none'),
      await send('/api/login', { username: 'unknown', password }, 'none'),
      await send('/api/register', { username, password }, 'none'),
      await send('/api/token', {}, 'none'),
      await send('/api/user/profile', { bio: 'hi' }, 'none', { token: alice.token }),
    ];
    for (const { headers } of answers) assert.equal(headers['device-proof'], undefined);
    assert.deepEqual(await stored(), []);
  });

  test('a session gets one proof, and twenty calls with a stolen token push out none of the others', async (t) => {
    const { logIn, isValid, pass, send, service, alice, stored } = await start(t);
    const [phone, laptop] = [await logIn(), await logIn()];
    await send('/api/token', {}, 'none', { token: alice.token });
    const before = await stored();
    for (let i = 0; i < 20; i++) {
      pass(1000);
      for (const { token } of [phone, laptop, alice]) {
        const { status, headers } = await send('/api/token', {}, 'none', { token });
        assert.deepEqual([status, headers['device-proof']], [200, undefined]);
      }
    }
    await Promise.all(Array.from({ length: 20 }, () => send('/api/token', {}, 'none', phone)));
    assert.deepEqual(await stored(), before);
    for (const { proof } of [phone, laptop]) assert.equal(await isValid(proof), true);
    assert.equal((await service.get('/api/users', { token: phone.token })).status, 200);
  });

  test('a session that signed in without a proof gets one at POST /api/token, once', async (t) => {
    const { send, alice, stored } = await start(t);
    const calls = Array.from({ length: 20 }, () => send('/api/token', {}, 'none', { token: alice.token }));
    const proofs = (await Promise.all(calls)).map(({ headers }) => headers['device-proof']);
    assert.deepEqual([proofs.filter(Boolean).length, (await stored()).length], [1, 1]);
  });

  test('a proof belongs to the session that showed it first, which gets no other one', async (t) => {
    const { send, logIn, alice, stored } = await start(t);
    const [first, { token }] = [await logIn(), alice];
    const shown = await send('/api/token', {}, first.proof, { token });
    assert.equal(proofOf(shown), first.proof);
    assert.equal((await send('/api/token', {}, 'none', { token })).headers['device-proof'], undefined);
    assert.equal((await stored()).length, 1);
  });

  test('a session renews every valid proof that it shows', async (t) => {
    const { send, logIn, pass, now, stored } = await start(t);
    const [phone, laptop] = [await logIn(), await logIn()];
    pass(DAY_MS);
    const shown = await send('/api/token', {}, laptop.proof, { token: phone.token });
    assert.equal(proofOf(shown), laptop.proof);
    assert.deepEqual(
      (await stored()).map(({ used_at }) => now() - used_at).sort((one, other) => one - other),
      [0, DAY_MS],
    );
    const kept = await send('/api/token', {}, phone.proof, { token: phone.token });
    assert.equal(proofOf(kept), phone.proof);
  });

  test('only the hash of a proof is stored', async (t) => {
    const { logIn, stored, alice } = await start(t);
    const { proof } = await logIn();
    const [row, ...others] = await stored();
    assert.deepEqual([row?.user_id, others], [alice.id, []]);
    assert.notEqual(row?.hash, proof);
    assert.match(row?.hash ?? '', /^[\w-]{43}$/);
  });

  test('a user has at most 20 proofs: a new one replaces the least recently used', async (t) => {
    const { logIn, isValid, pass, stored } = await start(t);
    const proofs: string[] = [];
    for (let i = 0; i < 20; i++) {
      pass(1000);
      proofs.push((await logIn()).proof);
    }
    pass(1000);
    assert.equal(await isValid(proofs[0] ?? ''), true);
    pass(1000);
    await logIn();
    assert.equal((await stored()).length, 20);
    assert.equal(await isValid(proofs[0] ?? ''), true);
    assert.equal(await isValid(proofs[2] ?? ''), true);
    assert.equal(await isValid(proofs[1] ?? ''), false);
  });

  test('a user has at most 20 proofs after many parallel logins', async (t) => {
    const { logIn, stored } = await start(t);
    await Promise.all(Array.from({ length: 30 }, () => logIn()));
    assert.equal((await stored()).length, 20);
  });

  test('a proof ends after 180 days without use, and is removed', async (t) => {
    const { logIn, isValid, now, pass, stored, service } = await start(t);
    const { proof } = await logIn();
    pass(180 * DAY_MS - 1);
    assert.equal(await isValid(proof), true);
    pass(180 * DAY_MS - 1);
    assert.equal(await isValid(proof), true);
    pass(180 * DAY_MS);
    assert.equal(await isValid(proof), false);
    const before = await stored();
    await removeIdleProofs(service.services.db, now());
    assert.deepEqual([before.length, (await stored()).length], [2, 1]);
    assert.equal(await isValid(proof), false);
  });

  test('a session that ended meanwhile gets no proof', async (t) => {
    const { service, alice, now, stored } = await start(t);
    const session = { userId: alice.id, sessionId: String(decodeJwt(alice.token).sid) };
    const { db } = service.services;
    await service.post('/api/logout', {}, { token: alice.token });
    assert.equal(await renewProof(db, session, [], now()), undefined);
    assert.deepEqual(await stored(), []);
  });

  test('a proof is valid for one user only', async (t) => {
    const { service, logIn, isValid } = await start(t);
    const bob = await service.join('bob');
    const { proof } = await logIn();
    assert.equal(await isValid(proof, bob), false);
    assert.equal(await isValid(proof), true);
  });

  test('signing out and ending a session leave the proof valid', async (t) => {
    const { service, logIn, isValid } = await start(t);
    const { proof, token } = await logIn();
    await service.post('/api/logout', {}, { token });
    assert.equal(await isValid(proof), true);
  });

  test('a new password ends all proofs but those of the device that changed it', async (t) => {
    const { alice, send, logIn } = await start(t);
    const [own, other] = [await logIn(), await logIn()];
    const passwords = { oldPassword: alice.password, newPassword: 'a new password' };
    const refused = { ...passwords, oldPassword: 'a wrong one' };
    await send('/api/user/change-password', refused, own.proof, { token: own.token });
    assert.equal((await logIn(other.proof)).proof, other.proof);
    const changed = await send('/api/user/change-password', passwords, own.proof, { token: own.token });
    assert.equal(changed.status, 200);
    const renewed = { username: 'alice', password: 'a new password' };
    assert.equal((await logIn(own.proof, renewed)).proof, own.proof);
    assert.notEqual((await logIn(other.proof, renewed)).proof, other.proof);
  });

  test('a new password without a proof ends all proofs', async (t) => {
    const { service, alice, logIn, stored } = await start(t);
    await logIn();
    const body = { oldPassword: alice.password, newPassword: 'a new password' };
    assert.equal((await service.post('/api/user/change-password', body, { token: alice.token })).status, 200);
    assert.deepEqual(await stored(), []);
  });

  test('proofs end with the account, and survive a suspension', async (t) => {
    const { service, alice, logIn, isValid, stored } = await start(t);
    const { db } = service.services;
    const { proof } = await logIn();
    await db.transaction((tx) => suspendUser(tx, alice.id));
    await db.transaction((tx) => restoreUser(tx, alice.id));
    assert.equal(await isValid(proof), true);
    await db.transaction((tx) => deleteUser(tx, alice.id));
    assert.deepEqual(await stored(), []);
  });
});
