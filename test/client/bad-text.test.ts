import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onSqlite } from '../databases.ts';
import { Device, join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

const BAD_TEXT = { name: 'DoormanError', code: 400, error: 'bad_text' };
const BAD = ['a\0b', '\ud800', 'x\udc00y'];

onSqlite('Text with U+0000 or half a surrogate pair', (database) => {
  describe('all at once', { concurrency: true }, () => {
    test('is refused before any of it is sent, and the connection stays live', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      const { doorman } = alice;
      const { api } = doorman;
      const [frames, requests] = [line.frames.length, line.requests.length];
      for (const bad of BAD) {
        await assert.rejects(doorman.send(bob.id, bad), BAD_TEXT);
        await assert.rejects(doorman.send(bad, 'hi'), BAD_TEXT);
        await assert.rejects(doorman.send(bob.id, 'hi', bad), BAD_TEXT);
        doorman.typing(bad);
        doorman.markRead(bad, 1);
        await assert.rejects(api.profileOf(bad), BAD_TEXT);
        await assert.rejects(api.users({ q: bad }), BAD_TEXT);
        await assert.rejects(api.users({ after: bad }), BAD_TEXT);
        await assert.rejects(api.history({ peer: bad }), BAD_TEXT);
        await assert.rejects(api.markRead({ peer: bad, read: 1 }), BAD_TEXT);
        await assert.rejects(api.sendMessage({ to: bob.id, cid: 'c', body: bad }), BAD_TEXT);
        await assert.rejects(api.friend('request', bad), BAD_TEXT);
        await assert.rejects(api.block(bad), BAD_TEXT);
        await assert.rejects(api.unblock(bad), BAD_TEXT);
        await assert.rejects(api.endSession(bad), BAD_TEXT);
        await assert.rejects(api.pushTest(bad), BAD_TEXT);
        await assert.rejects(api.updateProfile({ bio: bad }), BAD_TEXT);
        await assert.rejects(api.login({ username: bad, password: 'a password' }), BAD_TEXT);
      }
      assert.deepEqual([line.frames.length, line.requests.length], [frames, requests]);
      assert.deepEqual([doorman.outgoing(), alice.all('outgoing')], [[], []]);
      assert.equal((await doorman.send(bob.id, 'whole pairs 😀 are fine')).n, 1);
      await bob.hears('whole pairs 😀 are fine');
      assert.equal(line.arrivals.length, 1);
    });

    test('is removed from the watched ids, and from the device name', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { device: 'my\0 phone\ud800' });
      const bob = await join(t, service.url, 'bob');
      alice.doorman.watch([...BAD, bob.id]);
      const [sight] = await alice.first('presence');
      assert.equal(sight?.id, bob.id);
      assert.deepEqual(line.frames.find(({ type }) => type === 'watch').userIds, [bob.id]);
      assert.equal(line.frames[0].device, 'my phone');
      assert.equal(line.arrivals.length, 1);
    });

    test('is refused at the start if an earlier version stored it, and blocks no other message', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await new Device(t, line.url).signUp('alice');
      const bob = await join(t, service.url, 'bob');
      for (const [i, body] of ['bad\0', 'good'].entries()) {
        const kept = { to: bob.id, cid: `c${i}`, body, writtenAt: i, state: 'waiting' };
        await alice.storage.set(`outgoing/${alice.id}/c${i}`, kept);
      }
      const reloaded = new Device(t, line.url, { storage: alice.storage });
      await reloaded.doorman.restore();
      assert.deepEqual(
        reloaded.doorman.outgoing().map(({ state, error }) => [state, error]),
        [
          ['refused', 'bad_text'],
          ['waiting', undefined],
        ],
      );
      await reloaded.connect();
      await bob.hears('good');
      reloaded.doorman.retry('c0');
      await reloaded.first('outgoing', ({ state }) => state === 'refused');
      await reloaded.doorman.send(bob.id, 'better');
      await bob.hears('good', 'better');
      await reloaded.doorman.discard('c0');
      await until(async () => (await alice.storage.all('outgoing/')).length === 0);
      assert.equal(line.arrivals.length, 1);
    });
  });
});
