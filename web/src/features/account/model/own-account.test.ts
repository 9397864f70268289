import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DoormanError } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { onSqlite } from '../../../../../test/databases.ts';
import { settled, type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';

/** The user's friends and requests, by id. */
function relations({ stores }: TestClient) {
  const { friends, asked, requested } = stores.friends.all.getSnapshot();
  const ids = (list: typeof friends) => list.map(({ id }) => id);
  return { friends: ids(friends), asked: ids(asked), requested: ids(requested) };
}

onSqlite('friends of the page', (database) => {
  test('a request appears at once, on both sides and all devices, and so does its answer', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    const laptop = await town.another('alice');
    const answered = alice.stores.friends.act('request', bob.id);
    assert.equal(alice.stores.friends.state(bob.id).getSnapshot(), 'requested');
    assert.deepEqual(relations(alice), { friends: [], asked: [], requested: [bob.id] });
    await answered;
    await untilEqual(() => relations(laptop), { friends: [], asked: [], requested: [bob.id] });
    await untilEqual(() => relations(bob), { friends: [], asked: [alice.id], requested: [] });
    await bob.stores.friends.act('accept', alice.id);
    await untilEqual(() => relations(laptop), { friends: [bob.id], asked: [], requested: [] });
    await alice.stores.friends.act('remove', bob.id);
    await until(() => bob.stores.friends.state(alice.id).getSnapshot() === 'none');
  });

  test('a request to a user who has sent one makes them friends at once', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await bob.stores.friends.act('request', alice.id);
    await until(() => alice.stores.friends.state(bob.id).getSnapshot() === 'asked');
    const answered = alice.stores.friends.act('request', bob.id);
    assert.equal(alice.stores.friends.state(bob.id).getSnapshot(), 'friends');
    await answered;
    // The event of this message comes after all that the action caused.
    await town.writeMany(bob, alice.id, ['hi']);
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 1);
    assert.equal(alice.stores.friends.state(bob.id).getSnapshot(), 'friends');
  });

  test('a refused action is undone', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await bob.stores.blocks.block(alice.id);
    const refused = alice.stores.friends.act('request', bob.id);
    assert.equal(alice.stores.friends.state(bob.id).getSnapshot(), 'requested');
    await assert.rejects(
      refused,
      (error) => error instanceof DoormanError && error.error === 'not_accepting',
    );
    assert.equal(alice.stores.friends.state(bob.id).getSnapshot(), 'none');
    assert.deepEqual(relations(alice), { friends: [], asked: [], requested: [] });
    const impossible = alice.stores.friends.act('accept', bob.id);
    await assert.rejects(impossible);
    assert.equal(alice.stores.friends.state(bob.id).getSnapshot(), 'none');
  });

  test('the answer to an action does not undo an event that came later', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    const { friend } = alice.doorman.api;
    const accepted = Promise.withResolvers<void>();
    alice.doorman.on('friend', ({ state }) => state === 'friends' && accepted.resolve());
    alice.doorman.api.friend = async (act, id) => {
      const answer = await friend(act, id);
      await bob.stores.friends.act('accept', alice.id);
      await accepted.promise;
      return answer;
    };
    await alice.stores.friends.act('request', bob.id);
    assert.equal(alice.stores.friends.state(bob.id).getSnapshot(), 'friends');
  });

  test('a friendship is suspended while one blocks the other', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await bob.stores.friends.act('request', alice.id);
    await alice.stores.friends.act('accept', bob.id);
    await until(() => alice.stores.friends.state(bob.id).getSnapshot() === 'friends');
    await alice.stores.blocks.block(bob.id);
    // The event of this message comes after all that the action caused.
    await town.writeMany(await town.join('carol'), alice.id, ['hi']);
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 1);
    assert.deepEqual(relations(alice).friends, [bob.id]);
    const reloaded = await alice.reload();
    await settled(reloaded);
    assert.deepEqual(relations(reloaded).friends, [bob.id]);
  });
});

onSqlite('the user of the page', (database) => {
  test('profile and settings are the same on all devices', async (t) => {
    const town = await Town.open(t, database);
    const [phone, laptop] = [await town.join('alice'), await town.another('alice')];
    await phone.stores.ownAccount.updateProfile({ nickname: 'Al', bio: 'here' });
    assert.equal(phone.stores.ownAccount.profile.getSnapshot()?.nickname, 'Al');
    await until(() => laptop.stores.ownAccount.profile.getSnapshot()?.bio === 'here');
    assert.equal(laptop.stores.people.person(laptop.id).getSnapshot().name, 'Al');
    await phone.stores.ownAccount.updateSettings({ dndEnabled: true });
    await untilEqual(() => laptop.stores.ownAccount.settings.getSnapshot(), {
      pushEnabled: true,
      dndEnabled: true,
      pushPreview: 'sender',
    });
  });

  test('a switch shows a change at once, and undoes it when it is refused', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const shown = () => alice.stores.ownAccount.settings.getSnapshot()?.dndEnabled;
    const first = alice.stores.ownAccount.updateSettings({ dndEnabled: true });
    const second = alice.stores.ownAccount.updateSettings({ dndEnabled: false });
    assert.equal(shown(), false);
    await first;
    assert.equal(shown(), false);
    await second;
    // The event of this message comes after both changes.
    await town.writeMany(await town.join('bob'), alice.id, ['hi']);
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 1);
    assert.equal(shown(), false);
    const { updateSettings } = alice.doorman.api;
    alice.doorman.api.updateSettings = (body) => updateSettings({ ...body, pushPreview: 'all' as 'full' });
    const refused = alice.stores.ownAccount.updateSettings({ dndEnabled: true });
    assert.equal(shown(), true);
    await assert.rejects(refused);
    assert.equal(shown(), false);
  });

  test('the session is known from start to end', async (t) => {
    const town = await Town.open(t, database);
    const one = town.newClient(new MemoryStorage());
    const states: string[] = [];
    one.stores.session.subscribe(() => states.push(one.stores.session.getSnapshot().state));
    assert.equal(one.stores.session.getSnapshot().state, 'restoring');
    await one.stores.start();
    await assert.rejects(
      one.stores.session.signIn({ username: 'nobody', password: 'no-password' }),
      (error) => error instanceof DoormanError && error.msg === '用户不存在',
    );
    await one.stores.session.signUp({ username: 'alice', password: 'password-of-alice' });
    await settled(one);
    const again = await one.reload();
    assert.equal(again.stores.session.getSnapshot().state, 'signed_in');
    await settled(again);
    const other = await town.another('alice');
    const its = (await again.doorman.api.sessions()).find(({ current }) => current === 0);
    await again.doorman.api.endSession(its?.id ?? assert.fail());
    await until(() => other.stores.session.getSnapshot().state === 'signed_out');
    assert.deepEqual(other.stores.session.getSnapshot(), { state: 'signed_out', end: 'ended' });
    assert.deepEqual(states, ['signed_out', 'signed_in']);
  });

  test('the state of the connection is shown, and the data stays when it breaks', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await town.writeMany(bob, alice.id, ['one']);
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 1);
    const states = new Set<string>();
    alice.stores.connection.subscribe(() => states.add(alice.stores.connection.getSnapshot().state));
    alice.doorman.disconnect();
    assert.equal(alice.stores.connection.getSnapshot().state, 'off');
    assert.equal(alice.stores.chats.conversations.getSnapshot().length, 1);
    alice.doorman.connect();
    await settled(alice);
    assert.deepEqual([...states], ['off', 'connecting', 'live']);
  });
});
