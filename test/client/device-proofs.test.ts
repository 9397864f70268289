import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MemoryStorage } from 'doorman-client/testing';
import { createPasswordLink } from '../../src/accounts/password-links.ts';
import { onSqlite } from '../databases.ts';
import { Device, join } from './device.ts';
import { serve } from './serving.ts';

const REFUSED = { code: 429, error: 'too_many_logins', retryAfterMs: 60_000 };

onSqlite('The kit on a device that signed in before', (database) => {
  /** A service with the default limit of logins, whose clock does not move. */
  async function start(t: TestContext) {
    const service = await serve(t, database, {
      env: { RATE_LIMIT_AUTH: '' },
      world: { monotonicMs: () => 1_000_000 },
    });
    const guess = (from: string, username: string) =>
      service.post('/api/login', { username, password: 'a wrong one' }, { from });
    const { db } = service.services;
    return {
      url: service.url,
      join: service.join,
      /** The token of a link of the operator. */
      async makeLink(userId: string) {
        const link = await db.transaction((tx) => createPasswordLink(tx, userId, Date.now()));
        assert.ok(link);
        return link.token;
      },
      /** Slows down the logins of an account, as an attacker with many addresses does. */
      async attack(username: string) {
        for (let i = 1; i <= 8; i++)
          for (let n = 0; n < 5; n++) await guess(`198.51.${username.length}.${i}`, username);
        assert.equal((await guess('203.0.113.1', username)).status, 429);
      },
    };
  }

  test('signs in while the password is being guessed, also after signing out; a new device waits', async (t) => {
    const { url, attack } = await start(t);
    const device = await new Device(t, url).signUp('alice');
    await device.doorman.signOut();
    await attack('alice');
    await assert.rejects(new Device(t, url).signIn('alice'), REFUSED);
    await device.signIn('alice');
    await device.doorman.signOut();
    await new Device(t, url, { storage: device.storage }).signIn('alice');
  });

  test('stores nothing after signing out that shows who signed in', async (t) => {
    const { url } = await start(t);
    const device = await join(t, url, 'alice');
    await device.doorman.signOut();
    const [[key, proofs] = [], ...others] = await device.storage.all('');
    assert.deepEqual([key, others], ['device-proofs', []]);
    assert.ok(Array.isArray(proofs) && proofs.length === 1);
    assert.match(String(proofs[0]), /^[\w-]{43}$/);
  });

  test('signs in as each of the users who signed in on it', async (t) => {
    const { url, attack } = await start(t);
    const device = new Device(t, url);
    for (const username of ['alice', 'bob']) {
      await device.signUp(username);
      await device.doorman.signOut();
      await attack(username);
    }
    for (const username of ['alice', 'bob', 'alice']) {
      await device.signIn(username);
      assert.equal(device.session.username, username);
    }
    const proofs = await device.storage.get('device-proofs');
    assert.ok(Array.isArray(proofs) && proofs.length === 2);
  });

  test('keeps its proof when the user changes the password on it', async (t) => {
    const { url, attack } = await start(t);
    const [device, other] = [await new Device(t, url).signUp('alice'), new Device(t, url)];
    await other.signIn('alice');
    await other.doorman.signOut();
    const passwords = { oldPassword: 'password-of-alice', newPassword: 'a new password' };
    await device.doorman.api.changePassword(passwords);
    await device.doorman.signOut();
    await attack('alice');
    const body = { username: 'alice', password: 'a new password' };
    await device.doorman.signIn(body);
    await assert.rejects(other.doorman.signIn(body), REFUSED);
  });

  test('gets a proof with the next token if it signed in before proofs existed', async (t) => {
    const { url, attack, join } = await start(t);
    const { id: userId, username, token } = await join('alice');
    const storage = new MemoryStorage();
    await storage.set('session', { userId, username, token, renewAt: 0 });
    const device = new Device(t, url, { storage });
    await device.doorman.restore();
    await device.doorman.api.freshToken();
    await device.doorman.signOut();
    await attack('alice');
    await device.doorman.signIn({ username, password: 'password-of-alice' });
  });

  test('sets a password by a link of the operator during an attack, and signs in with it at once', async (t) => {
    const { url, attack, join, makeLink } = await start(t);
    const { id, username } = await join('alice');
    await attack('alice');
    const device = new Device(t, url);
    await assert.rejects(device.signIn('alice'), REFUSED);
    const token = await makeLink(id);
    await device.doorman.api.usePasswordLink({ token, newPassword: 'a new password' });
    await device.doorman.signIn({ username, password: 'a new password' });
    assert.equal(device.id, id);
    const other = new Device(t, url);
    await assert.rejects(other.doorman.signIn({ username, password: 'a new password' }), REFUSED);
  });

  test('signs in whatever the stored proofs are', async (t) => {
    const { url } = await start(t);
    await new Device(t, url).signUp('alice');
    for (const kept of ['proof', { length: 1 }, ['no proof', 5, null, '\u0000', '宝'.repeat(43)]]) {
      const storage = new MemoryStorage();
      await storage.set('device-proofs', kept);
      const device = await new Device(t, url, { storage }).signIn('alice');
      const proofs = await device.storage.get('device-proofs');
      assert.ok(Array.isArray(proofs) && proofs.length === 1, JSON.stringify(proofs));
    }
  });
});
