import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { everythingStored } from '../../../test/bad-input/stored.ts';
import { onEachDatabase, type TestDatabase } from '../../../test/databases.ts';
import { PRESENT } from '../../../test/present.ts';
import { notifications, startPushing } from '../../../test/pushing.ts';
import type { World } from '../../services.ts';

const HOUR = 3_600_000;
/** The push service's name where a test resolves it. */
const SLOW_HOST = 'slow.example';
type Resolve = NonNullable<World['resolve']>;

/** Alice writes to Bob, whose phone shows texts and may be attentive, so that a push waits for 5 s. */
async function start(t: TestContext, database: TestDatabase, world: { resolve?: Resolve } = {}) {
  const pushing = await startPushing(t, database, {
    world,
    ...(world.resolve && { pushHost: SLOW_HOST }),
  });
  const { service, pushService, alice, bob, write, pass, log, subscribe } = pushing;
  const { db, presence } = service.services;
  const phone = pushService.subscribe(service.services.push.vapidKeys.publicKey);
  // An address is not resolved.
  const endpoint = world.resolve ? phone.endpoint.replace('127.0.0.1', SLOW_HOST) : phone.endpoint;
  await subscribe(bob, { of: { ...phone, endpoint } });
  const post = async (path: string, body: object, { token } = bob) => {
    const answer = await service.post(path, body, { token });
    assert.equal(answer.status, 200, answer.text);
  };
  await post('/api/user/settings', { pushPreview: 'full' });
  presence.online.add(bob.id, PRESENT);
  return {
    ...pushing,
    db,
    phone,
    post,
    writeAll: async (...texts: string[]) => {
      for (const text of texts) await write(alice, bob, text);
    },
    unsend: (n: number) => post('/api/messages/unsend', { peer: bob.id, n }, alice),
    push: () => pass(10_000),
    shown: () => notifications(pushService, phone).map(({ body }) => body),
    /** Pending pushes: how many messages each is about. */
    pending: async () =>
      (await db.all<{ count: number }>`select count from push_pending where count > 0`).map(
        ({ count }) => count,
      ),
    brief: async () =>
      (await log(bob)).map(({ outcome, reason }) => (reason === '' ? outcome : `${outcome} ${reason}`)),
    /** Whether the text is in no row and was in no push. */
    assertGone: async (text: string) => {
      assert.ok(!JSON.stringify(await everythingStored(db)).includes(text));
      assert.ok(!pushService.received(phone.endpoint).some((push) => push.text?.includes(text)));
    },
  };
}

onEachDatabase('pushes about messages that are unsent', (database) => {
  test('a single one is cancelled in the same moment, with its own outcome', async (t) => {
    const { writeAll, unsend, push, shown, pending, brief, assertGone } = await start(t, database);
    await writeAll('secret');
    assert.deepEqual(await pending(), [1]);
    await unsend(1);
    assert.deepEqual([await pending(), await brief()], [[], ['unsent']]);
    await push();
    assert.deepEqual([shown(), await brief()], [[], ['unsent']]);
    await assertGone('secret');
    await writeAll('hello');
    await push();
    assert.deepEqual([shown(), await brief()], [['hello'], ['accepted', 'unsent']]);
  });

  test('of several the others are pushed, counted, and without an empty text if the last is unsent', async (t) => {
    const { writeAll, unsend, push, shown, pending, brief, assertGone } = await start(t, database);
    await writeAll('first', 'middle', 'third', 'fourth');
    for (const [n, left] of [
      [2, 3],
      [2, 3],
      [4, 2],
    ] as const) {
      await unsend(n);
      assert.deepEqual(await pending(), [left]);
    }
    await push();
    assert.deepEqual([shown(), await brief()], [['2 new messages'], ['accepted']]);
    for (const text of ['middle', 'fourth']) await assertGone(text);
    await writeAll('fifth', 'sixth');
    await unsend(6);
    await unsend(1);
    await unsend(3);
    await push();
    assert.deepEqual(shown(), ['2 new messages', 'New message']);
    await unsend(5);
    assert.deepEqual([await pending(), await brief()], [[], ['accepted', 'accepted']], 'all were pushed');
  });

  test('one that was pushed before leaves what is pending, also if nothing else is', async (t) => {
    const { writeAll, unsend, push, shown, pending, brief } = await start(t, database);
    await writeAll('one', 'two');
    await push();
    await writeAll('three');
    await unsend(1);
    assert.deepEqual(await pending(), [1], 'it was not about this one');
    await unsend(3);
    assert.deepEqual([await pending(), await brief()], [[], ['unsent', 'accepted']]);
    await push();
    assert.deepEqual(shown(), ['2 new messages\ntwo']);
  });

  test('one that the recipient has read or deleted leaves their pushes alone', async (t) => {
    const { alice, post, writeAll, unsend, push, shown, pending } = await start(t, database);
    await writeAll('one', 'two', 'three');
    await post('/api/messages/mark', { peer: alice.id, read: 1 });
    await post('/api/conversations/clear', { peer: alice.id, n: 2 });
    for (const n of [1, 2]) await unsend(n);
    assert.equal((await pending()).length, 1);
    await push();
    assert.deepEqual(shown(), ['three']);
  });

  test('a job that waits ends with the last unread message, and shows the count while there are others', async (t) => {
    const { pushService, phone, writeAll, unsend, push, shown, brief, assertGone } = await start(t, database);
    const fail = async (...texts: string[]) => {
      pushService.answerNext(phone.endpoint, { status: 500 });
      await writeAll(...texts);
      await push();
      assert.equal((await brief())[0], 'waiting server_error');
    };
    await fail('kept', 'secret');
    await unsend(2);
    await push();
    assert.deepEqual([shown(), await brief()], [['New message'], ['accepted']]);
    await fail('another secret');
    await unsend(1);
    await unsend(3);
    assert.deepEqual(await brief(), ['unsent', 'accepted']);
    await push();
    assert.deepEqual(shown(), ['New message']);
    await assertGone('secret');
  });

  for (const [texts, left, outcomes] of [
    [['secret'], [], ['unsent']],
    [['kept', 'secret'], ['New message'], ['accepted']],
  ] as const)
    test(`one of ${texts.length} that waits for its connection does not leave with the text that it was read with`, async (t) => {
      const gate = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const resolve = async () => {
        asked.resolve();
        await gate.promise;
        return [{ address: '127.0.0.1', family: 4 }];
      };
      const { writeAll, unsend, push, shown, brief, assertGone } = await start(t, database, { resolve });
      await writeAll(...texts);
      const pushing = push();
      await asked.promise;
      await unsend(texts.length);
      gate.resolve();
      await pushing;
      assert.deepEqual([shown(), await brief()], [left, outcomes]);
      await assertGone('secret');
    });

  test('one that is held in quiet hours ends its entry; of two the other waits on', async (t) => {
    const { now, pass, post, writeAll, unsend, push, shown, pending, brief } = await start(t, database);
    const quiet = { timeZone: 'UTC', windows: [], until: now() + 2 * HOUR };
    await post('/api/user/quiet', quiet);
    await writeAll('one');
    await push();
    assert.deepEqual(await brief(), ['waiting quiet']);
    await unsend(1);
    assert.deepEqual([await pending(), await brief()], [[], ['unsent']]);
    await writeAll('two', 'three');
    await push();
    await unsend(3);
    assert.deepEqual([await pending(), await brief()], [[1], ['waiting quiet', 'unsent']]);
    await pass(3 * HOUR);
    assert.deepEqual([shown(), await brief()], [['New message'], ['accepted', 'unsent']]);
  });

  test('an edit rings nowhere, and a push that still leaves shows the latest text', async (t) => {
    const { alice, bob, post, writeAll, push, shown } = await start(t, database);
    await writeAll('frist');
    const edit = (body: string) => post('/api/messages/edit', { peer: bob.id, n: 1, body }, alice);
    await edit('first');
    await push();
    await edit('the first');
    await post('/api/messages/react', { peer: bob.id, n: 1, emoji: '👍' }, alice);
    await push();
    assert.deepEqual(shown(), ['first']);
  });
});
