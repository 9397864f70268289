import assert from 'node:assert/strict';
import { createHash, pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import { hash as bcryptHash } from '@node-rs/bcrypt';
import { onEachDatabase, type TestDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import type { Db } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { Events } from '../events/hints.ts';
import { saveSubscription } from '../push/subscriptions/subscriptions.ts';
import { suspendUser } from './account-status.ts';
import { logIn, register } from './accounts.ts';
import { openHashQueue, openPasswords, type Passwords } from './passwords.ts';
import { openMac } from './secrets.ts';
import { openSession } from './sessions.ts';
import { changePassword } from './set-password.ts';

const START = 1_760_000_000_000;
const passwords = openPasswords({ cost: 4 });

function refusedAs(word: string, message?: string) {
  return (error: unknown) => {
    assert(error instanceof ServiceError, String(error));
    assert.equal(error.word, word);
    if (message !== undefined) assert.equal(error.message, message);
    return true;
  };
}

/** Real passwords, with something that happens once, directly after a check. */
function withMeanwhile(act: () => Promise<unknown>): Passwords {
  let left: (() => Promise<unknown>) | undefined = act;
  return {
    ...passwords,
    async verify(...args) {
      const verified = await passwords.verify(...args);
      const now = left;
      left = undefined;
      await now?.();
      return verified;
    },
  };
}

onEachDatabase('accounts', (database) => {
  async function start(t: Parameters<TestDatabase['open']>[0]) {
    const db = await database.open(t);
    const context = {
      db,
      events: new Events(),
      mac: await openMac(db),
      passwords,
      commonPasswords: new Set<string>(),
      registration: 'open' as const,
      now: () => START,
      signal: new AbortController().signal,
      address: '',
      device: '',
      hasMail: false,
    };
    const hashOf = async (username: string) =>
      (await db.get<{ password_hash: string }>`select password_hash from users where username = ${username}`)
        ?.password_hash ?? '';
    return {
      db,
      context,
      hashOf,
      signUp: (username: string, password = 'secret1') => register(context, { username, password }),
      sessions: () =>
        db.all<{ id: string; user_id: string; device: string }>`select * from sessions order by id`,
    };
  }

  async function setHash(db: Db, userId: string, hash: string): Promise<void> {
    await db.run`update users set password_hash = ${hash} where id = ${userId}`;
  }

  test('a login takes any spelling of a name, and one that is longer than the longest belongs to no user', async (t) => {
    const { db, context } = await start(t);
    const one = '\ufdfa'; // NFKC makes 18 characters of it, the most of all
    const shortest = one.repeat(32);
    const longest = shortest.normalize('NFKC');
    assert.equal([...longest].length, 576);
    const password_hash = await passwords.hash('wonderland');
    const id = await addUser(db, shortest, { password_hash });
    for (const name of [shortest, longest]) {
      const { user } = await logIn(context, name, 'wonderland');
      assert.equal(user.id, id);
    }
    // Such a user cannot register: only the bound keeps the name from being looked up.
    const [possible, tooLong] = ['𝐀'.repeat(576), 'a'.repeat(577)];
    for (const name of [possible, tooLong]) await addUser(db, name, { password_hash });
    await logIn(context, possible, 'wonderland');
    await assert.rejects(logIn(context, tooLong, 'wonderland'), refusedAs('unknown_user', '用户不存在'));
  });

  test('registering stores what was sent, hashed where it is the password, and opens a session', async (t) => {
    const { context, sessions, hashOf } = await start(t);
    const body = { username: 'Alice', password: 'secret1', nickname: 'Al', email: 'a@b', avatar: '/a' };
    const { user, sessionId } = await register({ ...context, device: 'Phone' }, body);
    assert.deepEqual([user.username, user.username_key, user.nickname], ['Alice', 'alice', 'Al']);
    assert.deepEqual([user.email, user.avatar, user.status, user.created_at], ['a@b', '/a', 'active', START]);
    assert.match(await hashOf('Alice'), /^\$bcrypt-sha256\$v=2,t=2b,r=4\$/);
    const [session] = await sessions();
    assert.deepEqual([session?.id, session?.user_id, session?.device], [sessionId, user.id, 'Phone']);
  });

  test('a username is unique in all spellings, and shown as typed', async (t) => {
    const { signUp } = await start(t);
    for (const [taken, ...others] of [
      ['Alice', 'alice', 'ALICE', 'ａｌｉｃｅ'],
      ['σοφός', 'ΣΟΦΌΣ', 'σοφόσ'],
      ['fish', 'ﬁsh'],
      ['ål', '\u212bl', 'a\u030al'],
    ]) {
      assert.equal((await signUp(taken ?? '')).user.username, taken);
      for (const other of others)
        await assert.rejects(signUp(other), refusedAs('username_taken', '用户名已存在'));
    }
  });

  test('of many parallel registrations of one name, one succeeds', async (t) => {
    const { db, signUp, sessions } = await start(t);
    const spellings = ['alice', 'Alice', 'ALICE', 'ａlice', 'alice', 'aLice', 'alIce', 'aliCe'];
    const results = await Promise.allSettled(spellings.map((name) => signUp(name)));
    const refused = results.filter((one) => one.status === 'rejected');
    assert.equal(refused.length, 7);
    for (const { reason } of refused) refusedAs('username_taken')(reason);
    assert.equal((await db.all`select id from users`).length, 1);
    assert.equal((await sessions()).length, 1);
  });

  test('the name of a deleted account stays taken', async (t) => {
    const { db, signUp } = await start(t);
    await addUser(db, 'alice', { status: 'deleted' });
    await assert.rejects(signUp('Alice'), refusedAs('username_taken'));
  });

  test('a queued hash is dropped when its client disconnects, and nothing is stored', async (t) => {
    const { db, context } = await start(t);
    const busy = openPasswords({ cost: 4, queue: openHashQueue(4, 1) });
    const gone = new AbortController();
    const { promise: mayEnd, resolve } = Promise.withResolvers<void>();
    const holder = busy.queue.run(() => mayEnd);
    const body = { username: 'alice', password: 'secret1' };
    const waiting = register({ ...context, passwords: busy, signal: gone.signal }, body);
    while (busy.queue.waiting === 0) await new Promise(setImmediate);
    gone.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    resolve();
    await holder;
    assert.deepEqual([busy.queue.waiting, busy.queue.running], [0, 0]);
    assert.deepEqual(await db.all`select id from users`, []);
  });

  test('login finds the name in any spelling', async (t) => {
    const { context, signUp, sessions } = await start(t);
    const { user } = await signUp('Σοφός');
    for (const name of ['Σοφός', 'ΣΟΦΌΣ', 'σοφόσ']) {
      const { user: found, sessionId } = await logIn({ ...context, device: 'Laptop' }, name, 'secret1');
      assert.equal(found.id, user.id);
      assert.deepEqual((await sessions()).at(-1)?.id, sessionId);
      assert.deepEqual((await sessions()).at(-1)?.device, 'Laptop');
    }
    await assert.rejects(logIn(context, 'σοφος', 'secret1'), refusedAs('unknown_user', '用户不存在'));
  });

  test('login reports an unknown user, a wrong password, and a suspended account only with the right password', async (t) => {
    const { db, context, signUp, sessions } = await start(t);
    const { user } = await signUp('alice');
    await assert.rejects(logIn(context, 'bob', 'secret1'), refusedAs('unknown_user', '用户不存在'));
    await assert.rejects(logIn(context, 'alice', 'secret2'), refusedAs('wrong_password', '密码错误'));
    await db.transaction((tx) => suspendUser(tx, user.id));
    await assert.rejects(logIn(context, 'alice', 'secret2'), refusedAs('wrong_password', '密码错误'));
    await assert.rejects(logIn(context, 'alice', 'secret1'), refusedAs('account_suspended'));
    await db.run`update users set status = 'deleted' where id = ${user.id}`;
    await assert.rejects(logIn(context, 'alice', 'secret1'), refusedAs('unknown_user', '用户不存在'));
    assert.deepEqual(await sessions(), []);
  });

  test('the whole password counts, up to its 128th character', async (t) => {
    const { context, signUp } = await start(t);
    const password = '密'.repeat(127);
    await signUp('alice', `${password}a`);
    await assert.rejects(logIn(context, 'alice', `${password}b`), refusedAs('wrong_password'));
    await assert.rejects(logIn(context, 'alice', password), refusedAs('wrong_password'));
    assert.ok(await logIn(context, 'alice', `${password}a`));
  });

  test('a login replaces a weaker hash and keeps one of the current format and cost', async (t) => {
    const { db, context, signUp, hashOf } = await start(t);
    const { user } = await signUp('alice');
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const cheap = await bcryptHash('secret1', 4);
    const weaker = [cheap, cheap.replace('$2b$', '$2a$'), cheap.replace('$2b$', '$2y$'), sha256('secret1')];
    weaker.push(sha256('secret1').toUpperCase(), `sha256$pepper$${sha256('peppersecret1')}`);
    weaker.push(await passwords.wrapLegacy(sha256('secret1')));
    weaker.push(`digest$sha256$after$$${sha256('secret1')}`);
    weaker.push(await passwords.wrapLegacy(`digest$sha256$after$pepper$${sha256('secret1pepper')}`));
    weaker.push(
      `pbkdf2_sha256$1$pepper$${pbkdf2Sync('secret1', 'pepper', 1, 32, 'sha256').toString('base64')}`,
    );
    for (const hash of weaker) {
      await setHash(db, user.id, hash);
      await assert.rejects(logIn(context, 'alice', 'secret2'), refusedAs('wrong_password'));
      assert.equal(await hashOf('alice'), hash);
      await logIn(context, 'alice', 'secret1');
      const replaced = await hashOf('alice');
      assert.match(replaced, /^\$bcrypt-sha256\$v=2,t=2b,r=4\$/, hash);
      await logIn(context, 'alice', 'secret1');
      assert.equal(await hashOf('alice'), replaced);
    }
    const costlier = { ...context, passwords: openPasswords({ cost: 5 }) };
    await logIn(costlier, 'alice', 'secret1');
    assert.match(await hashOf('alice'), /^\$bcrypt-sha256\$v=2,t=2b,r=5\$/);
    const kept = await hashOf('alice');
    await logIn(context, 'alice', 'secret1');
    assert.equal(await hashOf('alice'), kept);
  });

  test('a login that ends between the check and the new hash leaves the old one, which works again', async (t) => {
    const { db, context, signUp, hashOf } = await start(t);
    const { user } = await signUp('alice');
    const old = `digest$md5$before$$${createHash('md5').update('secret1').digest('hex')}`;
    await setHash(db, user.id, old);
    const gone = new AbortController();
    const leaving = { ...context, signal: gone.signal, passwords: withMeanwhile(async () => gone.abort()) };
    await assert.rejects(logIn(leaving, 'alice', 'secret1'), { name: 'AbortError' });
    assert.equal(await hashOf('alice'), old);
    await logIn(context, 'alice', 'secret1');
    assert.match(await hashOf('alice'), /^\$bcrypt-sha256\$v=2,t=2b,r=4\$/);
  });

  test('a plain bcrypt hash is not replaced for a password over 72 bytes: the rest was not checked', async (t) => {
    const { db, context, signUp, hashOf } = await start(t);
    const { user } = await signUp('alice');
    const plain = await bcryptHash('p'.repeat(80), 4);
    await setHash(db, user.id, plain);
    assert.ok(await logIn(context, 'alice', `${'p'.repeat(72)}other`));
    assert.equal(await hashOf('alice'), plain);
  });

  test('a password that was changed while a login upgraded the old one stays changed, and the login fails', async (t) => {
    const { db, context, signUp, hashOf, sessions } = await start(t);
    const { user, sessionId } = await signUp('alice');
    await setHash(db, user.id, createHash('sha256').update('secret1').digest('hex'));
    const changed = await passwords.hash('secret2');
    const racing = { ...context, passwords: withMeanwhile(() => setHash(db, user.id, changed)) };
    await assert.rejects(logIn(racing, 'alice', 'secret1'), refusedAs('wrong_password', '密码错误'));
    assert.equal(await hashOf('alice'), changed);
    assert.deepEqual(
      (await sessions()).map((one) => one.id),
      [sessionId],
    );
  });

  test('two logins that upgrade one hash both succeed', async (t) => {
    const { db, context, signUp, sessions } = await start(t);
    const { user } = await signUp('alice');
    await setHash(db, user.id, createHash('sha256').update('secret1').digest('hex'));
    await Promise.all(Array.from({ length: 4 }, () => logIn(context, 'alice', 'secret1')));
    assert.equal((await sessions()).length, 5);
    assert.ok(await logIn(context, 'alice', 'secret1'));
  });

  test('a login opens no session when the password was changed between its check and the session', async (t) => {
    const { db, context, signUp, sessions } = await start(t);
    const { user, sessionId } = await signUp('alice');
    const changed = await passwords.hash('secret2');
    const racing = { ...context, passwords: withMeanwhile(() => setHash(db, user.id, changed)) };
    await assert.rejects(logIn(racing, 'alice', 'secret1'), refusedAs('wrong_password', '密码错误'));
    assert.equal((await sessions()).length, 1);
    const again = {
      ...context,
      passwords: withMeanwhile(async () => setHash(db, user.id, await passwords.hash('secret2'))),
    };
    assert.ok(await logIn(again, 'alice', 'secret2'), 'only rehashed: the login reads again and succeeds');
    assert.deepEqual((await sessions())[0]?.id, sessionId);
  });

  test('a login opens no session when the account was suspended between its check and the session', async (t) => {
    const { db, context, signUp, sessions } = await start(t);
    const { user } = await signUp('alice');
    const suspend = () => db.transaction((tx) => suspendUser(tx, user.id));
    const racing = { ...context, passwords: withMeanwhile(suspend) };
    await assert.rejects(logIn(racing, 'alice', 'secret1'), refusedAs('account_suspended'));
    assert.deepEqual(await sessions(), []);
  });

  test('a change of password ends every other session with its push subscriptions, and keeps the caller’s', async (t) => {
    const { db, context, signUp, sessions } = await start(t);
    const { user, sessionId } = await signUp('alice');
    const others = [await logIn(context, 'alice', 'secret1'), await logIn(context, 'alice', 'secret1')];
    const bob = await signUp('bob');
    const subscribe = (userId: string, session: string | null) =>
      saveSubscription(db, {
        userId,
        subscription: { endpoint: `https://push.example/${session}`, keys: { p256dh: 'BA', auth: 'AA' } },
        sessionId: session,
        vapidPublic: '',
        device: '',
        language: 'en',
        now: START,
      });
    await subscribe(user.id, sessionId);
    await subscribe(user.id, null);
    await subscribe(bob.user.id, bob.sessionId);
    for (const other of others) await subscribe(user.id, other.sessionId);

    const caller = { userId: user.id, sessionId };
    const ended = await changePassword(context, caller, 'secret1', 'secret2');
    assert.deepEqual(ended.sort(), others.map((other) => other.sessionId).sort());
    assert.deepEqual(
      (await sessions()).map((one) => one.id),
      [sessionId, bob.sessionId],
    );
    const left = await db.all<{ endpoint: string }>`select endpoint from push_subscriptions order by id`;
    assert.deepEqual(
      left.map((row) => row.endpoint),
      [sessionId, null, bob.sessionId].map((one) => `https://push.example/${one}`),
    );
    await assert.rejects(logIn(context, 'alice', 'secret1'), refusedAs('wrong_password'));
    assert.ok(await logIn(context, 'alice', 'secret2'));
  });

  test('a wrong old password changes nothing', async (t) => {
    const { context, signUp, hashOf, sessions } = await start(t);
    const { user, sessionId } = await signUp('alice');
    await logIn(context, 'alice', 'secret1');
    const before = await hashOf('alice');
    const caller = { userId: user.id, sessionId };
    const refused = refusedAs('wrong_old_password', '旧密码错误');
    await assert.rejects(changePassword(context, caller, 'secret2', 'secret3'), refused);
    assert.equal(await hashOf('alice'), before);
    assert.equal((await sessions()).length, 2);
  });

  test('of two parallel changes from two sessions one succeeds, and the old password stays invalid', async (t) => {
    const { context, signUp, sessions } = await start(t);
    const { user, sessionId } = await signUp('alice');
    const other = await logIn(context, 'alice', 'secret1');
    const results = await Promise.allSettled([
      changePassword(context, { userId: user.id, sessionId }, 'secret1', 'secret-a'),
      changePassword(context, { userId: user.id, sessionId: other.sessionId }, 'secret1', 'secret-b'),
    ]);
    const won = results.findIndex((one) => one.status === 'fulfilled');
    assert.equal(results.filter((one) => one.status === 'fulfilled').length, 1);
    assert.deepEqual(
      (await sessions()).map((one) => one.id),
      [won === 0 ? sessionId : other.sessionId],
    );
    assert.ok(await logIn(context, 'alice', won === 0 ? 'secret-a' : 'secret-b'));
    await assert.rejects(logIn(context, 'alice', 'secret1'), refusedAs('wrong_password'));
  });

  test('a change whose old password was changed meanwhile in the same session is refused', async (t) => {
    const { context, signUp } = await start(t);
    const { user, sessionId } = await signUp('alice');
    const caller = { userId: user.id, sessionId };
    const racing = withMeanwhile(() => changePassword(context, caller, 'secret1', 'secret-b'));
    await assert.rejects(
      changePassword({ ...context, passwords: racing }, caller, 'secret1', 'secret-a'),
      refusedAs('wrong_old_password', '旧密码错误'),
    );
    assert.ok(await logIn(context, 'alice', 'secret-b'));
  });

  test('a session that ended while its change was checked changes nothing', async (t) => {
    const { db, context, signUp, hashOf } = await start(t);
    const { user, sessionId } = await signUp('alice');
    const before = await hashOf('alice');
    const racing = withMeanwhile(() => db.run`delete from sessions where id = ${sessionId}`);
    const caller = { userId: user.id, sessionId };
    await assert.rejects(
      changePassword({ ...context, passwords: racing }, caller, 'secret1', 'secret2'),
      refusedAs('unauthenticated'),
    );
    assert.equal(await hashOf('alice'), before);
  });

  test('a change whose hash a login upgraded meanwhile reads again and succeeds', async (t) => {
    const { db, context, signUp } = await start(t);
    const { user, sessionId } = await signUp('alice');
    await setHash(db, user.id, createHash('sha256').update('secret1').digest('hex'));
    const racing = withMeanwhile(() => logIn(context, 'alice', 'secret1'));
    const caller = { userId: user.id, sessionId };
    const ended = await changePassword({ ...context, passwords: racing }, caller, 'secret1', 'secret2');
    assert.equal(ended.length, 1);
    assert.ok(await logIn(context, 'alice', 'secret2'));
  });

  test('a session opened with the old hash ends with a change of password', async (t) => {
    const { db, context, signUp, hashOf } = await start(t);
    const { user, sessionId } = await signUp('alice');
    const old = await hashOf('alice');
    const [late] = await Promise.all([
      openSession(db, user.id, old, '', START),
      changePassword(context, { userId: user.id, sessionId }, 'secret1', 'secret2'),
    ]);
    assert.equal(
      late === undefined ? undefined : await db.get`select id from sessions where id = ${late}`,
      undefined,
    );
    assert.equal(await openSession(db, user.id, old, '', START), undefined);
  });
});
