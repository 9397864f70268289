import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { sendMessage } from '../../test/messages.ts';
import { ServiceError } from '../errors.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { blockUser, unblockUser } from '../relations/block-user.ts';
import { listConversations } from './conversations.ts';
import { readHistory } from './history.ts';
import { markRead } from './marks.ts';

/** The service's clock: by the real one, the events of these tests would be old enough to be trimmed. */
const NOW = 10_000;

function refusedAs(word: string) {
  return (error: unknown) => error instanceof ServiceError && error.word === word;
}

onEachDatabase('messages', (database) => {
  async function startTwo(t: Parameters<typeof startService>[0]) {
    const { services, join } = await startService(t, database, { world: { now: () => NOW } });
    const [alice, bob] = [await join('alice'), await join('bob')];
    const caller = async (person: typeof alice) => {
      const known = await services.accounts.authentication.identify(person.token);
      assert(known);
      return known;
    };
    const [asAlice, asBob] = [await caller(alice), await caller(bob)];
    let cid = 0;
    const send = (from: typeof asAlice, to: string, body: string, now = 1_000) =>
      sendMessage(services, from, { to, body, cid: `${from.userId}-${++cid}` }, now);
    return { services, alice, bob, asAlice, asBob, send };
  }

  test('a message is stored in both inboxes and in the history, numbered 1, 2, 3', async (t) => {
    const { services, alice, bob, asAlice, asBob, send } = await startTwo(t);
    assert.deepEqual(await send(asAlice, bob.id, 'hi'), { peer: bob.id, n: 1, at: 1_000, duplicate: false });
    assert.equal((await send(asBob, alice.id, 'hello', 2_000)).n, 2);
    const events = await readEvents(services.db, bob.id, 0, 10);
    assert.deepEqual(
      events.map((one) => [one.seq, one.event, one.at]),
      [
        [1, 'message', 1_000],
        [2, 'message', 2_000],
      ],
    );
    assert.deepEqual(events[0]?.data, {
      peer: alice.id,
      n: 1,
      from: alice.id,
      cid: `${alice.id}-1`,
      body: 'hi',
    });
    const { items, more } = await readHistory(services.db, alice.id, { peer: bob.id });
    assert.deepEqual(
      [items.map((one) => [one.n, one.from, one.body]), more],
      [
        [
          [1, alice.id, 'hi'],
          [2, bob.id, 'hello'],
        ],
        false,
      ],
    );
  });

  test('a message is stored once per cid, however often it is sent in parallel', async (t) => {
    const { services, bob, asAlice } = await startTwo(t);
    const sent = await Promise.all(
      Array.from({ length: 20 }, () =>
        sendMessage(services, asAlice, { to: bob.id, cid: 'same', body: 'once' }, 5_000),
      ),
    );
    assert.deepEqual(sent.filter((one) => !one.duplicate).length, 1);
    assert.deepEqual(new Set(sent.map((one) => one.n)), new Set([1]));
    assert.equal((await readEvents(services.db, bob.id, 0, 10)).length, 1);
    assert.equal((await send2()).n, 2);

    function send2() {
      return sendMessage(services, asAlice, { to: bob.id, cid: 'other', body: 'twice' }, 5_000);
    }
  });

  test('parallel messages into one inbox are numbered without gaps', async (t) => {
    const { services, alice, bob, asAlice, asBob, send } = await startTwo(t);
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        i % 2 ? send(asAlice, bob.id, `a${i}`) : send(asBob, alice.id, `b${i}`),
      ),
    );
    const numbers = (await readEvents(services.db, alice.id, 0, 100)).map((one) => one.seq);
    assert.deepEqual(
      numbers,
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
    const { items } = await readHistory(services.db, alice.id, { peer: bob.id, limit: 100 });
    assert.deepEqual(
      items.map((one) => one.n),
      numbers,
    );
  });

  test('a block refuses messages in both directions, and nothing of them is stored', async (t) => {
    const { services, alice, bob, asAlice, asBob, send } = await startTwo(t);
    await blockUser(services, alice.id, bob.id, 1);
    await assert.rejects(send(asBob, alice.id, 'let me in'), refusedAs('not_accepting'));
    await assert.rejects(send(asAlice, bob.id, 'and you'), refusedAs('unblock_first'));
    assert.deepEqual(
      (await readEvents(services.db, alice.id, 0, 10)).map((one) => one.event),
      ['block'],
    );
    assert.deepEqual(await readEvents(services.db, bob.id, 0, 10), []);
    await unblockUser(services, alice.id, bob.id, 2);
    assert.equal((await send(asBob, alice.id, 'thanks')).n, 1);
  });

  test('a session that has ended sends nothing', async (t) => {
    const { services, bob, asAlice, send } = await startTwo(t);
    await services.db.run`delete from sessions where id = ${asAlice.sessionId}`;
    await assert.rejects(send(asAlice, bob.id, 'ghost'), refusedAs('unauthenticated'));
    await assert.rejects(
      sendMessage(services, asAlice, { to: 'unknown', cid: 'x', body: 'x' }, 1),
      refusedAs('unauthenticated'),
    );
  });

  test('conversations are listed by their last message, the latest first, within an hour and over hours', async (t) => {
    const { services, join } = await startService(t, database, { world: { now: () => NOW } });
    const [alice, bob, carol, dave] = await Promise.all(
      ['alice', 'bob', 'carol', 'dave'].map((name) => join(name)),
    );
    assert(alice && bob && carol && dave);
    const sender = await services.accounts.authentication.identify(alice.token);
    assert(sender);
    const MINUTE = 60_000;
    const listed = async () => {
      const peers: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await listConversations(services.db, alice.id, { limit: 1, ...(after && { after }) }, 0);
        peers.push(...page.items.map(({ peer }) => peer));
        if (!page.next) return peers;
        after = page.next;
      }
    };
    let cid = 0;
    for (const [to, at, expected] of [
      [bob, 10 * MINUTE, [bob]],
      [carol, 20 * MINUTE, [carol, bob]],
      [bob, 30 * MINUTE, [bob, carol]],
      [dave, 70 * MINUTE, [dave, bob, carol]],
      [carol, 130 * MINUTE, [carol, dave, bob]],
      [dave, 140 * MINUTE, [dave, carol, bob]],
    ] as const) {
      await sendMessage(services, sender, { to: to.id, cid: `${++cid}`, body: 'hi' }, at);
      assert.deepEqual(
        await listed(),
        expected.map(({ id }) => id),
      );
    }
  });

  test('marks only rise, and both sides get them', async (t) => {
    const { services, alice, bob, asAlice, asBob, send } = await startTwo(t);
    for (const body of ['1', '2', '3']) await send(asAlice, bob.id, body);
    assert.equal((await listConversations(services.db, bob.id, {}, 0)).items[0]?.unread, 3);
    assert.deepEqual(await markRead(services, asBob, { peer: alice.id, read: 2 }, 9), {
      received: 2,
      read: 2,
    });
    assert.deepEqual(await markRead(services, asBob, { peer: alice.id, read: 1 }, 9), {
      received: 2,
      read: 2,
    });
    assert.deepEqual(await markRead(services, asBob, { peer: alice.id, read: 99 }, 9), {
      received: 3,
      read: 3,
    });
    assert.equal((await listConversations(services.db, bob.id, {}, 0)).items[0]?.unread, 0);
    const [shown] = (await listConversations(services.db, alice.id, {}, 0)).items;
    assert.deepEqual([shown?.peer, shown?.read, shown?.received, shown?.last.body], [bob.id, 3, 3, '3']);
    const marked = (await readEvents(services.db, alice.id, 0, 20)).filter((one) => one.event === 'marked');
    assert.deepEqual(
      marked.map((one) => one.data),
      [
        { peer: bob.id, by: bob.id, received: 2, read: 2 },
        { peer: bob.id, by: bob.id, received: 3, read: 3 },
      ],
    );
  });

  test('during a block neither side sees in the conversation how far the other reads', async (t) => {
    const { services, alice, bob, asAlice, asBob, send } = await startTwo(t);
    await send(asAlice, bob.id, 'one');
    await send(asBob, alice.id, 'two');
    await markRead(services, asBob, { peer: alice.id, read: 1 }, 2_000);
    const marks = async (userId: string) => {
      const [one] = (await listConversations(services.db, userId, {}, 0)).items;
      return [one?.received, one?.read, one?.ownRead];
    };
    assert.deepEqual(
      [await marks(alice.id), await marks(bob.id)],
      [
        [1, 1, 0],
        [0, 0, 1],
      ],
    );
    await blockUser(services, bob.id, alice.id, 3_000);
    await markRead(services, asAlice, { peer: bob.id, read: 2 }, 4_000);
    await markRead(services, asBob, { peer: alice.id, read: 2 }, 4_000);
    assert.deepEqual(
      [await marks(alice.id), await marks(bob.id)],
      [
        [1, 1, 2],
        [0, 0, 2],
      ],
    );
    await unblockUser(services, bob.id, alice.id, 5_000);
    await send(asAlice, bob.id, 'three');
    await markRead(services, asBob, { peer: alice.id, read: 3 }, 6_000);
    assert.deepEqual(await marks(alice.id), [3, 3, 2]);
  });
});
