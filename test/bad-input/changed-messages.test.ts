import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChanging } from '../changing.ts';
import { onEachDeployment } from '../databases.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

onEachDeployment('Bad input: messages that are changed', (database) => {
  test('each is refused with a word by frame and by HTTP, stores nothing, and the next call is served', async (t) => {
    const { alice, bob, refused, send, act, history } = await startChanging(t, database);
    await send(alice, bob);
    await send(bob, alice);
    const rest = { body: 'new', emoji: '👍', to: bob.id, cid: 'new' };
    const acts = ['unsend', 'edit', 'react'] as const;
    for (const name of acts) {
      for (const n of [0, -1, 1.5, '1', 2 ** 53, null, [1], undefined])
        assert.deepEqual(
          await refused(alice, name, { ...rest, peer: bob.id, n }),
          [400, 'invalid_field'],
          `${n}`,
        );
      for (const [peer, code, word] of [
        [alice.id, 404, 'message_not_found'],
        [UNKNOWN, 404, 'user_not_found'],
        ['__proto__', 404, 'user_not_found'],
        ['', 400, 'invalid_field'],
        ['x'.repeat(101), 400, 'invalid_field'],
        [7, 400, 'invalid_field'],
        [undefined, 400, 'invalid_field'],
      ] as const)
        assert.deepEqual(await refused(alice, name, { ...rest, peer, n: 1 }), [code, word], `${peer}`);
      const farAway = { ...rest, peer: bob.id, n: Number.MAX_SAFE_INTEGER };
      assert.deepEqual(await refused(alice, name, farAway), [404, 'message_not_found']);
    }
    // Half a flag, a joiner alone, a text that only looks like one emoji.
    for (const emoji of ['ab', '👍👍', '🇩', '\u200d', '\ufe0e', '1', '__proto__', 'x'.repeat(1_000)])
      assert.deepEqual(
        await refused(alice, 'react', { peer: bob.id, n: 1, emoji }),
        [400, 'emoji_invalid'],
        emoji,
      );
    for (const emoji of ['👍'.repeat(1_001), 7, null, ['👍'], undefined])
      assert.deepEqual(await refused(alice, 'react', { peer: bob.id, n: 1, emoji }), [400, 'invalid_field']);
    for (const body of ['', 'x'.repeat(4_001), 7, null, undefined])
      assert.deepEqual(await refused(alice, 'edit', { peer: bob.id, n: 1, body }), [400, 'invalid_field']);
    for (const replyTo of [0, -1, 1.5, '1', 2 ** 53, null, [1]])
      assert.deepEqual(
        await refused(alice, 'send', { ...rest, replyTo }),
        [400, 'invalid_field'],
        `${replyTo}`,
      );
    for (const replyTo of [3, Number.MAX_SAFE_INTEGER])
      assert.deepEqual(await refused(alice, 'send', { ...rest, replyTo }), [400, 'reply_unknown']);
    const toSelf = { ...rest, to: alice.id, replyTo: 1 };
    assert.deepEqual(await refused(alice, 'send', toSelf), [400, 'message_self']);

    await act(alice, 'send', { ...rest, replyTo: 2 });
    for (const name of ['react', 'edit', 'unsend'] as const)
      await act(alice, name, { ...rest, peer: bob.id, n: 1 });
    const { revision, items } = await history(bob, alice);
    assert.deepEqual([revision, items[0].body, items[2].replyTo], [3, '', 2]);
  });
});
