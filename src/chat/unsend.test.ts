import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everythingStored } from '../../test/bad-input/stored.ts';
import { startChanging } from '../../test/changing.ts';
import { onEachDeployment } from '../../test/databases.ts';
import { deleteUser } from '../leaving/remove-user.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

onEachDeployment('unsending a message', (database) => {
  test('its text and all that belongs to it are gone for both, who learn it by an event of the same time', async (t) => {
    const all = await startChanging(t, database);
    const { db, clock, alice, bob, phone, his, act, send, history, entry, log, revisions } = all;
    await send(alice, bob, 'a first one');
    await send(alice, bob, 'topsecret', { replyTo: 1, cid: 'secret' });
    await act(alice, 'edit', { peer: bob.id, n: 2, body: 'topsecret again' });
    await act(bob, 'react', { peer: alice.id, n: 2, emoji: '👍' });
    await act(alice, 'react', { peer: bob.id, n: 2, emoji: '❤️' });
    const { at } = (await history(alice, bob)).items[1];
    const unsentAt = ++clock.now;
    assert.deepEqual(await act(alice, 'unsend', { peer: bob.id, n: 2 }), { peer: bob.id, n: 2, unsentAt });

    const unsent = { n: 2, from: alice.id, cid: 'secret', body: '', at, unsentAt };
    for (const [own, peer, socket] of [
      [alice, bob, phone],
      [bob, alice, his],
    ] as const) {
      const frame = await socket.first(({ event }) => event === 'unsent');
      assert.deepEqual(
        [frame.at, frame.data],
        [unsentAt, { peer: peer.id, n: 2, by: alice.id, revision: 4 }],
      );
      const { items, quoted, revision } = await history(own, peer);
      assert.deepEqual([items[1], quoted, revision], [unsent, [], 4]);
      const { last, revision: listed } = await entry(own, peer);
      assert.deepEqual([last, listed], [unsent, 4]);
      const events = await log(own);
      const ofMessage = events.filter(({ data }) => 'n' in data && data.n === 2);
      assert.deepEqual(
        ofMessage.map(({ event, data }) => [event, 'body' in data ? data.body : undefined]),
        [
          ['message', ''],
          ['edited', ''],
          ['reaction', undefined],
          ['reaction', undefined],
          ['unsent', undefined],
        ],
      );
      assert.deepEqual(ofMessage[0]?.data, {
        ...{ peer: peer.id, n: 2, from: alice.id, cid: 'secret', body: '', unsentAt },
      });
      assert.ok(!JSON.stringify(events).includes('topsecret'));
    }
    assert.deepEqual(await revisions(alice, bob), [4, 4]);
    assert.ok(!JSON.stringify(await everythingStored(db)).includes('topsecret'));
    const [row] = await db.all<object>`
      select body, reply_to, edited_at, original_hash, low_reaction, high_reaction from messages where n = 2`;
    const none = { reply_to: null, edited_at: null, original_hash: null };
    assert.deepEqual(row, { body: '', ...none, low_reaction: null, high_reaction: null });
    assert.deepEqual(await answersWith(all, 'topsecret'), []);
  });

  test('is possible for 24 hours; a repeat gets the first answer, also later, and changes nothing', async (t) => {
    const { stored, clock, alice, bob, act, send, refused } = await startChanging(t, database);
    for (let i = 0; i < 3; i++) await send(alice, bob);
    clock.now += DAY_MS;
    const first = await act(alice, 'unsend', { peer: bob.id, n: 1 });
    const before = await stored();
    clock.now++;
    assert.deepEqual(await refused(alice, 'unsend', { peer: bob.id, n: 2 }), [400, 'too_late']);
    assert.deepEqual(await act(alice, 'unsend', { peer: bob.id, n: 1 }), first);
    clock.now += 10 * DAY_MS;
    assert.deepEqual(await act(alice, 'unsend', { peer: bob.id, n: 1 }), first);
    assert.deepEqual(await stored(), before);
    clock.now -= 20 * DAY_MS;
    assert.equal((await act(alice, 'unsend', { peer: bob.id, n: 2 })).n, 2, 'the clock was set back');
  });

  test('is refused for what does not exist and for messages of others, before anything else', async (t) => {
    const { clock, alice, bob, carol, send, refused, block } = await startChanging(t, database);
    await send(alice, bob);
    await send(bob, alice);
    await block(bob, alice);
    clock.now += 2 * DAY_MS;
    assert.deepEqual(await refused(alice, 'unsend', { peer: 'no one', n: 1 }), [404, 'user_not_found']);
    for (const [peer, n] of [
      [bob, 2],
      [bob, 3],
      [bob, Number.MAX_SAFE_INTEGER],
      [carol, 1],
      [alice, 1],
    ] as const)
      assert.deepEqual(await refused(alice, 'unsend', { peer: peer.id, n }), [404, 'message_not_found']);
    assert.deepEqual(await refused(carol, 'unsend', { peer: alice.id, n: 1 }), [404, 'message_not_found']);
    assert.deepEqual(await refused(alice, 'unsend', { peer: bob.id, n: 1 }), [400, 'too_late']);
    for (const n of [0, -1, 1.5, '1', 2 ** 53])
      assert.equal((await refused(alice, 'unsend', { peer: bob.id, n }))[0], 400);
  });

  test('takes one from the unread messages of the recipient only while it is among them', async (t) => {
    const { db, alice, bob, act, send, entry } = await startChanging(t, database);
    for (let i = 0; i < 6; i++) await send(alice, bob);
    await send(bob, alice);
    const unread = async () => [(await entry(bob, alice)).unread, (await entry(alice, bob)).unread];
    const unsend = async (n: number, left: number) => {
      await act(alice, 'unsend', { peer: bob.id, n });
      assert.deepEqual(await unread(), [left, 1], `${n}`);
    };
    await act(bob, 'mark', { peer: alice.id, read: 2 });
    await unsend(2, 4);
    await act(bob, 'clear', { peer: alice.id, n: 4 });
    await unsend(4, 2);
    await unsend(5, 1);
    await unsend(5, 1);
    for (let i = 0; i < 2; i++) await send(alice, bob);
    await unsend(9, 2);
    await act(bob, 'mark', { peer: alice.id, read: 6 });
    assert.deepEqual(await unread(), [1, 1], 'a mark does not count unsent ones');
    await unsend(8, 0);
    await act(bob, 'unsend', { peer: alice.id, n: 7 });
    assert.deepEqual(await unread(), [0, 0]);
    const rows = await db.all<{ unread: number }>`select unread from conversations`;
    assert.deepEqual(rows, [{ unread: 0 }, { unread: 0 }]);
  });

  test('a message request keeps its place among the five, and counts one unread message less', async (t) => {
    const { db, service, alice, bob, act, send, refused, log } = await startChanging(t, database);
    await db.run`update users set who_messages = 'requests' where id = ${alice.id}`;
    for (let i = 0; i < 5; i++) await send(bob, alice);
    await act(bob, 'unsend', { peer: alice.id, n: 2 });
    const more = { to: alice.id, cid: 'sixth', body: 'hi' };
    assert.deepEqual(await refused(bob, 'send', more), [403, 'not_accepting']);
    assert.equal((await log(alice)).at(-1)?.event, 'unsent');
    const request = { peer: bob.id, act: 'accept' };
    await service.post('/api/conversations/request', request, { token: alice.token });
    const { body } = await service.get(`/api/conversations?peer=${bob.id}`, { token: alice.token });
    assert.equal(body.data[0].unread, 4);
    assert.deepEqual(await db.all`select * from push_log where outcome = 'unsent'`, []);
  });

  test('is allowed while one blocks the other; who blocks the sender gets no event, but the changes are counted', async (t) => {
    const { alice, bob, his, act, send, block, log, history, entry, revisions } = await startChanging(
      t,
      database,
    );
    for (let i = 0; i < 3; i++) await send(alice, bob);
    await block(bob, alice);
    await act(alice, 'unsend', { peer: bob.id, n: 1 });
    assert.deepEqual((await log(bob)).map(({ event }) => event).slice(3), ['block']);
    assert.equal((await log(alice)).at(-1)?.event, 'unsent');
    assert.deepEqual(await revisions(alice, bob), [1, 1]);
    const page = await history(bob, alice);
    assert.deepEqual([page.revision, page.items[0].body], [1, '']);
    await block(bob, alice, 'unblock');
    const { data } = await his.first(({ event }) => event === 'unblock');
    assert.deepEqual(data, { userId: alice.id, revision: 1 });
    assert.equal((await entry(bob, alice)).unread, 2);

    await block(alice, bob);
    await act(alice, 'unsend', { peer: bob.id, n: 2 });
    assert.equal((await log(bob)).at(-1)?.event, 'unsent', 'only the one who blocks gets no event');
    assert.deepEqual(await revisions(alice, bob), [2, 2]);
  });

  test('is possible after the recipient has left, without an event for them', async (t) => {
    const { db, alice, bob, act, send, log, history, revisions } = await startChanging(t, database);
    await send(alice, bob);
    await db.transaction((tx) => deleteUser(tx, bob.id));
    await act(alice, 'unsend', { peer: bob.id, n: 1 });
    assert.deepEqual(await log(bob), []);
    assert.deepEqual(await revisions(alice, bob), [1, 1]);
    assert.equal((await history(alice, bob)).items[0].body, '');
  });
});

/** Paths of answers to the two users that have the text. */
async function answersWith(
  { service, alice, bob }: Awaited<ReturnType<typeof startChanging>>,
  text: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const [{ token }, peer] of [
    [alice, bob],
    [bob, alice],
  ] as const)
    for (const path of ['/api/sync', '/api/conversations', `/api/messages?peer=${peer.id}`])
      if ((await service.get(path, { token })).text.includes(text)) found.push(path);
  return found;
}
