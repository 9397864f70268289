import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../../test/databases.ts';
import { addCrowd } from '../../../../../test/people.ts';
import { allSettled, type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';
import { Directory, type DirectorySearch } from './directory.ts';
import { Profiles } from './profiles.ts';

const EVERYBODY = { q: '', isOnlineOnly: false };

function names(search: DirectorySearch): string[] {
  return search.getSnapshot().entries.map(({ username }) => username);
}

/** Records the requests for the directory and for profiles. */
function listen({ doorman }: TestClient) {
  const asked: { users: unknown[]; profiles: string[] } = { users: [], profiles: [] };
  const { users, profileOf } = doorman.api;
  doorman.api.users = (query) => {
    asked.users.push(query);
    return users(query);
  };
  doorman.api.profileOf = (id) => {
    asked.profiles.push(id);
    return profileOf(id);
  };
  return asked;
}

onSqlite('people of the page', (database) => {
  test('the directory grows page by page, and is complete', async (t) => {
    const town = await Town.open(t, database);
    await addCrowd(town.service.services.db, 3_500);
    const alice = await town.join('alice');
    const asked = listen(alice);
    const search = alice.stores.people.newSearch(Directory);
    const close = search.open();
    assert.deepEqual([search.getSnapshot().isLoading, search.getSnapshot().entries.length], [true, 0]);
    for (const size of [200, 1_200, 2_200, 3_200, 3_501]) {
      await until(() => !search.getSnapshot().isLoading);
      assert.equal(search.getSnapshot().entries.length, size);
      assert.equal(search.getSnapshot().hasMore, size < 3_501);
      search.loadMore();
      search.loadMore();
    }
    assert.equal(asked.users.length, 5);
    assert.deepEqual([names(search)[0], names(search).at(-1)], ['crowd1', 'alice']);
    assert.equal(new Set(names(search)).size, 3_501);
    close();
    const again = alice.stores.people.newSearch(Directory);
    again.open();
    assert.equal(again.getSnapshot().entries.length, 3_501, 'a list that was loaded is there at once');
    again.setQuery({ q: 'crowd35', isOnlineOnly: false });
    await until(() => names(again).length === 12);
    assert.equal(asked.users.length, 7, 'the list that was opened again, and the search');
  });

  test('a long list that is loaded again keeps its length, and has new and renamed users', async (t) => {
    const town = await Town.open(t, database);
    await addCrowd(town.service.services.db, 1_500);
    const alice = await town.join('alice');
    const { db } = town.service.services;
    const search = alice.stores.people.newSearch(Directory);
    search.open();
    for (const size of [200, 1_200, 1_501]) {
      await until(() => search.getSnapshot().entries.length === size && !search.getSnapshot().isLoading);
      search.loadMore();
    }
    await town.join('bob');
    await db.run`update users set nickname = 'The first' where username = 'crowd1'`;
    search.refresh();
    await until(() => search.getSnapshot().entries[0]?.nickname === 'The first');
    await until(() => !search.getSnapshot().isLoading);
    assert.deepEqual([search.getSnapshot().entries.length, search.getSnapshot().hasMore], [1_501, true]);
    search.loadMore();
    await until(() => search.getSnapshot().entries.length === 1_502);
    assert.deepEqual([names(search).slice(-2), search.getSnapshot().hasMore], [['alice', 'bob'], false]);
    assert.equal(new Set(names(search)).size, 1_502);

    await db.run`update users set status = 'deleted' where username like 'crowd%' and username <> 'crowd1'`;
    search.refresh();
    await untilEqual(() => names(search), ['crowd1', 'alice', 'bob']);
    assert.equal(search.getSnapshot().hasMore, false);
  });

  test('a list on the screen has who registered: after their message, and when it is opened or updated', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const search = alice.stores.people.newSearch(Directory);
    const close = search.open();
    await untilEqual(() => names(search), ['alice']);
    const bob = await town.join('bob');
    await bob.doorman.send(alice.id, 'hi');
    await untilEqual(() => names(search), ['alice', 'bob']);
    await town.join('carol');
    search.update();
    await untilEqual(() => names(search), ['alice', 'bob', 'carol']);
    close();
    await town.join('dave');
    const again = alice.stores.people.newSearch(Directory);
    again.open();
    assert.deepEqual(names(again), ['alice', 'bob', 'carol'], 'what is known comes at once');
    await untilEqual(() => names(again), ['alice', 'bob', 'carol', 'dave']);
  });

  test('a list on the screen has who registered while there was no connection', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const search = alice.stores.people.newSearch(Directory);
    search.open();
    await untilEqual(() => names(search), ['alice']);
    alice.doorman.disconnect();
    await town.join('bob');
    alice.doorman.connect();
    await untilEqual(() => names(search), ['alice', 'bob']);
  });

  test('a search waits for the last letter, and shows what was there until then', async (t) => {
    const town = await Town.open(t, database);
    await addCrowd(town.service.services.db, 30);
    const alice = await town.join('alice');
    const asked = listen(alice);
    const search = alice.stores.people.newSearch(Directory);
    search.open();
    await until(() => search.getSnapshot().entries.length === 31);
    for (const q of ['c', 'cr', 'cro', 'crowd2']) search.setQuery({ q, isOnlineOnly: false });
    assert.deepEqual([search.getSnapshot().isLoading, search.getSnapshot().entries.length], [true, 31]);
    assert.deepEqual(search.getSnapshot().query, EVERYBODY);
    await until(() => search.getSnapshot().query.q === 'crowd2' && !search.getSnapshot().isLoading);
    assert.deepEqual(names(search).sort(), ['crowd2', ...Array.from({ length: 10 }, (_, i) => `crowd2${i}`)]);
    assert.equal(asked.users.length, 2, 'one for everybody, one for the whole word');
    search.setQuery(EVERYBODY);
    assert.equal(search.getSnapshot().entries.length, 31, 'what is known comes at once');
  });

  test('a late answer does not replace a newer one', async (t) => {
    const town = await Town.open(t, database);
    await addCrowd(town.service.services.db, 30);
    const alice = await town.join('alice');
    const { users } = alice.doorman.api;
    const held: (() => void)[] = [];
    alice.doorman.api.users = async (query) => {
      const answer = await users(query);
      if (query?.q === 'crowd1') await new Promise<void>((resolve) => held.push(resolve));
      return answer;
    };
    const search = alice.stores.people.newSearch(Directory);
    search.open();
    search.setQuery({ q: 'crowd1', isOnlineOnly: false });
    await until(() => held.length === 1);
    search.setQuery({ q: 'crowd3', isOnlineOnly: false });
    await untilEqual(() => names(search), ['crowd3', 'crowd30']);
    held[0]?.();
    await allSettled();
    assert.deepEqual(names(search), ['crowd3', 'crowd30']);
  });

  test('the list of online users, also while it is empty', async (t) => {
    const town = await Town.open(t, database);
    await addCrowd(town.service.services.db, 30);
    const [alice] = [await town.join('alice'), await town.join('bob')];
    const search = alice.stores.people.newSearch(Directory);
    search.open();
    search.setQuery({ q: '', isOnlineOnly: true });
    await untilEqual(() => names(search), ['alice', 'bob']);
    search.setQuery({ q: 'nobody is called so', isOnlineOnly: false });
    await until(() => search.getSnapshot().query.q !== '');
    assert.deepEqual(
      [names(search), search.getSnapshot().isLoading, search.getSnapshot().hasMore],
      [[], false, false],
    );
  });

  test('after a 429 loading goes on at the time that the service names', async (t) => {
    const town = await Town.open(t, database, { env: { RATE_LIMIT_API: '6/2s' } });
    await addCrowd(town.service.services.db, 8_000);
    const alice = await town.join('alice');
    const search = alice.stores.people.newSearch(Directory);
    search.open();
    let resumesAt: number | undefined;
    const { users } = alice.doorman.api;
    alice.doorman.api.users = (query) => {
      assert.ok(
        resumesAt === undefined || Date.now() >= resumesAt,
        'it asks no earlier than the service says',
      );
      return users(query);
    };
    const end = search.subscribe(() => {
      const { waitsUntil, failure } = search.getSnapshot();
      assert.equal(failure, undefined);
      resumesAt = waitsUntil ?? resumesAt;
      search.loadMore();
    });
    await until(() => search.getSnapshot().entries.length > 6_000);
    end();
    assert.ok(resumesAt !== undefined, 'it has waited');
    assert.equal(search.getSnapshot().waitsUntil, undefined);
  });

  test('a search without a connection fails, and is repeated when it is back', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    alice.doorman.disconnect();
    await town.service.app.close();
    const search = alice.stores.people.newSearch(Directory);
    search.open();
    await until(() => search.getSnapshot().failure === 'unreachable');
    assert.equal(search.getSnapshot().isLoading, false);
    await town.restart();
    alice.doorman.connect();
    await untilEqual(() => names(search), ['alice']);
    assert.equal(search.getSnapshot().failure, undefined);
  });

  test('names come from any answer or event, and are requested once where none had them', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob, carol] = [await town.join('alice'), await town.join('bob'), await town.join('carol')];
    await bob.stores.ownAccount.updateProfile({ nickname: 'Bobby', avatar: '/bob.png' });
    await carol.stores.friends.act('request', alice.id);
    const laptop = await town.another('alice');
    const asked = listen(laptop);
    const person = (id: string) => laptop.stores.people.person(id);
    assert.deepEqual(person(carol.id).getSnapshot(), {
      id: carol.id,
      name: 'carol',
      username: 'carol',
      avatar: '',
      state: 'known',
    });
    assert.equal(person(laptop.id).getSnapshot().name, 'alice');
    assert.equal(person(bob.id).getSnapshot().state, 'unknown');
    // As rows that are scrolled out of sight and back.
    for (let i = 0; i < 3; i++) person(bob.id).subscribe(() => {})();
    person(bob.id).subscribe(() => {});
    await until(() => person(bob.id).getSnapshot().state === 'known');
    assert.deepEqual(person(bob.id).getSnapshot(), {
      id: bob.id,
      name: 'Bobby',
      username: 'bob',
      avatar: '/bob.png',
      state: 'known',
    });
    const nobody = '00000000-0000-7000-8000-000000000000';
    person(nobody).subscribe(() => {});
    await until(() => person(nobody).getSnapshot().state === 'gone');
    person(nobody).subscribe(() => {});
    person(carol.id).subscribe(() => {});
    // An erased account, of which lists have the id alone.
    const erased = '00000000-0000-7000-8000-000000000001';
    laptop.stores.people.names.add([{ id: erased, username: '', nickname: '', avatar: '' }]);
    person(erased).subscribe(() => {});
    assert.deepEqual(person(erased).getSnapshot(), {
      ...{ id: erased, name: '', username: '', avatar: '' },
      state: 'gone',
    });
    assert.ok(!laptop.stores.people.known.getSnapshot().some(({ id }) => id === erased));
    const dave = await town.service.join('dave');
    person(dave.id).subscribe(() => {});
    await until(() => person(dave.id).getSnapshot().state === 'known');
    assert.deepEqual(asked.profiles, [bob.id, nobody, dave.id]);
  });

  test('names of many unknown users are fetched few at a time, the latest first', async (t) => {
    const town = await Town.open(t, database);
    const ids = await addCrowd(town.service.services.db, 100);
    const alice = await town.join('alice');
    const { profileOf } = alice.doorman.api;
    const asked: string[] = [];
    let underWay = 0;
    let atOnce = 0;
    alice.doorman.api.profileOf = async (id) => {
      asked.push(id);
      atOnce = Math.max(atOnce, ++underWay);
      try {
        return await profileOf(id);
      } finally {
        underWay--;
      }
    };
    for (const id of ids) alice.stores.people.person(id).subscribe(() => {});
    await until(() => asked.length === 30 && underWay === 0);
    await allSettled();
    assert.equal(asked.length, 30, 'no more than thirty a minute');
    assert.equal(atOnce, 3);
    assert.deepEqual(asked.slice(3, 6), ids.slice(-3).reverse());
  });

  test('a profile is fetched when it is shown, and fresh for a while', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await bob.stores.ownAccount.updateProfile({ bio: 'I ring bells' });
    const asked = listen(alice);
    const profile = alice.stores.people.profile(bob.id, Profiles);
    assert.deepEqual(profile.getSnapshot(), { profile: undefined, state: 'loading' });
    profile.subscribe(() => {});
    await until(() => profile.getSnapshot().profile?.bio === 'I ring bells');
    profile.subscribe(() => {});
    assert.equal(alice.stores.people.person(bob.id).getSnapshot().name, 'bob');
    const nobody = alice.stores.people.profile('nobody', Profiles);
    nobody.subscribe(() => {});
    await until(() => nobody.getSnapshot().state === 'gone');
    assert.deepEqual(asked.profiles, [bob.id, 'nobody']);
  });

  test('the presence of users on the screen follows them', async (t) => {
    const town = await Town.open(t, database);
    const startedAt = Date.now();
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    const { id } = bob;
    const sight = alice.stores.presence.of(id);
    assert.equal(sight.getSnapshot().state, 'unknown');
    const end = alice.stores.presence.watch([id]);
    await until(() => sight.getSnapshot().state === 'online');
    bob.doorman.setView({ visible: true, active: false });
    await until(() => sight.getSnapshot().state === 'idle');
    await bob.stores.session.signOut();
    await until(() => sight.getSnapshot().state === 'offline');
    assert.ok(sight.getSnapshot().lastSeen >= startedAt);
    end();
    await until(() => alice.stores.presence.of(id).getSnapshot().state === 'unknown');
  });

  test('an id that the service refuses is shown as an unknown user, and the connection stays live', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const connections: string[] = [];
    alice.doorman.on('connection', ({ state }) => connections.push(state));
    for (const id of ['\0', '\ud800']) {
      alice.stores.presence.watch([id]);
      alice.stores.chats.thread(id).open();
      const profile = alice.stores.people.profile(id, Profiles);
      const person = alice.stores.people.person(id);
      t.after(profile.subscribe(() => {}));
      t.after(person.subscribe(() => {}));
      await untilEqual(() => [profile.getSnapshot().state, person.getSnapshot().state], ['gone', 'gone']);
      assert.equal(alice.stores.chats.thread(id).view.getSnapshot().failure, undefined);
    }
    // The service answers over the same connection still.
    const bob = await town.join('bob');
    alice.stores.presence.watch([bob.id]);
    await until(() => alice.stores.presence.of(bob.id).getSnapshot().state === 'online');
    assert.deepEqual(connections, []);
  });
});
