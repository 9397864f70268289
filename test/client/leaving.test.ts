import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AccountLeaving, type DoormanStorage, exportUrl } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { toError } from '../../client/src/http/http.ts';
import { onSqlite } from '../databases.ts';
import { allButProofs, Device, join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

const DAY_MS = 86_400_000;

/** What the tabs of one browser share. */
function shared(): DoormanStorage {
  return Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
}

async function refusedSignIn(device: Device, username: string): Promise<AccountLeaving> {
  const refusal: unknown = await device.signIn(username).catch((error: unknown) => error);
  assert.ok(refusal instanceof AccountLeaving, String(refusal));
  return refusal;
}

onSqlite('An account that its user deletes by the kit', (database) => {
  describe('all at once', { concurrency: true }, () => {
    test('ends with `leaving` in all tabs and on all devices, which keep nothing', async (t) => {
      const service = await serve(t, database);
      const storage = shared();
      const tab = await join(t, service.url, 'alice', { storage });
      const other = new Device(t, service.url, { storage });
      await other.doorman.restore();
      await other.connect();
      const phone = await (await new Device(t, service.url).signIn('alice')).connect();
      const bob = await join(t, service.url, 'bob');
      for (const device of [tab, phone]) {
        await device.storage.set('page/of the program', { drafts: ['secret'] });
        device.doorman.send('nobody', 'refused').catch(() => {});
        await device.first('outgoing', ({ state }) => state === 'refused');
      }
      const before = Date.now();
      const deletion = await tab.doorman.deleteAccount();
      assert.equal(tab.doorman.session, undefined);
      assert.deepEqual(await allButProofs(storage), []);
      assert.ok(deletion.until >= before + 30 * DAY_MS && deletion.until <= Date.now() + 30 * DAY_MS);
      for (const device of [tab, other, phone]) {
        await device.first('session', ({ session }) => session === undefined);
        const ends = device.all('session').filter(({ session }) => session === undefined);
        assert.deepEqual(ends, [{ session: undefined, end: 'leaving' }]);
        assert.deepEqual(device.doorman.connection, { state: 'off' });
        assert.deepEqual(device.doorman.outgoing(), []);
        await until(async () => (await allButProofs(device.storage)).length === 0);
      }
      assert.equal((await storage.all('device-proofs')).length, 1);
      await assert.rejects(
        bob.doorman.api.sendMessage({ to: phone.all('snapshot')[0]?.profile.id ?? '', cid: 'c', body: 'x' }),
        {
          error: 'not_accepting',
        },
      );
    });

    test('without a connection to the service the session ends here all the same', async (t) => {
      const service = await serve(t, database);
      const alice = await new Device(t, service.url).signUp('alice');
      await alice.storage.set('page/anything', 1);
      await alice.doorman.deleteAccount();
      assert.deepEqual(alice.all('session').at(-1), { session: undefined, end: 'leaving' });
      assert.deepEqual(await allButProofs(alice.storage), []);
    });

    test('stays as it is if the password is wanted first, or no answer comes', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      await alice.storage.set('page/anything', 1);
      await service.services.db.run`update sessions set confirmed_at = 0`;
      await assert.rejects(alice.doorman.deleteAccount(), { code: 403, error: 'confirm_required' });
      line.isDown = true;
      await assert.rejects(alice.doorman.deleteAccount(), { code: 0, error: 'unreachable' });
      assert.equal(alice.session.username, 'alice');
      assert.equal(await alice.storage.get('page/anything'), 1);
    });

    test('is kept by the ticket of a sign-in, which alone takes nothing back', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      const { id } = alice;
      await alice.doorman.api.updateProfile({ bio: 'Down the rabbit hole' });
      const { until: due } = await alice.doorman.deleteAccount();

      const device = await join(t, service.url, 'bob');
      await assert.rejects(device.doorman.signIn({ username: 'alice', password: 'a guess' }), {
        name: 'DoormanError',
        error: 'unknown_user',
      });
      const leaving = await refusedSignIn(device, 'alice');
      assert.deepEqual([leaving.code, leaving.error, leaving.until], [403, 'account_leaving', due]);
      assert.equal(device.session.username, 'bob', 'another user stays signed in');
      const { ticket } = await refusedSignIn(device, 'alice');

      const proofs = (await device.storage.all('device-proofs'))[0]?.[1];
      const session = await device.doorman.keepAccount(leaving.ticket);
      assert.deepEqual([session.userId, session.username], [id, 'alice']);
      assert.deepEqual(device.session, session);
      assert.notDeepEqual(
        (await device.storage.all('device-proofs'))[0]?.[1],
        proofs,
        'a proof of this account',
      );
      await device.connect();
      await device.first('snapshot', ({ profile }) => profile.bio === 'Down the rabbit hole');
      assert.equal(device.all('session').filter(({ session }) => session?.username === 'alice').length, 1);
      const stranger = new Device(t, service.url);
      for (const used of [leaving.ticket, ticket, 'of nobody'])
        await assert.rejects(stranger.doorman.keepAccount(used), { code: 400, error: 'ticket_invalid' });
      await stranger.signIn('alice');
    });

    test('without time to undo it, is gone at once', async (t) => {
      const service = await serve(t, database, { env: { DELETION_GRACE: '0' } });
      const alice = await join(t, service.url, 'alice');
      assert.equal((await alice.doorman.api.options()).deletionGrace, 0);
      await alice.doorman.deleteAccount();
      const ends = alice.all('session').filter(({ session }) => session === undefined);
      assert.deepEqual(ends, [{ session: undefined, end: 'leaving' }]);
      await assert.rejects(alice.signIn('alice'), { name: 'DoormanError', error: 'unknown_user' });
    });
  });
});

test('the address of a download has the ticket, below the address of the service', () => {
  const path = '/api/account/export?ticket=a%26b%3D';
  assert.equal(exportUrl('a&b=', 'https://chat.example.org'), `https://chat.example.org${path}`);
  assert.equal(exportUrl('a&b=', 'https://example.org/chat//'), `https://example.org/chat${path}`);
});

test('a refusal of a later version that has a ticket too is not taken for that of a deletion', () => {
  const envelope = { code: 403, msg: '', ticket: 'of another kind', until: 1 };
  assert.ok(toError({ ...envelope, error: 'account_leaving' }) instanceof AccountLeaving);
  assert.ok(!(toError({ ...envelope, error: 'second_factor' }) instanceof AccountLeaving));
});
