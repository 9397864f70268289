import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renewEpoch } from '../../../../../src/inbox/epoch.ts';
import { onSqlite } from '../../../../../test/databases.ts';
import { type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';
import { Typing } from './typing.ts';

function viewOf({ stores }: TestClient, peer: string) {
  return stores.chats.thread(peer).view.getSnapshot();
}

function shown(one: TestClient, peer: string) {
  return viewOf(one, peer).messages.map(({ body, state }) => `${body} ${state}`);
}

function numbers(one: TestClient, peer: string) {
  return viewOf(one, peer).messages.map(({ n }) => n);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** Counts the requests for pages of history. */
function countHistory({ doorman }: TestClient): { calls: number } {
  const counter = { calls: 0 };
  const { history } = doorman.api;
  doorman.api.history = (fields) => {
    counter.calls++;
    return history(fields);
  };
  return counter;
}

onSqlite('threads of the page', (database) => {
  test('an own message goes from waiting to read under one key', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    const thread = alice.stores.chats.thread(bob.id);
    thread.open();
    const states = new Set<string>();
    const keys = new Set<string>();
    thread.view.subscribe(() => {
      for (const { state, key } of thread.view.getSnapshot().messages) {
        states.add(state);
        keys.add(key);
      }
    });
    alice.doorman.disconnect();
    thread.send('hi');
    assert.deepEqual(shown(alice, bob.id), ['hi waiting']);
    bob.doorman.disconnect();
    alice.doorman.connect();
    await untilEqual(() => shown(alice, bob.id), ['hi stored']);
    bob.doorman.connect();
    await untilEqual(() => shown(alice, bob.id), ['hi received']);
    const his = bob.stores.chats.thread(alice.id);
    his.open();
    his.setAtEnd(1);
    await untilEqual(() => shown(alice, bob.id), ['hi read']);
    await until(() => states.has('read'));
    assert.equal(keys.size, 1);
    assert.deepEqual(shown(bob, alice.id), ['hi theirs']);
  });

  test('a refused message shows why, and is sent again or discarded', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await bob.stores.blocks.block(alice.id);
    const thread = alice.stores.chats.thread(bob.id);
    thread.open();
    thread.send('one');
    thread.send('two');
    await untilEqual(() => shown(alice, bob.id), ['one refused', 'two refused']);
    const [one, two] = viewOf(alice, bob.id).messages;
    assert.equal(one?.error, 'not_accepting');
    thread.discard(one?.cid ?? '');
    await untilEqual(() => shown(alice, bob.id), ['two refused']);
    await bob.stores.blocks.unblock(alice.id);
    thread.retry(two?.cid ?? '');
    await untilEqual(() => shown(alice, bob.id)[0]?.slice(0, 3), 'two');
    await until(() => viewOf(alice, bob.id).messages[0]?.n === 1);
  });

  test('pages of fifty load on demand, each once', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await town.writeMany(
      bob,
      alice.id,
      range(1, 120).map((n) => `message ${n}`),
    );
    const laptop = await town.another('alice');
    const counter = countHistory(laptop);
    const thread = laptop.stores.chats.thread(bob.id);
    assert.deepEqual([viewOf(laptop, bob.id).isLoading, counter.calls], [true, 0]);
    const close = thread.open();
    await untilEqual(() => numbers(laptop, bob.id), range(71, 120));
    assert.equal(viewOf(laptop, bob.id).hasOlder, true);
    thread.loadOlder();
    thread.loadOlder();
    assert.equal(viewOf(laptop, bob.id).isLoadingOlder, true);
    await untilEqual(() => numbers(laptop, bob.id), range(21, 120));
    thread.loadOlder();
    await untilEqual(() => numbers(laptop, bob.id), range(1, 120));
    assert.equal(viewOf(laptop, bob.id).hasOlder, false);
    thread.loadOlder();
    assert.equal(counter.calls, 3);
    close();
    thread.open();
    await town.writeMany(bob, alice.id, ['121']);
    await untilEqual(() => numbers(laptop, bob.id).at(-1), 121);
    assert.equal(counter.calls, 3, 'what is known is not asked for again');
  });

  test('messages that come while the first page is loaded are not lost, nor doubled', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await town.writeMany(bob, alice.id, ['1', '2', '3']);
    const laptop = await town.another('alice');
    const { history } = laptop.doorman.api;
    laptop.doorman.api.history = async (fields) => {
      const answer = await history(fields);
      await town.writeMany(bob, alice.id, ['4', '5']);
      await until(() => laptop.stores.chats.unreadTotal.getSnapshot() === 5);
      return answer;
    };
    const counter = countHistory(laptop);
    laptop.stores.chats.thread(bob.id).open();
    await untilEqual(() => numbers(laptop, bob.id), range(1, 5));
    assert.equal(counter.calls, 1);
  });

  for (const missed of [7, 130])
    test(`the gap of ${missed} messages after a reload is filled`, async (t) => {
      const town = await Town.open(t, database);
      const [alice, bob] = [await town.join('alice'), await town.join('bob')];
      await town.writeMany(bob, alice.id, range(1, 60).map(String));
      const laptop = await town.another('alice');
      laptop.stores.chats.thread(bob.id).open();
      await untilEqual(() => numbers(laptop, bob.id), range(11, 60));
      await laptop.stores.flush();
      laptop.doorman.disconnect();
      await town.writeMany(bob, alice.id, range(61, 60 + missed).map(String));
      const reloaded = await laptop.reload();
      const counter = countHistory(reloaded);
      reloaded.stores.chats.thread(bob.id).open();
      const end = 60 + missed;
      const start = missed < 100 ? 11 : end - 49;
      await untilEqual(() => numbers(reloaded, bob.id), range(start, end));
      assert.equal(viewOf(reloaded, bob.id).hasOlder, true);
      assert.equal(counter.calls, missed < 100 ? 1 : 2);
    });

  test('missed messages come when a broken connection is back', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await town.writeMany(bob, alice.id, ['1']);
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 1);
    const counter = countHistory(alice);
    alice.stores.chats.thread(bob.id).open();
    alice.doorman.disconnect();
    await town.writeMany(bob, alice.id, ['2', '3']);
    alice.doorman.connect();
    await untilEqual(() => numbers(alice, bob.id), [1, 2, 3]);
    assert.equal(counter.calls, 0);
  });

  test('a thread is marked as read only at its end, open, and while the user looks at the page', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    const thread = alice.stores.chats.thread(bob.id);
    const unread = () => alice.stores.chats.unreadTotal.getSnapshot();
    await town.writeMany(bob, alice.id, ['1']);
    await until(() => unread() === 1);
    thread.setAtEnd(1);
    assert.equal(unread(), 1, 'not open');
    thread.setAtEnd(undefined);
    const close = thread.open();
    await until(() => viewOf(alice, bob.id).messages.length === 1);
    alice.browser.attend(false);
    thread.setAtEnd(1);
    await town.writeMany(bob, alice.id, ['2']);
    await until(() => viewOf(alice, bob.id).messages.length === 2);
    assert.equal(unread(), 2, 'no one is before it');
    alice.browser.attend(true);
    assert.equal(unread(), 2, 'the list has not shown it yet, so it may be below the screen');
    thread.setAtEnd(2);
    assert.equal(unread(), 0);
    thread.setAtEnd(undefined);
    await town.writeMany(bob, alice.id, ['3']);
    await until(() => unread() === 1, 'not at its end');
    thread.setAtEnd(3);
    assert.equal(unread(), 0);
    close();
    await town.writeMany(bob, alice.id, ['4']);
    await until(() => unread() === 1, 'closed');
  });

  test('the line "new" is before the first message that the user has not seen', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await town.writeMany(bob, alice.id, ['1', '2']);
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 2);
    const thread = alice.stores.chats.thread(bob.id);
    thread.setAtEnd(2);
    const close = thread.open();
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 0);
    assert.equal(viewOf(alice, bob.id).unreadAfter, 0, 'it stays when all is read');
    await town.writeMany(bob, alice.id, ['3']);
    await until(() => viewOf(alice, bob.id).messages.length === 3);
    assert.equal(viewOf(alice, bob.id).unreadAfter, 0, 'what somebody sees coming is not new');
    alice.browser.attend(false);
    await town.writeMany(bob, alice.id, ['4']);
    await until(() => viewOf(alice, bob.id).messages.length === 4);
    assert.equal(viewOf(alice, bob.id).unreadAfter, 3);
    alice.browser.attend(true);
    thread.setAtEnd(4);
    assert.equal(viewOf(alice, bob.id).unreadAfter, 3);
    thread.send('5');
    assert.equal(viewOf(alice, bob.id).unreadAfter, undefined);
    close();
    thread.open();
    assert.equal(viewOf(alice, bob.id).unreadAfter, undefined);
  });

  test('only the threads used last keep more than a page in memory', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await town.writeMany(bob, alice.id, range(1, 90).map(String));
    const laptop = await town.another('alice');
    const thread = laptop.stores.chats.thread(bob.id);
    const close = thread.open();
    await until(() => numbers(laptop, bob.id).length === 50);
    thread.loadOlder();
    await until(() => numbers(laptop, bob.id).length === 90);
    close();
    for (const peer of ['p1', 'p2', 'p3', 'p4']) laptop.stores.chats.thread(peer).open()();
    assert.equal(numbers(laptop, bob.id).length, 90);
    laptop.stores.chats.thread('p5').open()();
    assert.deepEqual(numbers(laptop, bob.id), range(41, 90));
    assert.equal(viewOf(laptop, bob.id).hasOlder, true);
  });

  test('a peer is shown typing until their message comes', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    const { typing } = alice.stores.chats.thread(bob.id);
    assert.equal(typing.getSnapshot(), false);
    bob.stores.chats.thread(alice.id).sendTyping();
    await until(() => typing.getSnapshot());
    bob.stores.chats.thread(alice.id).send('hi');
    await until(() => !typing.getSnapshot());
    assert.equal(alice.stores.chats.unreadTotal.getSnapshot(), 1);
  });

  test('a peer who stops typing without a message is shown typing for four seconds', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const typing = new Typing();
    const seen: boolean[] = [];
    typing.of('bob').subscribe(() => seen.push(typing.of('bob').getSnapshot()));
    typing.start('bob');
    t.mock.timers.tick(1_000);
    typing.start('bob');
    t.mock.timers.tick(3_999);
    assert.deepEqual(seen, [true]);
    t.mock.timers.tick(1);
    assert.deepEqual(seen, [true, false]);
  });

  test('after a restore of the database all is loaded again', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await town.writeMany(bob, alice.id, ['1', '2']);
    const [phone, laptop] = [await town.another('alice'), await town.another('alice')];
    for (const { stores } of [phone, laptop]) stores.chats.thread(bob.id).open();
    for (const one of [phone, laptop]) await untilEqual(() => shown(one, bob.id), ['1 theirs', '2 theirs']);
    await laptop.stores.flush();
    for (const { doorman } of [phone, laptop]) doorman.disconnect();
    await town.service.services.db.run`update messages set body = 'another'`;
    await renewEpoch(town.service.services.db);
    await town.restart();
    phone.doorman.connect();
    const reloaded = await laptop.reload();
    reloaded.stores.chats.thread(bob.id).open();
    for (const one of [phone, reloaded])
      await untilEqual(() => shown(one, bob.id), ['another theirs', 'another theirs']);
  });
});
