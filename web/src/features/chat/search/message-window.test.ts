import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onSqlite, type TestDatabase } from '../../../../../test/databases.ts';
import { type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';
import { findOnDevice } from './find-on-device.ts';
import { MessageWindow } from './message-window.ts';

/** Bob has written to Alice; she looks at the window. */
async function open(t: TestContext, database: TestDatabase, count: number) {
  const town = await Town.open(t, database);
  const [alice, bob] = [await town.join('alice'), await town.join('bob')];
  const bodies = Array.from({ length: count }, (_, i) => `No. ${i + 1}`);
  await town.writeMany(bob, alice.id, bodies);
  await until(() => alice.stores.chats.conversation(bob.id).counter.head === count);
  const { doorman, stores } = alice;
  const { chats } = stores;
  const snapshots: (() => void)[] = [];
  let unseen = 0;
  const window = new MessageWindow({
    doorman: {
      ...doorman,
      on: (name, listener) => {
        if (name === 'snapshot') snapshots.push(listener as () => void);
        return doorman.on(name, listener);
      },
    },
    chats: {
      known: chats.known,
      thread: (peer) => chats.thread(peer),
      conversation: (peer) => {
        const one = chats.conversation(peer);
        return { ...one, revision: one.revision + unseen };
      },
    },
    peer: bob.id,
  });
  t.after(window.open());
  /** A change came without an event. */
  const onSnapshot = () => {
    unseen++;
    for (const take of snapshots) take();
  };
  const view = () => window.view.getSnapshot();
  const ends = () => {
    const { messages, hasOlder, hasNewer } = view();
    return [hasOlder, messages[0]?.n, messages.at(-1)?.n, hasNewer];
  };
  return { town, alice, bob, window, view, ends, onSnapshot, calls: countHistory(alice) };
}

/** The next page of the history is kept until it is let go. */
function holdHistory({ doorman }: TestClient): { isRead: () => boolean; letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { history } = doorman.api;
  let isRead = false;
  doorman.api.history = async (fields) => {
    doorman.api.history = history;
    const page = await history(fields);
    isRead = true;
    await promise;
    return page;
  };
  return { isRead: () => isRead, letGo: resolve };
}

function countHistory({ doorman }: TestClient): { count: number } {
  const counter = { count: 0 };
  const { history } = doorman.api;
  doorman.api.history = (fields) => {
    counter.count++;
    return history(fields);
  };
  return counter;
}

onSqlite('messages around one', (database) => {
  test('are loaded by one request, and further ones at both ends', async (t) => {
    const { alice, bob, window, view, ends, calls } = await open(t, database, 200);
    const { chats } = alice.stores;
    const thread = chats.thread(bob.id).range;
    window.show(100);
    assert.ok(view().isLoading);
    await untilEqual(ends, [true, 75, 124, true]);
    assert.deepEqual([calls.count, view().place], [1, 1]);
    window.show(80);
    assert.equal(calls.count, 1);
    window.loadOlder();
    window.loadOlder();
    await untilEqual(ends, [true, 25, 124, true]);
    window.loadNewer();
    await untilEqual(ends, [true, 25, 174, true]);
    window.loadOlder();
    await untilEqual(ends, [false, 1, 174, true]);
    window.loadOlder();
    window.loadNewer();
    await untilEqual(ends, [false, 1, 200, false]);
    assert.deepEqual([calls.count, view().place], [5, 1]);
    // The thread of the conversation is as it was, and nothing is marked as read.
    assert.equal(chats.thread(bob.id).range, thread);
    assert.equal(chats.conversations.getSnapshot()[0]?.unread, 200);
  });

  test('give place to those around another one, and are found at both ends of the conversation', async (t) => {
    const { window, view, ends } = await open(t, database, 120);
    window.show(1);
    await untilEqual(ends, [false, 1, 25, true]);
    window.show(120);
    await untilEqual(ends, [true, 71, 120, false]);
    assert.equal(view().place, 2);
  });

  test('stay when they are sought while others are loaded', async (t) => {
    const { alice, window, view, ends } = await open(t, database, 200);
    window.show(100);
    await untilEqual(ends, [true, 75, 124, true]);
    const held = holdHistory(alice);
    window.show(10);
    await until(held.isRead);
    window.show(90);
    held.letGo();
    await until(() => !view().isLoading);
    assert.deepEqual([ends(), view().place], [[true, 75, 124, true], 1]);
  });

  test('go on after a message that came while the last page was loaded', async (t) => {
    const { town, alice, bob, window, view, ends } = await open(t, database, 120);
    window.show(60);
    await untilEqual(ends, [true, 35, 84, true]);
    const held = holdHistory(alice);
    window.loadNewer();
    await until(held.isRead);
    await town.writeMany(bob, alice.id, ['new']);
    await until(() => alice.stores.chats.conversation(bob.id).counter.head === 121);
    held.letGo();
    await until(() => !view().isLoading);
    assert.deepEqual(ends(), [true, 35, 120, true]);
    window.loadNewer();
    await untilEqual(ends, [true, 35, 121, false]);
  });

  test('are loaded again around the one that is shown after a snapshot', async (t) => {
    const { window, ends, onSnapshot } = await open(t, database, 200);
    window.show(100);
    await untilEqual(ends, [true, 75, 124, true]);
    window.loadOlder();
    await untilEqual(ends, [true, 25, 124, true]);
    window.loadOlder();
    await untilEqual(ends, [false, 1, 124, true]);
    onSnapshot();
    await untilEqual(ends, [true, 75, 124, true]);
  });

  test('come from the device where it has them, also without a connection', async (t) => {
    const { alice, bob, window, ends, calls } = await open(t, database, 60);
    const { chats } = alice.stores;
    chats.thread(bob.id).open();
    await until(() => chats.thread(bob.id).range !== undefined);
    const before = calls.count;
    alice.doorman.disconnect();
    assert.deepEqual(
      findOnDevice(chats, '3 NO.').map(({ n }) => n),
      [53, 43, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 23, 13],
    );
    assert.deepEqual(findOnDevice(chats, '3', 'another'), []);
    window.show(30);
    await untilEqual(ends, [true, 11, 60, false]);
    assert.equal(calls.count, before);
  });

  test('follow what is changed, taken back, deleted and written', async (t) => {
    const { town, alice, bob, window, view, ends } = await open(t, database, 60);
    window.show(60);
    await untilEqual(ends, [true, 11, 60, false]);
    await town.writeMany(bob, alice.id, ['new']);
    await untilEqual(ends, [true, 11, 61, false]);
    const at = (n: number) => view().messages.find((one) => one.n === n);
    bob.doorman.edit(alice.id, 40, 'changed');
    bob.doorman.unsend(alice.id, 41);
    alice.doorman.react(bob.id, 42, '👍');
    await untilEqual(() => at(42)?.reactions?.[alice.id], '👍');
    await untilEqual(
      () => [at(40)?.body, at(40)?.isEdited, at(41)?.isUnsent, at(41)?.body],
      ['changed', true, true, ''],
    );
    await alice.doorman.api.clearConversation({ peer: bob.id, n: 50 });
    await untilEqual(ends, [false, 51, 61, false]);
  });

  test('report why they cannot be loaded, and can be tried again', async (t) => {
    const { town, window, view, ends } = await open(t, database, 60);
    await town.service.app.close();
    window.show(10);
    await untilEqual(() => view().failure, 'unreachable');
    await town.restart();
    window.retry();
    await untilEqual(ends, [false, 1, 34, true]);
    assert.equal(view().failure, undefined);
  });
});
