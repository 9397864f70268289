import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onSqlite } from '../databases.ts';
import { Device, join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

onSqlite('Presence, marks and typing', (database) => {
  // They wait for the clock most of the time.
  describe('all at once', { concurrency: true }, () => {
    test('presence is emitted for all watched users, and again after a break', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const bob = await new Device(t, service.url).signUp('bob');
      const carol = await join(t, service.url, 'carol');
      const watches = () => line.frames.filter(({ type }) => type === 'watch').map(({ userIds }) => userIds);

      const endFirst = alice.doorman.watch([bob.id]);
      const endSecond = alice.doorman.watch([bob.id, carol.id]);
      // In one event or in two: Carol's presence may still be in flight when the service answers.
      await until(
        () =>
          alice.doorman.presenceOf(bob.id) !== undefined && alice.doorman.presenceOf(carol.id)?.online === 1,
      );
      assert.deepEqual(watches(), [[bob.id, carol.id]]);
      assert.deepEqual(alice.doorman.presenceOf(bob.id), { id: bob.id, online: 0, idle: 0, lastSeen: 0 });
      await bob.connect();
      await alice.first('presence', ([sight]) => sight?.id === bob.id && sight.online === 1);
      assert.equal(alice.doorman.presenceOf(bob.id)?.online, 1);

      // The first subscription still watches Bob.
      endSecond();
      endSecond();
      await until(() => watches().length === 2);
      assert.deepEqual(watches()[1], [bob.id]);
      assert.equal(alice.doorman.presenceOf(carol.id), undefined);
      assert.equal(alice.doorman.presenceOf(bob.id)?.online, 1);

      const before = alice.all('presence').length;
      line.isDown = true;
      line.cut();
      await alice.is('waiting');
      bob.doorman.disconnect();
      line.isDown = false;
      await alice.first('presence', ([sight]) => sight?.id === bob.id && sight.online === 0, before);
      assert.deepEqual(watches()[2], [bob.id]);
      endFirst();
      await until(() => watches().length === 4);
      assert.deepEqual(watches()[3], []);
    });

    test('unchanged presence is not emitted', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      alice.doorman.watch([bob.id]);
      await alice.first('presence');
      line.cut();
      await alice.first('connection', ({ state }) => state === 'waiting');
      await until(() => line.frames.filter(({ type }) => type === 'watch').length === 2);
      await alice.doorman.send(bob.id, 'a reply after that of the watch');
      assert.equal(alice.all('presence').length, 1);
    });

    test('of more than 500 users the latest 500 are watched', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const ids = Array.from({ length: 501 }, (_, i) => `somebody-${i}`);
      alice.doorman.watch(ids);
      alice.doorman.watch(['', 'x'.repeat(101)]);
      await alice.first('presence');
      const [watch] = line.frames.filter(({ type }) => type === 'watch');
      assert.deepEqual(watch.userIds, ids.slice(1));
    });

    test('a blocked user appears offline at once, and with their true presence after the unblock', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      alice.doorman.watch([bob.id]);
      await alice.first('presence', ([sight]) => sight?.online === 1);
      const before = alice.all('presence').length;
      await alice.doorman.api.block(bob.id);
      await alice.first('block');
      assert.equal(alice.doorman.presenceOf(bob.id)?.online, 0);
      assert.equal(alice.all('presence').at(-1)?.[0]?.online, 0);
      await alice.doorman.api.unblock(bob.id);
      await alice.first('presence', ([sight]) => sight?.online === 1, before);
    });

    test('the highest read mark is sent once there is a connection', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, line.url, 'bob');
      for (let i = 0; i < 5; i++) await alice.doorman.send(bob.id, `${i}`);
      await until(() => bob.bodies.length === 5);
      const marks = () => line.frames.filter(({ type }) => type === 'mark').map(({ read }) => read);

      bob.doorman.markRead(alice.id, 2);
      bob.doorman.markRead(alice.id, 1);
      await bob.first('marked', ({ read }) => read === 2);
      assert.deepEqual(marks(), [2]);
      line.isDown = true;
      line.cut();
      await bob.is('waiting');
      bob.doorman.markRead(alice.id, 5);
      bob.doorman.markRead(alice.id, 4);
      line.isDown = false;
      await alice.first('marked', ({ by, read }) => by === bob.id && read === 5);
      assert.deepEqual(marks(), [2, 5]);
      bob.doorman.markRead(alice.id, 3);
      let isRefused = false;
      line.passes = (frame) => {
        isRefused ||= frame.code === 404;
        return true;
      };
      bob.doorman.markRead('nobody', 3);
      await until(() => isRefused);
      // It was refused for good, so it is not sent again on the next connection.
      line.cut();
      await bob.first('connection', ({ state }) => state === 'waiting', 4);
      await bob.is('live');
      await bob.doorman.send(alice.id, 'after all marks');
      assert.deepEqual(marks(), [2, 5, 3]);
    });

    test('a mark whose reply was lost is sent again', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, line.url, 'bob');
      await alice.doorman.send(bob.id, 'hi');
      await bob.first('message');
      line.freeze();
      bob.doorman.markRead(alice.id, 1);
      await until(() => line.frames.some(({ type }) => type === 'mark'));
      line.cut();
      await alice.first('marked', ({ by, read }) => by === bob.id && read === 1);
    });

    test('typing is sent at most once a second to each peer, and only while connected', async (t) => {
      let skippedMs = 0;
      const world = { monotonicMs: () => performance.now() + skippedMs };
      const service = await serve(t, database, { world });
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      for (let i = 0; i < 5; i++) alice.doorman.typing(bob.id);
      alice.doorman.typing('somebody else');
      assert.deepEqual(await bob.first('typing'), { from: alice.id });
      const sent = () => line.frames.filter(({ type }) => type === 'typing').length;
      assert.equal(sent(), 2);
      // The service limits by the second too; its second ends before the kit's.
      skippedMs += 1_000;
      await until(() => {
        alice.doorman.typing(bob.id);
        return sent() > 2;
      });
      await bob.first('typing', () => true, 1);
      alice.doorman.disconnect();
      await until(() => line.open === 0);
      const before = sent();
      alice.doorman.typing(bob.id);
      await alice.connect();
      assert.equal(sent(), before);
    });

    test('whether the device is visible and active is sent when it changes, and on each new connection', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', {
        device: 'a word that is longer than any device may have for itself, by far',
      });
      const bob = await join(t, service.url, 'bob');
      bob.doorman.watch([alice.id]);
      await bob.first('presence', ([sight]) => sight?.online === 1 && sight.idle === 0);
      alice.doorman.setView({ visible: true, active: false });
      alice.doorman.setView({ visible: true, active: false });
      await bob.first('presence', ([sight]) => sight?.idle === 1);
      assert.equal(line.frames.filter(({ type }) => type === 'view').length, 1);
      line.cut();
      await alice.first('connection', ({ state }) => state === 'waiting');
      await alice.is('live');
      const hello = line.frames.filter(({ type }) => type === 'hello').at(-1);
      assert.deepEqual([hello.visible, hello.active, hello.device.length], [true, false, 64]);
    });

    test('friends, blocks, profile, settings and ended sessions are emitted on every device', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      const phone = await (await new Device(t, service.url).signIn('alice')).connect();
      await bob.doorman.api.friend('request', alice.id);
      assert.deepEqual(await phone.first('friend'), { userId: bob.id, state: 'asked', seq: 1 });
      await alice.doorman.api.friend('accept', bob.id);
      assert.deepEqual(await phone.first('friend', () => true, 1), {
        userId: bob.id,
        state: 'friends',
        seq: 2,
      });
      await alice.doorman.api.updateProfile({ nickname: 'Ally' });
      assert.equal((await phone.first('profile')).nickname, 'Ally');
      await alice.doorman.api.updateSettings({ dndEnabled: true, pushPreview: 'none' });
      assert.deepEqual(await phone.first('settings'), {
        push_enabled: 1,
        dnd_enabled: 1,
        push_preview: 'none',
        seq: 4,
      });
      await alice.doorman.api.block(bob.id);
      assert.deepEqual(await phone.first('block'), { userId: bob.id, seq: 5 });
      await alice.doorman.api.unblock(bob.id);
      assert.deepEqual(await phone.first('unblock'), { userId: bob.id, revision: 0, seq: 6 });
      const third = await new Device(t, service.url).signIn('alice');
      await third.doorman.signOut();
      assert.equal((await phone.first('sessions')).ended.length, 1);
    });
  });
});
