import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { addCrowd, addUser, setFriends } from '../../test/people.ts';
import { PRESENT } from '../../test/present.ts';
import type { Db } from '../db/db.ts';
import { Events } from '../events/hints.ts';
import { blockUser, unblockUser } from '../relations/block-user.ts';
import { updatePrivacy } from '../settings/privacy.ts';
import type { Privacy } from '../users/privacy.ts';
import { LastSeen } from './last-seen.ts';
import { OnlineUsers } from './online-users.ts';
import type { PresenceState } from './schemas.ts';
import { VisiblePresence } from './visible-presence.ts';
import { Watchers } from './watchers.ts';
import { openSeeingCallers, readHiddenAmong } from './who-sees.ts';

onEachDatabase('who sees whose presence', (database) => {
  async function start(t: TestContext) {
    const db = await database.open(t);
    const [events, online] = [new Events(), new OnlineUsers()];
    const { world } = new ManualClock();
    const statements: string[] = [];
    const hooks: { beforeAnswer?: (() => Promise<unknown> | undefined) | undefined } = {};
    const watched: Db = Object.create(db, {
      all: {
        async value(...parts: Parameters<Db['all']>) {
          const rows = await db.all(...parts);
          statements.push(parts[0].join('?'));
          if (parts[0].join('').includes('who_presence')) await hooks.beforeAnswer?.();
          return rows;
        },
      },
    });
    const lastSeen = new LastSeen(db, world.now);
    const watchers = new Watchers(watched, events, online, new VisiblePresence(online, world), lastSeen);
    const inboxes = { db, events };

    const show = (userId: string, presence: Privacy['presence']) =>
      updatePrivacy(inboxes, userId, { presence }, 1);

    /** A device of the user, online, which watches these users. */
    async function watch(userId: string, ...userIds: string[]) {
      const frames: PresenceState[][] = [];
      const device = {
        ...PRESENT,
        userId,
        isLive: true,
        unsentBytes: 0,
        writePresence: (users: readonly PresenceState[]) => void frames.push([...users]),
      };
      online.add(userId, device);
      const states = await watchers.watch(device, userIds);
      return {
        device,
        states,
        /** What the device gets at the next flush. */
        async flushed() {
          await watchers.flush();
          return frames.splice(0).flat();
        },
      };
    }
    return { db, events, online, watchers, inboxes, statements, hooks, lastSeen, show, watch };
  }

  const shown = (id: string) => ({ id, online: 1, idle: 0, lastSeen: 0 });
  const never = (id: string) => ({ id, online: 0, idle: 0, lastSeen: 0 });

  test('each of two users must show the other their presence, or neither sees the other', async (t) => {
    const { db, show } = await start(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const settings = ['everyone', 'friends', 'nobody'] as const;
    for (const areFriends of [false, true]) {
      await setFriends(db, alice, bob, areFriends);
      for (const ofAlice of settings)
        for (const ofBob of settings) {
          await show(alice, ofAlice);
          await show(bob, ofBob);
          const both = [ofAlice, ofBob];
          const sees = !both.includes('nobody') && (areFriends || !both.includes('friends'));
          const name = `${both.join(' and ')}, ${areFriends ? 'friends' : 'strangers'}`;
          const hidden = async (id: string) => [...(await readHiddenAmong(db, id, [alice, bob, 'unknown']))];
          assert.deepEqual(await hidden(alice), sees ? [] : [bob], name);
          assert.deepEqual(await hidden(bob), sees ? [] : [alice], name);
        }
    }
    // A request is no friendship.
    await show(alice, 'friends');
    await show(bob, 'everyone');
    await db.run`update friends set state = case when user_id = ${alice} then 'asked' else 'requested' end`;
    assert.deepEqual([...(await readHiddenAmong(db, alice, [bob]))], [bob]);
  });

  test('who begins to hide goes offline without a time, and no longer sees others; coming and going causes no frame', async (t) => {
    const { db, events, online, lastSeen, show, watch } = await start(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const alices = await watch(alice, bob);
    assert.deepEqual(alices.states, [never(bob)]);
    const bobs = await watch(bob, alice, bob);
    await alices.flushed();
    await bobs.flushed();
    await show(bob, 'nobody');
    assert.deepEqual(await alices.flushed(), [never(bob)]);
    assert.deepEqual(await bobs.flushed(), [never(alice)], 'not himself');
    assert.deepEqual((await watch(alice, bob)).states, [never(bob)]);
    lastSeen.note(bob, 1_000);
    const phone = { ...PRESENT, isActive: false };
    online.update(bob, bobs.device, () => Object.assign(bobs.device, phone));
    online.remove(bob, bobs.device, true);
    assert.deepEqual(await alices.flushed(), []);
    assert.deepEqual((await watch(alice, bob)).states, [never(bob)]);
    online.add(bob, bobs.device);
    online.update(bob, bobs.device, () => Object.assign(bobs.device, { isActive: true }));
    assert.deepEqual(await alices.flushed(), []);
    await show(bob, 'everyone');
    assert.deepEqual(await alices.flushed(), [shown(bob)]);
    // A change that concerns nothing of it, such as one of the nickname, does not hide them until the next flush either.
    events.publish({ type: 'user-changed', userId: bob });
    assert.deepEqual((await watch(alice, bob)).states, [shown(bob)]);
    assert.deepEqual(await alices.flushed(), []);
  });

  test('a block hides too, whatever both show, and what both show hides after the unblock', async (t) => {
    const { db, inboxes, show, watch } = await start(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    await setFriends(db, alice, bob);
    await show(bob, 'friends');
    const bobs = await watch(bob, alice);
    const alices = await watch(alice, bob);
    assert.deepEqual(alices.states, [shown(bob)]);
    await alices.flushed();
    await blockUser(inboxes, bob, alice, 1);
    assert.deepEqual(await alices.flushed(), [never(bob)]);
    await show(bob, 'nobody');
    await unblockUser(inboxes, bob, alice, 1);
    for (const state of await alices.flushed()) assert.deepEqual(state, never(bob));
    assert.deepEqual((await watch(alice, bob)).states, [never(bob)]);
    await bobs.flushed();
    await show(bob, 'friends');
    assert.deepEqual(await alices.flushed(), [shown(bob)]);
    await blockUser(inboxes, bob, alice, 1);
    await show(bob, 'everyone');
    assert.deepEqual(await alices.flushed(), [never(bob)]);
  });

  test('a change while the watched users are replaced is in the answer, and so is one while it is decided on', async (t) => {
    const { db, hooks, show, watch } = await start(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    await watch(bob);
    for (const hiding of [bob, alice]) {
      hooks.beforeAnswer = () => {
        hooks.beforeAnswer = undefined;
        return show(hiding, 'nobody');
      };
      const alices = await watch(alice, bob);
      assert.deepEqual(alices.states, [never(bob)], 'it was read before the change');
      assert.deepEqual(await alices.flushed(), []);
      await show(hiding, 'everyone');
      assert.deepEqual(await alices.flushed(), [shown(bob)]);
      // A flush has read the first change when the second comes: nothing is sent of either.
      for (const [first, then] of [
        ['nobody', 'everyone'],
        ['everyone', 'nobody'],
      ] as const) {
        await show(hiding, then);
        await alices.flushed();
        await show(hiding, first);
        hooks.beforeAnswer = () => {
          hooks.beforeAnswer = undefined;
          return show(hiding, then);
        };
        assert.deepEqual(await alices.flushed(), [], `${first}, then ${then}`);
        assert.deepEqual(await alices.flushed(), []);
      }
      await show(hiding, 'everyone');
      assert.deepEqual(await alices.flushed(), [shown(bob)]);
    }
  });

  test('a device that reads while a change is decided on shows nothing of before it', async (t) => {
    const { db, hooks, show, watchers, watch } = await start(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    await watch(bob);
    const alices = await watch(alice, bob);
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    hooks.beforeAnswer = () => {
      hooks.beforeAnswer = undefined;
      reached.resolve();
      return held.promise;
    };
    const again = watchers.watch(alices.device, [bob]);
    await reached.promise; // what it has read shows Bob
    await show(bob, 'nobody');
    await watchers.flush();
    held.resolve();
    assert.deepEqual(await again, [never(bob)]);
    for (const state of await alices.flushed()) assert.deepEqual(state, never(bob));
  });

  test('a device that begins to watch while a change is decided on sees it at the next flush', async (t) => {
    const { db, hooks, show, watchers, watch } = await start(t);
    const [alice, bob, carol] = [
      await addUser(db, 'alice'),
      await addUser(db, 'bob'),
      await addUser(db, 'carol'),
    ];
    await watch(carol, bob);
    await show(bob, 'nobody');
    await watchers.flush();
    await show(bob, 'everyone');
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    hooks.beforeAnswer = () => {
      hooks.beforeAnswer = undefined;
      reached.resolve();
      return held.promise;
    };
    const flush = watchers.flush();
    await reached.promise; // it asked about Carol alone
    const [alices, bobs] = [await watch(alice, bob), await watch(bob, alice)];
    assert.deepEqual([...alices.states, ...bobs.states], [never(bob), never(alice)]);
    held.resolve();
    await flush;
    assert.deepEqual([...(await alices.flushed()), ...(await bobs.flushed())], [shown(bob), shown(alice)]);
  });

  test('a change costs a statement for each 500 watchers, and none for each of their devices', async (t) => {
    const { db, events, statements, online, show, watch } = await start(t);
    const bob = await addUser(db, 'bob');
    const crowd = await addCrowd(db, 600);
    await watch(bob, ...crowd.slice(0, 400));
    const devices = [];
    for (let i = 0; i < crowd.length; i += 50)
      devices.push(...(await Promise.all(crowd.slice(i, i + 50).map((id) => watch(id, bob)))));
    await devices[0]?.flushed();
    await show(bob, 'friends');
    statements.length = 0;
    assert.deepEqual(await devices[0]?.flushed(), [never(bob)]);
    const hiding = statements.filter((text) => text.includes('who_presence'));
    assert.deepEqual([hiding.length, statements.length], [2, 2]);
    // Changes of users who are watched by no one here, and watch no one, cost nothing.
    statements.length = 0;
    const dave = await addUser(db, 'dave');
    online.add(dave, PRESENT);
    events.publish({ type: 'user-changed', userId: dave, changesPresence: true });
    await devices[0]?.flushed();
    assert.deepEqual(statements, []);
  });

  test('what a command may have changed is read again; until then nothing is sent', async (t) => {
    const { db, events, hooks, online, watch } = await start(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const bobs = await watch(bob);
    const alices = await watch(alice, bob);
    await alices.flushed();
    const command = async (who: Privacy['presence']) => {
      await db.run`update users set who_presence = ${who} where id = ${bob}`;
      events.receive({ type: 'external-change' });
    };
    await command('nobody');
    assert.deepEqual(await alices.flushed(), [never(bob)]);
    await command('everyone');
    assert.deepEqual(await alices.flushed(), [shown(bob)]);
    // It comes in a flush that has read again whom it reads, and that has a state of Bob to send.
    online.update(bob, bobs.device, () => Object.assign(bobs.device, { isActive: false }));
    events.receive({ type: 'user-changed', userId: alice, changesPresence: true });
    hooks.beforeAnswer = () => {
      hooks.beforeAnswer = undefined;
      return command('nobody');
    };
    assert.deepEqual(await alices.flushed(), []);
    assert.deepEqual(await alices.flushed(), [never(bob)]);
  });

  test('over HTTP a caller sees who is online while they show everyone; it is read once', async (t) => {
    const { db, events, show } = await start(t);
    const alice = await addUser(db, 'alice');
    const seeing = openSeeingCallers(db, events);
    assert.equal(seeing.recall(alice), undefined);
    assert.equal(await seeing.load(alice), true);
    assert.equal(seeing.recall(alice), true);
    for (const who of ['friends', 'nobody'] as const) {
      await show(alice, who);
      assert.equal(seeing.recall(alice), undefined);
      assert.equal(await seeing.load(alice), false);
      assert.equal(seeing.recall(alice), false);
    }
    assert.deepEqual([seeing.recall(undefined), await seeing.load(undefined)], [true, true]);
  });
});
