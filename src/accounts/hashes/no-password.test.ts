import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { startService } from '../../../test/harness.ts';
import { createPasswordLink } from '../password-links.ts';

onEachDatabase('A user without a password', (database) => {
  /** Alice, who is signed in, without a password. */
  async function start(t: TestContext) {
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const { db } = service.services;
    await db.run`update users set password_hash = '!' where id = ${alice.id}`;
    const logIn = (password: string) => service.post('/api/login', { username: 'alice', password });
    return { service, alice, db, logIn };
  }

  test('is refused at a login as for a wrong password, whatever is typed, after one hash', async (t) => {
    const { service, alice, logIn } = await start(t);
    const { queue } = service.services.accounts.passwords;
    const run = queue.run.bind(queue);
    let hashes = 0;
    queue.run = (...args) => {
      hashes++;
      return run(...args);
    };
    const refusal = { code: 400, error: 'wrong_password', msg: '密码错误' };
    const typed = ['!', '', alice.password, 'constructor'];
    for (const password of typed) assert.deepEqual((await logIn(password)).body, refusal, password);
    assert.equal(hashes, typed.length);
  });

  test('cannot change or confirm by one, and stays signed in', async (t) => {
    const { service, alice } = await start(t);
    for (const password of ['!', '', alice.password]) {
      const change = { oldPassword: password, newPassword: 'a new password' };
      const changed = await service.post('/api/user/change-password', change, alice);
      assert.deepEqual([changed.status, changed.body.error], [400, 'wrong_old_password'], password);
      const confirmed = await service.post('/api/account/confirm', { password }, alice);
      assert.deepEqual([confirmed.status, confirmed.body.error], [400, 'wrong_password'], password);
    }
    assert.equal((await service.get('/api/account', alice)).status, 200);
  });

  test('gets a password by a link', async (t) => {
    const { service, alice, db, logIn } = await start(t);
    const link = await db.transaction((tx) => createPasswordLink(tx, alice.id, Date.now()));
    const set = await service.post('/api/password-link', {
      token: link?.token,
      newPassword: 'a new password',
    });
    assert.equal(set.status, 200);
    assert.equal((await logIn('a new password')).status, 200);
    assert.equal((await logIn('!')).status, 400);
  });
});
