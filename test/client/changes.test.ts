import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { MessageChange } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { Clock } from '../clocks.ts';
import { onSqlite, type TestDatabase } from '../databases.ts';
import type { Body } from '../harness.ts';
import { allButProofs, Device, join, until } from './device.ts';
import { type Line, startLine } from './line.ts';
import { serve } from './serving.ts';

/** Alice on a line of her own, connected, has written 'one' and 'two' to Bob, who is connected. */
async function begin(t: TestContext, database: TestDatabase) {
  const service = await serve(t, database);
  const line = await startLine(t, service.url);
  const storage = Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
  const alice = await join(t, line.url, 'alice', { storage });
  const bob = await join(t, service.url, 'bob');
  await alice.doorman.send(bob.id, 'one', 'c1');
  await alice.doorman.send(bob.id, 'two', 'c2');
  await alice.hears('one', 'two');
  return { service, line, alice, bob };
}

/** The frames that changed anything, in short. */
function sent(line: Line, from = 0): string[] {
  const frames = line.frames.filter(({ type }) => ['send', 'unsend', 'edit', 'react'].includes(type));
  return frames.slice(from).map(({ type, n, cid, body, emoji }) => short([type, n ?? cid, body ?? emoji]));
}

const short = (parts: readonly unknown[]) => parts.filter((part) => part !== undefined).join(' ');

function shown({ kind, n, cid, body, emoji, state, error }: MessageChange): string {
  return short([kind, n ?? cid, body ?? emoji, state, error]);
}

function changesOf(device: Device): string[] {
  return device.all('change').map(shown);
}

/** The network of this device is gone. */
async function goOffline(line: Line, device: Device): Promise<void> {
  line.isDown = true;
  line.cut();
  await device.is('waiting');
}

/** As after the page was closed and opened again, not connected. */
async function reload(t: TestContext, line: Line, device: Device): Promise<Device> {
  device.doorman.disconnect();
  const reloaded = new Device(t, line.url, { storage: device.storage });
  await reloaded.doorman.restore();
  return reloaded;
}

async function texts(reader: Device, peer: Device): Promise<string[]> {
  const { items } = await reader.doorman.api.history({ peer: peer.id });
  return items.map(({ n, body, editedAt, unsentAt, reactions }) =>
    short([
      n,
      body || undefined,
      editedAt === undefined ? undefined : 'edited',
      unsentAt === undefined ? undefined : 'unsent',
      ...Object.values(reactions ?? {}),
    ]),
  );
}

function storedOf(device: Device): Promise<unknown[]> {
  return device.storage.all('outgoing').then((all) => all.map(([, value]) => value));
}

onSqlite('A change of a message', (database) => {
  // They wait for the network most of the time.
  describe('all at once', { concurrency: true }, () => {
    test('arrives on all devices of both users as an event with its time', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const from = sent(line).length;
      alice.doorman.edit(bob.id, 1, 'one and a half');
      alice.doorman.unsend(bob.id, 2);
      alice.doorman.react(bob.id, 1, '👍');
      assert.deepEqual(alice.doorman.changes().map(shown), [
        'edit 1 one and a half waiting',
        'unsend 2 waiting',
        'react 1 👍 waiting',
      ]);
      await alice.first('change', ({ kind, state }) => kind === 'react' && state === 'stored');
      assert.deepEqual(sent(line, from), ['edit 1 one and a half', 'unsend 2', 'react 1 👍']);
      assert.deepEqual(changesOf(alice).slice(3), [
        'edit 1 one and a half stored',
        'unsend 2 stored',
        'react 1 👍 stored',
      ]);
      for (const [device, peer] of [
        [alice, bob],
        [bob, alice],
      ] as const) {
        const reaction = await device.first('reaction');
        const [edited] = device.all('edited');
        const [unsent] = device.all('unsent');
        const common = { peer: peer.id, by: alice.id };
        assert.ok(edited && unsent && edited.seq < unsent.seq && unsent.seq < reaction.seq);
        const { seq: _first, at, ...rest } = edited;
        assert.ok(at > 0 && unsent.at >= at && reaction.at >= unsent.at);
        assert.deepEqual(rest, { ...common, n: 1, body: 'one and a half', revision: 1 });
        assert.deepEqual(unsent, { ...common, n: 2, revision: 2, seq: unsent.seq, at: unsent.at });
        const { seq: _seq, at: _at, ...last } = reaction;
        assert.deepEqual(last, { ...common, n: 1, emoji: '👍', revision: 3 });
      }
      assert.deepEqual(await texts(bob, alice), ['1 one and a half edited 👍', '2 unsent']);
      assert.deepEqual([alice.doorman.changes(), await storedOf(alice)], [[], []]);
    });

    test('made offline survives a reload, and goes before later messages to that user', async (t) => {
      const { service, line, alice, bob } = await begin(t, database);
      const carol = await join(t, service.url, 'carol');
      await goOffline(line, alice);
      alice.doorman.react(bob.id, 1, '👍');
      alice.doorman.send(bob.id, 'three', 'c3');
      alice.doorman.edit(bob.id, 2, 'deux');
      alice.doorman.send(bob.id, 'four', 'c4');
      alice.doorman.send(carol.id, 'hello', 'c5');
      await until(async () => (await storedOf(alice)).length === 5);
      const reloaded = await reload(t, line, alice);
      assert.deepEqual(reloaded.doorman.changes().map(shown), ['react 1 👍 waiting', 'edit 2 deux waiting']);
      line.isDown = false;
      const from = sent(line).length;
      await reloaded.connect();
      await bob.hears('one', 'two', 'three', 'four');
      assert.deepEqual(
        sent(line, from).filter((frame) => !frame.includes('hello')),
        ['react 1 👍', 'send c3 three', 'edit 2 deux', 'send c4 four'],
      );
      await carol.hears('hello');
      assert.deepEqual(await texts(bob, alice), ['1 one 👍', '2 deux edited', '3 three', '4 four']);
      await until(async () => (await storedOf(alice)).length === 0);
      assert.deepEqual(reloaded.doorman.changes(), []);
    });

    test('replaces the one before of that message and kind', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      await goOffline(line, alice);
      alice.doorman.react(bob.id, 1, '👍');
      alice.doorman.edit(bob.id, 1, 'uno');
      alice.doorman.edit(bob.id, 2, 'dos');
      await until(async () => (await storedOf(alice)).length === 3);
      alice.doorman.react(bob.id, 1, '❤️');
      alice.doorman.edit(bob.id, { cid: 'c1' }, 'un');
      alice.doorman.react(bob.id, 1, '');
      const expected = ['edit 2 dos waiting', 'edit 1 un waiting', 'react 1  waiting'];
      assert.deepEqual(alice.doorman.changes().map(shown), expected);
      await until(async () => JSON.stringify(await storedOf(alice)).includes('"emoji":""'));
      const reloaded = await reload(t, line, alice);
      assert.deepEqual(reloaded.doorman.changes().map(shown), expected);
      line.isDown = false;
      const from = sent(line).length;
      await reloaded.connect();
      await until(() => reloaded.doorman.changes().length === 0);
      assert.deepEqual(sent(line, from), ['edit 2 dos', 'edit 1 un', 'react 1 ']);
    });

    test('while one is in flight waits for its reply, and is sent too', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const from = sent(line).length;
      line.passes = ({ type, data }) => type !== 'reply' || data?.emoji === undefined;
      alice.doorman.react(bob.id, 1, '👍');
      await until(() => sent(line, from).length === 1);
      alice.doorman.react(bob.id, 1, '❤️');
      line.passes = () => true;
      line.cut();
      await alice.first('change', ({ state }) => state === 'stored');
      assert.deepEqual(sent(line, from), ['react 1 👍', 'react 1 ❤️']);
      assert.deepEqual(changesOf(alice), ['react 1 👍 waiting', 'react 1 ❤️ waiting', 'react 1 ❤️ stored']);
      assert.deepEqual(await texts(bob, alice), ['1 one ❤️', '2 two']);
    });

    test('is needless beside an unsend: nothing of the text is left on the device', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      await goOffline(line, alice);
      alice.doorman.edit(bob.id, 1, 'a secret');
      alice.doorman.react(bob.id, 1, '👍');
      alice.doorman.react(bob.id, 2, '👍');
      await until(async () => (await storedOf(alice)).length === 3);
      alice.doorman.unsend(bob.id, 1);
      await until(async () => (await storedOf(alice)).length === 2);
      assert.ok(!JSON.stringify(await alice.storage.all('')).includes('a secret'));
      assert.deepEqual(changesOf(alice).slice(3), [
        'edit 1 a secret discarded',
        'react 1 👍 discarded',
        'unsend 1 waiting',
      ]);
      line.isDown = false;
      const from = sent(line).length;
      alice.doorman.reconnectNow();
      await alice.first('change', ({ kind, state }) => kind === 'unsend' && state === 'stored');
      assert.deepEqual(sent(line, from), ['react 2 👍', 'unsend 1']);
    });

    test('is sent again when the reply was lost', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const from = sent(line).length;
      line.passes = (frame) => {
        if (frame.data?.unsentAt === undefined) return true;
        line.passes = () => true;
        line.cut();
        return false;
      };
      alice.doorman.unsend(bob.id, 2);
      await alice.first('change', ({ state }) => state === 'stored');
      assert.deepEqual(sent(line, from), ['unsend 2', 'unsend 2']);
      assert.equal(alice.all('unsent').length, 1);
    });

    test('waits while there are too many, as messages do', async (t) => {
      const clock = new Clock({ isStill: true });
      const service = await serve(t, database, { world: clock.world });
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      const bodies = Array.from({ length: 30 }, (_, i) => `${i}`);
      await Promise.all(bodies.map((body) => alice.doorman.send(bob.id, body)));
      alice.doorman.react(bob.id, 1, '👍');
      const last = alice.doorman.send(bob.id, 'last');
      clock.add(10_000);
      assert.equal((await last).n, 31);
      assert.deepEqual(changesOf(alice), ['react 1 👍 waiting', 'react 1 👍 stored']);
      const { seq } = await bob.first('reaction');
      assert.ok(seq < (await bob.first('message', ({ body }) => body === 'last')).seq);
    });

    test('is reported when it is refused, and gone then', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      await goOffline(line, alice);
      await bob.doorman.api.block(alice.id);
      alice.doorman.react(bob.id, 1, '👍');
      alice.doorman.edit(bob.id, 9, 'nine');
      alice.doorman.unsend(bob.id, 2);
      await until(async () => (await storedOf(alice)).length === 3);
      const reloaded = await reload(t, line, alice);
      line.isDown = false;
      await reloaded.connect();
      await reloaded.first('change', ({ kind }) => kind === 'unsend');
      assert.deepEqual(changesOf(reloaded), [
        'react 1 👍 refused not_accepting',
        'edit 9 nine refused message_not_found',
        'unsend 2 stored',
      ]);
      assert.deepEqual(reloaded.doorman.changes(), []);
      await until(async () => (await storedOf(alice)).length === 0);
      assert.deepEqual(await texts(reloaded, bob), ['1 one', '2 unsent']);
    });

    test('of a message that the kit does not know, and with text that nothing accepts, is refused at once', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const from = sent(line).length;
      alice.doorman.unsend(bob.id, { cid: 'c9' });
      alice.doorman.unsend('carol', { cid: 'c1' });
      alice.doorman.edit(bob.id, 1, 'half a pair: \ud83d');
      const stranger = new Device(t, line.url);
      stranger.doorman.react(bob.id, 1, '👍');
      assert.deepEqual(changesOf(alice), [
        'unsend c9 refused message_not_found',
        'unsend c1 refused message_not_found',
        'edit 1 half a pair: \ud83d refused bad_text',
      ]);
      assert.deepEqual(changesOf(stranger), ['react 1 👍 refused signed_out']);
      assert.deepEqual([alice.doorman.changes(), sent(line, from)], [[], []]);
    });

    test('is removed at sign-out, and waits for the user after an expired session', async (t) => {
      const { service, line, alice, bob } = await begin(t, database);
      await goOffline(line, alice);
      alice.doorman.react(bob.id, 1, '👍');
      await until(async () => (await storedOf(alice)).length === 1);
      const device = await reload(t, line, alice);
      line.isDown = false;
      await service.post('/api/logout', {}, { token: device.session.token });
      await assert.rejects(device.doorman.api.friends(), { error: 'unauthenticated' });
      await device.first('session', ({ end }) => end === 'expired');
      assert.deepEqual(device.doorman.changes(), []);
      assert.equal((await storedOf(alice)).length, 1);
      await device.signIn('alice');
      assert.deepEqual(device.doorman.changes().map(shown), ['react 1 👍 waiting']);
      await device.doorman.signOut();
      assert.deepEqual([device.doorman.changes(), await allButProofs(alice.storage)], [[], []]);
    });

    test('that an older node sends comes without its text', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      line.passes = (frame) => {
        if (frame.type !== 'event' || frame.event !== 'edited' || frame.data.body === undefined) return true;
        const { body: _body, ...data } = frame.data;
        line.say({ ...frame, data });
        return false;
      };
      alice.doorman.edit(bob.id, 1, 'uno');
      const { n, body } = await alice.first('edited');
      assert.deepEqual([n, body], [1, undefined]);
    });
  });
});

onSqlite('A change of a message that is not stored', (database) => {
  describe('all at once', { concurrency: true }, () => {
    test('and was never sent: an unsend discards it, an edit replaces it, after a reload too', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      await goOffline(line, alice);
      const gone = alice.doorman.send(bob.id, 'gone', 'c3');
      const kept = alice.doorman.send(bob.id, 'drei', 'c4');
      alice.doorman.send(bob.id, 'vier', 'c5');
      alice.doorman.send(bob.id, 'gone too', 'c6');
      alice.doorman.unsend(bob.id, { cid: 'c3' });
      alice.doorman.edit(bob.id, { cid: 'c4' }, 'three');
      await assert.rejects(gone, { error: 'discarded' });
      assert.equal(alice.doorman.send(bob.id, 'three', 'c4'), kept);
      await assert.rejects(alice.doorman.send(bob.id, 'drei', 'c4'), { error: 'cid_used' });
      await until(async () => (await storedOf(alice)).length === 3);
      const reloaded = await reload(t, line, alice);
      reloaded.doorman.edit(bob.id, { cid: 'c5' }, 'four');
      reloaded.doorman.unsend(bob.id, { cid: 'c6' });
      assert.deepEqual(
        reloaded.doorman.outgoing().map(({ cid, body, state }) => short([cid, body, state])),
        ['c4 three waiting', 'c5 four waiting'],
      );
      assert.deepEqual([changesOf(alice), changesOf(reloaded)], [[], []]);
      await until(async () => (await storedOf(alice)).length === 2);
      assert.doesNotMatch(JSON.stringify(await alice.storage.all('')), /gone|drei|vier/);
      line.isDown = false;
      const from = sent(line).length;
      await reloaded.connect();
      await bob.hears('one', 'two', 'three', 'four');
      assert.deepEqual(sent(line, from), ['send c4 three', 'send c5 four']);
    });

    test('and may have been sent waits for its number', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      // Alice gets neither the reply nor the event.
      line.passes = (frame) => frame.data?.n === undefined;
      const first = alice.doorman.send(bob.id, 'three', 'c3');
      const later = alice.doorman.send(bob.id, 'four', 'c4');
      await bob.first('message', ({ n }) => n === 3);
      alice.doorman.edit(bob.id, { cid: 'c3' }, 'drei');
      assert.deepEqual(alice.doorman.changes().map(shown), ['edit c3 drei waiting']);
      const from = sent(line).length;
      // The event does not come either, so the repeat has to name it.
      line.passes = (frame) => frame.type !== 'event';
      line.cut();
      assert.equal((await first).n, 3);
      assert.equal((await later).n, 4);
      await alice.first('change', ({ state }) => state === 'stored');
      assert.deepEqual(sent(line, from), ['send c3 three', 'send c4 four', 'edit 3 drei']);
      assert.deepEqual(changesOf(alice), ['edit c3 drei waiting', 'edit 3 drei stored']);
      assert.deepEqual(await texts(bob, alice), ['1 one', '2 two', '3 drei edited', '4 four']);
      assert.deepEqual(await storedOf(alice), []);
    });

    test('and may have been sent before a reload waits for its number', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      line.passes = (frame) => frame.data?.n === undefined;
      alice.doorman.send(bob.id, 'three', 'c3');
      alice.doorman.send(bob.id, 'never sent', 'c4');
      await bob.first('message', ({ n }) => n === 3);
      await goOffline(line, alice);
      const reloaded = await reload(t, line, alice);
      reloaded.doorman.unsend(bob.id, { cid: 'c3' });
      reloaded.doorman.unsend(bob.id, { cid: 'c4' });
      assert.deepEqual(reloaded.doorman.changes().map(shown), ['unsend c3 waiting']);
      await until(async () => JSON.stringify(await alice.storage.all('outgoing-changes/')).includes('c3'));
      const again = await reload(t, line, reloaded);
      assert.deepEqual(again.doorman.changes().map(shown), ['unsend c3 waiting']);
      // The message gets its number, and the page is closed before the reply to the change.
      const from = sent(line).length;
      line.passes = ({ data }) => data?.unsentAt === undefined;
      line.isDown = false;
      await again.connect();
      await until(() => sent(line, from).length === 2);
      await goOffline(line, again);
      const last = await reload(t, line, again);
      assert.deepEqual(
        [last.doorman.changes().map(shown), last.doorman.outgoing()],
        [['unsend 3 waiting'], []],
      );
      line.passes = () => true;
      line.isDown = false;
      await last.connect();
      await last.first('change', ({ state }) => state === 'stored');
      assert.deepEqual(sent(line, from), ['send c3 three', 'unsend 3', 'unsend 3']);
      assert.deepEqual(await texts(bob, alice), ['1 one', '2 two', '3 unsent']);
    });

    test('and that an earlier version of the kit wrote waits for its number', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      await goOffline(line, alice);
      const old = { to: bob.id, cid: 'c3', body: 'three', writtenAt: 1, state: 'waiting' };
      await alice.storage.set(`outgoing/${alice.id}/${bob.id}/c3`, old);
      const reloaded = await reload(t, line, alice);
      reloaded.doorman.unsend(bob.id, { cid: 'c3' });
      assert.deepEqual(reloaded.doorman.changes().map(shown), ['unsend c3 waiting']);
    });

    test('and that an earlier version of the kit wrote and that was refused is changed itself', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      await goOffline(line, alice);
      for (const cid of ['c3', 'c4']) {
        const old = { to: bob.id, cid, body: cid, writtenAt: 1, state: 'refused', error: 'not_accepting' };
        await alice.storage.set(`outgoing/${alice.id}/${bob.id}/${cid}`, old);
      }
      const reloaded = await reload(t, line, alice);
      reloaded.doorman.unsend(bob.id, { cid: 'c3' });
      reloaded.doorman.edit(bob.id, { cid: 'c4' }, 'three');
      assert.deepEqual(reloaded.doorman.changes(), []);
      const left = reloaded.doorman.outgoing().map(({ cid, body, state }) => short([cid, body, state]));
      assert.deepEqual(left, ['c4 three waiting']);
      await until(async () => JSON.stringify(await storedOf(reloaded)).includes('three'));
      assert.equal((await storedOf(reloaded)).length, 1);
    });

    test('and is refused: an unsend discards it, an edit gives it its text', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      await bob.doorman.api.block(alice.id);
      let held: Body[] = [];
      line.passes = (frame) => frame.type !== 'reply' || held.push(frame) === 0;
      const gone = alice.doorman.send(bob.id, 'gone', 'c3');
      await until(() => held.length === 1);
      alice.doorman.edit(bob.id, { cid: 'c3' }, 'gone too');
      alice.doorman.unsend(bob.id, { cid: 'c3' });
      line.passes = () => true;
      line.say(held[0]);
      await assert.rejects(gone, { error: 'not_accepting' });
      assert.equal(alice.all('outgoing').at(-1)?.state, 'discarded');
      assert.deepEqual(changesOf(alice).slice(2), ['unsend c3 waiting', 'unsend c3 discarded']);

      held = [];
      line.passes = (frame) => frame.type !== 'reply' || held.push(frame) === 0;
      const refused = alice.doorman.send(bob.id, 'drei', 'c4');
      await until(() => held.length === 1);
      alice.doorman.edit(bob.id, { cid: 'c4' }, 'tres');
      line.passes = () => true;
      line.say(held[0]);
      await assert.rejects(refused, { error: 'not_accepting' });
      assert.equal(alice.doorman.outgoing()[0]?.body, 'tres');
      await until(async () => JSON.stringify(await storedOf(alice)).includes('tres'));

      // A refused message that is edited waits again.
      await bob.doorman.api.unblock(alice.id);
      alice.doorman.edit(bob.id, { cid: 'c4' }, 'three');
      assert.equal((await alice.doorman.send(bob.id, 'three', 'c4')).n, 3);
      await bob.hears('one', 'two', 'three');
      assert.deepEqual([alice.doorman.outgoing(), alice.doorman.changes()], [[], []]);
    });

    for (const [name, change, body] of [
      ['edited', (by: Device, to: Device) => by.doorman.edit(to.id, 3, 'drei'), 'drei'],
      ['unsent', (by: Device, to: Device) => by.doorman.unsend(to.id, 3), ''],
    ] as const)
      test(`and was ${name} on another device meanwhile is known by its cid`, async (t) => {
        const { service, line, alice, bob } = await begin(t, database);
        const desk = await (await new Device(t, service.url).signIn('alice')).connect();
        line.passes = (frame) => frame.data?.n === undefined;
        const first = alice.doorman.send(bob.id, 'three', 'c3');
        await desk.first('message', ({ n }) => n === 3);
        await goOffline(line, alice);
        change(desk, bob);
        await desk.first('change', ({ state }) => state === 'stored');
        const from = sent(line).length;
        line.passes = () => true;
        line.isDown = false;
        alice.doorman.reconnectNow();
        assert.equal((await first).n, 3);
        await alice.is('live');
        assert.deepEqual(sent(line, from), []);
        assert.equal((await alice.first('message', ({ n }) => n === 3)).body, body);
        assert.equal(alice.doorman.send(bob.id, 'three', 'c3'), first);
        assert.equal(alice.doorman.send(bob.id, 'drei', 'c3'), first);
        await assert.rejects(alice.doorman.send(alice.id, 'three', 'c3'), { error: 'cid_used' });
      });
  });
});

onSqlite('How a user keeps a conversation', (database) => {
  test('arrives on all their devices, and the first page has the pinned ones', async (t) => {
    const { service, alice, bob } = await begin(t, database);
    const desk = await (await new Device(t, service.url).signIn('alice')).connect();
    const kept = { peer: bob.id, mutedUntil: 0, archived: 0, markedUnread: 1, clearedN: 0 } as const;
    const { pinnedAt } = await alice.doorman.api.setConversation({
      peer: bob.id,
      pinned: 1,
      markedUnread: 1,
    });
    assert.ok(pinnedAt > 0);
    const { seq, ...event } = await desk.first('conversation');
    assert.deepEqual(event, { ...kept, pinnedAt });
    const { pinned, conversations } = await alice.doorman.api.conversations();
    assert.deepEqual(
      [pinned, conversations].map((list) => list?.map(({ peer }) => peer)),
      [[bob.id], [bob.id]],
    );
    assert.equal((await alice.doorman.api.conversations({ peer: bob.id })).pinned, undefined);
    await alice.doorman.api.clearConversation({ peer: bob.id, n: 1 });
    const cleared = await desk.first('conversation', ({ clearedN }) => clearedN === 1);
    assert.equal(cleared.seq, seq + 1);
    assert.deepEqual(bob.all('conversation'), []);
  });

  test('is no longer marked as unread after a read mark, also of a number that was marked before', async (t) => {
    const { alice, bob } = await begin(t, database);
    bob.doorman.markRead(alice.id, 2);
    await bob.first('marked', ({ by, read }) => by === bob.id && read === 2);
    for (const from of [0, 2]) {
      await bob.doorman.api.setConversation({ peer: alice.id, markedUnread: 1 });
      await bob.first('conversation', ({ markedUnread }) => markedUnread === 1, from);
      bob.doorman.markRead(alice.id, 2);
      await bob.first('conversation', ({ markedUnread }) => markedUnread === 0, from);
    }
  });
});

onSqlite('Changes of messages in several tabs', (database) => {
  describe('all at once', { concurrency: true }, () => {
    test('are one list, and disappear from all when they are stored', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const other = new Device(t, line.url, { storage: alice.storage });
      await other.doorman.restore();
      await goOffline(line, alice);
      alice.doorman.edit(bob.id, 1, 'uno');
      await other.first('change');
      other.doorman.edit(bob.id, 1, 'un');
      other.doorman.unsend(bob.id, 2);
      await alice.first('change', ({ kind }) => kind === 'unsend');
      for (const tab of [alice, other])
        assert.deepEqual(tab.doorman.changes().map(shown), ['edit 1 un waiting', 'unsend 2 waiting']);
      line.isDown = false;
      await other.connect();
      for (const tab of [alice, other])
        await tab.first('change', ({ kind, state }) => kind === 'unsend' && state === 'stored');
      for (const tab of [alice, other]) assert.deepEqual(tab.doorman.changes(), []);
      await bob.doorman.api.block(alice.id);
      other.doorman.react(bob.id, 1, '👍');
      await alice.first('change', ({ state, error }) => state === 'refused' && error === 'not_accepting');
      assert.deepEqual(alice.doorman.changes(), []);
      await until(async () => (await storedOf(alice)).length === 0);
    });

    test('are sent by another tab if their own is closed first', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const other = new Device(t, line.url, { storage: alice.storage, times: { takeOverMs: 300 } });
      await other.doorman.restore();
      await other.connect();
      alice.doorman.disconnect();
      alice.doorman.edit(bob.id, 1, 'uno');
      await bob.first('edited');
      await alice.first('change', ({ state }) => state === 'stored');
      await until(async () => (await storedOf(alice)).length === 0);
    });

    test('of a message of another tab that was never sent change it there', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const other = new Device(t, line.url, { storage: alice.storage });
      await other.doorman.restore();
      await goOffline(line, alice);
      const gone = alice.doorman.send(bob.id, 'gone', 'c3');
      const kept = alice.doorman.send(bob.id, 'drei', 'c4');
      await other.first('outgoing', ({ cid }) => cid === 'c4');
      other.doorman.unsend(bob.id, { cid: 'c3' });
      other.doorman.edit(bob.id, { cid: 'c4' }, 'three');
      await assert.rejects(gone, { error: 'discarded' });
      await alice.first('outgoing', ({ body }) => body === 'three');
      line.isDown = false;
      await other.connect();
      alice.doorman.reconnectNow();
      assert.equal((await kept).n, 3);
      await bob.hears('one', 'two', 'three');
      await until(async () => (await storedOf(alice)).length === 0);
      assert.deepEqual([...changesOf(alice), ...changesOf(other)], []);
    });

    test('of a message that another tab has sent wait for its number', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const other = new Device(t, line.url, { storage: alice.storage });
      await other.doorman.restore();
      line.passes = (frame) => frame.data?.n === undefined;
      alice.doorman.send(bob.id, 'three', 'c3');
      await bob.first('message', ({ n }) => n === 3);
      await other.first('outgoing');
      other.doorman.unsend(bob.id, { cid: 'c3' });
      await alice.first('change');
      for (const tab of [alice, other])
        assert.deepEqual(tab.doorman.changes().map(shown), ['unsend c3 waiting']);
      line.passes = () => true;
      line.cut();
      for (const tab of [alice, other]) await tab.first('change', ({ state }) => state === 'stored');
      assert.deepEqual(await texts(bob, alice), ['1 one', '2 two', '3 unsent']);
      await until(async () => (await storedOf(alice)).length === 0);
    });
  });
});
