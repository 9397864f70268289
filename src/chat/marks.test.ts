import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onEachDeployment, onPostgres, type TestDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startService } from '../../test/harness.ts';
import { countLockWaits, lockElsewhere } from '../../test/locked-inbox.ts';
import { sendMessage } from '../../test/messages.ts';
import { ServiceError } from '../errors.ts';
import { readHead } from '../inbox/inbox.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { updatePrivacy } from '../settings/privacy.ts';
import { listConversations } from './conversations.ts';
import { markRead } from './marks.ts';

async function start(t: TestContext, database: TestDatabase) {
  const settings = await database.create(t);
  const service = await startService(t, { ...database, create: async () => settings });
  const { db, events, accounts } = service.services;
  const join = async (name: string) => {
    const { token } = await service.join(name);
    return (await accounts.authentication.identify(token)) ?? assert.fail();
  };
  const [alice, bob] = [await join('alice'), await join('bob')];
  let cid = 0;
  const send = async () =>
    (await sendMessage(service.services, alice, { to: bob.userId, body: 'hi', cid: `${++cid}` }, 1_000)).n;
  const mark = (by: typeof bob, peer: string, read: number) =>
    markRead({ db, events }, by, { peer, read }, 2_000);
  return { ...service, settings, db, alice, bob, join, send, mark };
}

onEachDatabase('marks', (database) => {
  test('a mark that changes nothing or is refused waits for no inbox that is locked elsewhere', async (t) => {
    const { settings, db, alice, bob, join, send, mark } = await start(t, database);
    const carol = await join('carol');
    await send();
    await mark(bob, alice.userId, 1);
    const refused = (word: string) => (error: unknown) =>
      error instanceof ServiceError && error.word === word;
    const before = await readHead(db, alice.userId);
    await using _ = await lockElsewhere(settings, alice.userId);
    assert.deepEqual(await mark(bob, alice.userId, 1), { received: 1, read: 1 });
    assert.deepEqual(await mark(bob, alice.userId, 0), { received: 1, read: 1 });
    assert.deepEqual(await mark(carol, alice.userId, 7), { received: 0, read: 0 });
    await assert.rejects(mark(carol, 'unknown', 7), refused('user_not_found'));
    const ended = { ...carol, sessionId: 'ended' };
    await assert.rejects(mark(ended, alice.userId, 7), refused('unauthenticated'));
    await assert.rejects(mark(ended, 'unknown', 7), refused('user_not_found'));
    assert.equal(await readHead(db, alice.userId), before);
  });
});

onEachDatabase('read receipts', (database) => {
  test('while one of the two has switched them off the peer learns what was received, and the rest by the next mark', async (t) => {
    const { db, services, alice, bob, send, mark } = await start(t, database);
    const show = (who: typeof bob, readReceipts: boolean) =>
      updatePrivacy(services, who.userId, { readReceipts }, 1_500);
    const seen = async () => {
      const { items } = await listConversations(db, alice.userId, {}, 0);
      return [items[0]?.received, items[0]?.read];
    };
    /** What the logs got since the last time. */
    const logs = { [alice.userId]: 0, [bob.userId]: 0 };
    const marked = async ({ userId }: typeof bob) => {
      const events = await readEvents(db, userId, logs[userId] ?? 0, 100);
      logs[userId] = events.at(-1)?.seq ?? 0;
      return events.flatMap((one) => (one.event === 'marked' ? [[one.data.received, one.data.read]] : []));
    };
    for (let n = 1; n <= 5; n++) await send();
    const receive = async (n: number) => {
      services.chat.deliveryReceipts.note(bob.userId, n);
      await services.chat.deliveryReceipts.flush();
    };
    await mark(bob, alice.userId, 1);
    assert.deepEqual([await seen(), await marked(alice), await marked(bob)], [[1, 1], [[1, 1]], [[1, 1]]]);

    for (const [who, n] of [
      [bob, 2],
      [alice, 3],
    ] as const) {
      await show(who, false);
      const head = await readHead(db, bob.userId);
      assert.deepEqual(await mark(bob, alice.userId, n), { received: n, read: n });
      assert.deepEqual([await seen(), await marked(alice), await marked(bob)], [[n, 1], [[n, 1]], [[n, n]]]);
      assert.equal(await readHead(db, bob.userId), head + 1);
      await show(who, true);
    }
    await receive(5);
    assert.deepEqual([await seen(), await marked(alice), await marked(bob)], [[5, 3], [[5, 3]], [[5, 3]]]);

    await Promise.all([show(alice, false), show(bob, false)]);
    await mark(bob, alice.userId, 4);
    assert.deepEqual([await seen(), await marked(alice), await marked(bob)], [[5, 3], [], [[5, 4]]]);
    await show(alice, true);
    await mark(bob, alice.userId, 5);
    assert.deepEqual([await seen(), await marked(alice), await marked(bob)], [[5, 3], [], [[5, 5]]]);
    await send();
    await show(bob, true);
    assert.deepEqual(await mark(bob, alice.userId, 5), { received: 5, read: 5 });
    assert.deepEqual([await seen(), await marked(alice)], [[5, 3], []], 'not higher, so it is no mark');
    await mark(bob, alice.userId, 6);
    assert.deepEqual([await seen(), await marked(alice)], [[6, 6], [[6, 6]]]);
  });
});

onPostgres('marks while the reader switches receipts off', (database) => {
  test('a mark that waits for the change is not disclosed', async (t) => {
    const { settings, db, services, alice, bob, send, mark } = await start(t, database);
    await send();
    const lock = await lockElsewhere(settings, bob.userId);
    const changed = updatePrivacy(services, bob.userId, { readReceipts: false }, 1_500);
    await eventually(async () => (await countLockWaits(settings)) === 1);
    const marked = mark(bob, alice.userId, 1);
    await eventually(async () => (await countLockWaits(settings)) === 2);
    await lock[Symbol.asyncDispose]();
    await Promise.all([changed, marked]);
    const { items } = await listConversations(db, alice.userId, {}, 0);
    assert.deepEqual([items[0]?.received, items[0]?.read], [1, 0]);
  });
});

onPostgres('marks of two devices', (database) => {
  test('the later of two equal marks changes nothing, though it was higher when it was read first', async (t) => {
    const { settings, db, alice, bob, send, mark } = await start(t, database);
    await send();
    const lock = await lockElsewhere(settings, alice.userId);
    const both = Promise.all([mark(bob, alice.userId, 1), mark(bob, alice.userId, 1)]);
    await eventually(async () => (await countLockWaits(settings)) === 2);
    await lock[Symbol.asyncDispose]();
    assert.deepEqual(await both, [
      { received: 1, read: 1 },
      { received: 1, read: 1 },
    ]);
    assert.deepEqual([await readHead(db, alice.userId), await readHead(db, bob.userId)], [2, 2]);
  });
});

onEachDeployment('a mark', (database) => {
  test('a message can be marked as soon as its hint has arrived, on any node', async (t) => {
    const { nodes, alice, bob, send } = await start(t, database);
    const marked: Promise<number>[] = [];
    const sent: number[] = [];
    for (const { services } of nodes)
      services.events.subscribe((hint) => {
        if (hint.type !== 'inbox' || hint.userId !== bob.userId || hint.event.event !== 'message') return;
        const { n } = hint.event.data;
        for (const { services: any } of nodes)
          marked.push(
            markRead(any, bob, { peer: alice.userId, read: n }, 2_000).then(({ read }) => read - n),
          );
      });
    for (let i = 0; i < 10; i++) sent.push(await send());
    assert.equal(sent.length, 10);
    assert.ok(marked.length >= 10 * nodes.length, `${marked.length}`);
    for (const ahead of await Promise.all(marked)) assert.ok(ahead >= 0, `${ahead}`);
  });
});
