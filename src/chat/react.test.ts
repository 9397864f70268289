import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChanging } from '../../test/changing.ts';
import { onEachDeployment } from '../../test/databases.ts';
import { deleteUser } from '../leaving/remove-user.ts';

onEachDeployment('reacting to a message', (database) => {
  test('each of the two has one emoji, the last one counts, and an empty one removes it', async (t) => {
    const { clock, alice, bob, phone, his, act, send, history, log, revisions } = await startChanging(
      t,
      database,
    );
    await send(alice, bob);
    const expected: [string, string, number][] = [];
    const reactions: Record<string, string> = {};
    for (const [by, peer, emoji] of [
      [bob, alice, '👍'],
      [alice, bob, '❤️'],
      [bob, alice, '🎉'],
      [alice, bob, ''],
      [bob, alice, ''],
    ] as const) {
      const at = ++clock.now;
      const answer = await act(by, 'react', { peer: peer.id, n: 1, emoji });
      assert.deepEqual(answer, { peer: peer.id, n: 1, emoji });
      expected.push([by.id, emoji, at]);
      if (emoji === '') delete reactions[by.id];
      else reactions[by.id] = emoji;
      for (const [own, other] of [
        [alice, bob],
        [bob, alice],
      ] as const) {
        const [message] = (await history(own, other)).items;
        assert.deepEqual(message.reactions ?? {}, reactions);
        assert.equal('reactions' in message, Object.keys(reactions).length > 0);
      }
    }
    for (const [own, peer, socket] of [
      [alice, bob, phone],
      [bob, alice, his],
    ] as const) {
      const events = (await log(own)).filter(({ event }) => event === 'reaction');
      const data = expected.map(([by, emoji], i) => ({ peer: peer.id, n: 1, by, emoji, revision: i + 1 }));
      assert.deepEqual(
        events.map((one) => one.data),
        data,
      );
      for (const one of data) {
        const { data: received } = await socket.first(({ event }) => event === 'reaction');
        assert.deepEqual(received, one);
      }
    }
    assert.deepEqual(await revisions(alice, bob), [5, 5]);
  });

  test('the same again changes nothing; it makes nothing unread and rings nowhere', async (t) => {
    const { stored, db, clock, alice, bob, act, send, entry } = await startChanging(t, database);
    await send(alice, bob);
    await act(bob, 'mark', { peer: alice.id, read: 1 });
    await act(alice, 'react', { peer: bob.id, n: 1, emoji: '👍' });
    const before = await stored();
    clock.now++;
    for (let i = 0; i < 2; i++) {
      await act(alice, 'react', { peer: bob.id, n: 1, emoji: '👍' });
      await act(bob, 'react', { peer: alice.id, n: 1, emoji: '' });
    }
    assert.deepEqual(await stored(), before);
    assert.deepEqual([(await entry(bob, alice)).unread, (await entry(alice, bob)).unread], [0, 0]);
    assert.deepEqual(await db.all`select * from push_pending where count > 0`, []);
  });

  test('has no time limit', async (t) => {
    const { clock, alice, bob, act, send } = await startChanging(t, database);
    await send(alice, bob);
    clock.now += 100 * 24 * 60 * 60 * 1000;
    await act(bob, 'react', { peer: alice.id, n: 1, emoji: '👍' });
  });

  test('takes exactly one emoji of the recommended set', async (t) => {
    const { alice, bob, act, send, refused, history } = await startChanging(t, database);
    await send(alice, bob);
    for (const emoji of ['😀', '👍🏽', '👩‍👩‍👧‍👦', '🇩🇪', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️‍🔥']) {
      await act(bob, 'react', { peer: alice.id, n: 1, emoji });
      assert.deepEqual((await history(alice, bob)).items[0].reactions, { [bob.id]: emoji });
    }
    for (const emoji of [
      'ab',
      '1',
      ' ',
      '👍👍',
      '👍 ',
      '\n👍',
      '🇩',
      '\u200d',
      '\ufe0f',
      '❤',
      '🏽x',
      'x'.repeat(1_000),
    ])
      assert.deepEqual(
        await refused(bob, 'react', { peer: alice.id, n: 1, emoji }),
        [400, 'emoji_invalid'],
        emoji,
      );
    for (const emoji of ['x'.repeat(1_001), 7, null])
      assert.equal((await refused(bob, 'react', { peer: alice.id, n: 1, emoji }))[0], 400);
    await act(bob, 'react', { peer: alice.id, n: 1, emoji: '👎' });
  });

  test('is refused in this order: unknown peer, unknown message, block, what is no emoji, unsent', async (t) => {
    const { db, alice, bob, carol, act, send, refused, block } = await startChanging(t, database);
    for (let i = 0; i < 2; i++) await send(alice, bob);
    await act(alice, 'unsend', { peer: bob.id, n: 1 });
    const react = (peer: string, n: number, emoji = 'x') => refused(alice, 'react', { peer, n, emoji });
    await block(bob, alice);
    assert.deepEqual(await react('no one', 1), [404, 'user_not_found']);
    for (const [peer, n] of [
      [bob, 3],
      [carol, 1],
      [alice, 1],
    ] as const)
      assert.deepEqual(await react(peer.id, n), [404, 'message_not_found']);
    for (const n of [1, 2]) assert.deepEqual(await react(bob.id, n), [403, 'not_accepting']);
    assert.deepEqual(await react(bob.id, 2, '👍'), [403, 'not_accepting']);
    const back = { peer: alice.id, n: 2, emoji: '👍' };
    assert.deepEqual(await refused(bob, 'react', back), [403, 'unblock_first']);
    await block(bob, alice, 'unblock');
    for (const n of [1, 2]) assert.deepEqual(await react(bob.id, n), [400, 'emoji_invalid']);
    for (const emoji of ['👍', '']) assert.deepEqual(await react(bob.id, 1, emoji), [400, 'message_unsent']);
    await db.transaction((tx) => deleteUser(tx, bob.id));
    assert.deepEqual(await react(bob.id, 2, '👍'), [403, 'not_accepting']);
  });

  test('of the recipient accepts a message request, as an answer does; of the stranger it does not', async (t) => {
    const { db, service, alice, bob, carol, act, send, refused, log } = await startChanging(t, database);
    await db.run`update users set who_messages = 'requests' where id = ${alice.id}`;
    for (const stranger of [bob, carol]) await send(stranger, alice);
    await act(bob, 'react', { peer: alice.id, n: 1, emoji: '🙏' });
    const states = async () => (await db.all<{ state: string }>`select state from message_requests`).length;
    assert.equal(await states(), 2);
    const removed = { peer: bob.id, n: 1, emoji: '' };
    await act(alice, 'react', removed);
    assert.equal(await states(), 2, 'what changes nothing accepts nothing');
    assert.deepEqual(
      await refused(alice, 'react', { ...removed, emoji: 'x' }),
      [400, 'emoji_invalid'],
      'nor does what is refused',
    );
    await act(alice, 'mark', { peer: bob.id, read: 1 });
    await act(alice, 'react', { peer: bob.id, n: 1, emoji: '👍' });
    const own = (await log(alice)).slice(-2);
    assert.deepEqual(
      own.map(({ event, data }) => [event, data]),
      [
        ['message_request', { peer: bob.id, state: 'accepted' }],
        ['reaction', { peer: bob.id, n: 1, by: alice.id, emoji: '👍', revision: 2 }],
      ],
    );
    const his = (await log(bob)).slice(-2);
    assert.deepEqual(
      his.map(({ event, data }) => [event, data]),
      [
        ['marked', { peer: alice.id, by: alice.id, received: 1, read: 1 }],
        ['reaction', { peer: alice.id, n: 1, by: alice.id, emoji: '👍', revision: 2 }],
      ],
    );
    assert.equal(await states(), 1);
    const list = await service.get('/api/conversations', { token: alice.token });
    assert.equal(list.body.data[0].peer, bob.id);

    const decline = { peer: carol.id, act: 'decline' };
    await service.post('/api/conversations/request', decline, { token: alice.token });
    const reaction = { peer: alice.id, n: 1, emoji: '🙏' };
    assert.deepEqual(await refused(carol, 'react', reaction), [403, 'not_accepting']);
    await act(alice, 'react', { peer: carol.id, n: 1, emoji: '👍' });
    assert.equal(await states(), 0, 'as an answer accepts what was declined');
    await act(carol, 'react', reaction);
  });
});
