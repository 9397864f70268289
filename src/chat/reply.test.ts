import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChanging } from '../../test/changing.ts';
import { onEachDatabase, onEachDeployment } from '../../test/databases.ts';
import type { Body } from '../../test/harness.ts';
import { sendMessage } from '../../test/messages.ts';

onEachDeployment('a reply', (database) => {
  test('both get the number that it answers, in event, history and list', async (t) => {
    const { alice, bob, phone, his, send, history, entry, log } = await startChanging(t, database);
    await send(alice, bob);
    await send(bob, alice, 'yes', { replyTo: 1 });
    for (const [own, peer, socket] of [
      [alice, bob, phone],
      [bob, alice, his],
    ] as const) {
      const { data } = await socket.first(({ event, data: { n } }) => event === 'message' && n === 2);
      assert.deepEqual([data.replyTo, data.body], [1, 'yes']);
      assert.deepEqual(
        (await history(own, peer)).items.map(({ replyTo }: Body) => replyTo),
        [undefined, 1],
      );
      assert.equal((await entry(own, peer)).last.replyTo, 1);
      const stored = (await log(own)).at(-1);
      assert.deepEqual(stored?.data, data);
    }
  });

  test('to a number above the last one is refused, after everything else', async (t) => {
    const { alice, bob, act, send, refused, block } = await startChanging(t, database);
    const reply = { to: bob.id, cid: 'new', body: 'hi', replyTo: 1 };
    assert.deepEqual(await refused(alice, 'send', reply), [400, 'reply_unknown'], 'before the first');
    await send(alice, bob, 'hi', { cid: 'first' });
    const refusedAt = async (replyTo: unknown) => (await refused(alice, 'send', { ...reply, replyTo }))[1];
    for (const replyTo of [2, Number.MAX_SAFE_INTEGER])
      assert.equal(await refusedAt(replyTo), 'reply_unknown');
    for (const replyTo of [0, -1, 1.5, '1', 2 ** 53, null])
      assert.equal((await refused(alice, 'send', { ...reply, replyTo }))[0], 400);
    assert.deepEqual(await refused(alice, 'send', { ...reply, replyTo: 2, to: alice.id }), [
      400,
      'message_self',
    ]);
    const unknown = { ...reply, replyTo: 2, to: 'no one' };
    assert.deepEqual(await refused(alice, 'send', unknown), [404, 'user_not_found']);
    const used = { ...reply, replyTo: 2, cid: 'first' };
    assert.deepEqual(await refused(alice, 'send', used), [400, 'cid_used']);
    await block(bob, alice);
    assert.deepEqual(await refused(alice, 'send', { ...reply, replyTo: 2 }), [403, 'not_accepting']);
    await block(bob, alice, 'unblock');
    assert.equal((await act(alice, 'send', reply)).n, 2);
  });

  test('which is refused accepts no message request, and takes no place of one', async (t) => {
    const { db, alice, bob, send, refused } = await startChanging(t, database);
    await db.run`update users set who_messages = 'requests' where id = ${alice.id}`;
    await send(bob, alice);
    for (const [by, to] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      const reply = { to: to.id, cid: 'new', body: 'hi', replyTo: 2 };
      assert.deepEqual(await refused(by, 'send', reply), [400, 'reply_unknown']);
    }
    for (let i = 0; i < 4; i++) await send(bob, alice, 'hi', { replyTo: 1 });
  });

  test('a repeat is compared with it too', async (t) => {
    const { alice, bob, act, send, refused } = await startChanging(t, database);
    for (let i = 0; i < 2; i++) await send(bob, alice);
    const plain = { to: bob.id, cid: 'plain', body: 'hi' };
    const reply = { ...plain, cid: 'reply', replyTo: 1 };
    for (const message of [plain, reply]) {
      const { n, at } = await act(alice, 'send', message);
      assert.deepEqual(await act(alice, 'send', message), { peer: bob.id, n, at, duplicate: true });
    }
    for (const other of [
      { ...plain, replyTo: 1 },
      { ...reply, replyTo: 2 },
      { ...reply, replyTo: undefined },
    ])
      assert.deepEqual(await refused(alice, 'send', other), [400, 'cid_used']);
  });

  test('a page of the history brings the messages that it quotes and has not, as they are now', async (t) => {
    const { clock, alice, bob, act, send, history } = await startChanging(t, database);
    for (let n = 1; n <= 4; n++) await send(alice, bob, `${n}`);
    for (const replyTo of [3, 1, 3, 2, 5]) await send(bob, alice, `to ${replyTo}`, { replyTo });
    const quotedBy = async (by: typeof alice, query: string) => {
      const { items, quoted } = await history(by, by === alice ? bob : alice, query);
      return [items.map(({ n }: Body) => n), quoted.map(({ n, body }: Body) => `${n} ${body}`)];
    };
    assert.deepEqual(await quotedBy(alice, ''), [[1, 2, 3, 4, 5, 6, 7, 8, 9], []]);
    assert.deepEqual(await quotedBy(alice, '&limit=5'), [
      [5, 6, 7, 8, 9],
      ['1 1', '2 2', '3 3'],
    ]);
    assert.deepEqual(await quotedBy(alice, '&before=7&limit=2'), [
      [5, 6],
      ['1 1', '3 3'],
    ]);
    assert.deepEqual(await quotedBy(bob, '&after=6'), [
      [7, 8, 9],
      ['2 2', '3 3', '5 to 3'],
    ]);
    await act(alice, 'edit', { peer: bob.id, n: 1, body: 'edited' });
    const unsentAt = ++clock.now;
    await act(alice, 'unsend', { peer: bob.id, n: 3 });
    assert.deepEqual((await quotedBy(bob, '&limit=5'))[1], ['1 edited', '2 2', '3 ']);
    const { quoted } = await history(bob, alice, '&limit=5');
    assert.equal(quoted[2].unsentAt, unsentAt);
    await act(bob, 'clear', { peer: alice.id, n: 2 });
    assert.deepEqual((await quotedBy(bob, '&limit=5'))[1], ['3 '], 'without what he deleted');
    assert.deepEqual((await quotedBy(alice, '&limit=5'))[1], ['1 edited', '2 2', '3 ']);
    assert.equal(await send(bob, alice, 'to a cleared one', { replyTo: 1 }), 10);
  });
});

onEachDatabase('replies of one batch', (database) => {
  test('may answer messages of the same batch that come before', async (t) => {
    const { service, alice, bob, history } = await startChanging(t, database);
    const { services } = service;
    const by = (await services.accounts.authentication.identify(alice.token)) ?? assert.fail();
    const send = (cid: string, replyTo?: number) =>
      sendMessage(services, by, { to: bob.id, cid, body: cid, ...(replyTo && { replyTo }) }, 1_000).then(
        ({ n }) => n,
        ({ word }) => word,
      );
    const sent = await Promise.all([send('a'), send('b', 2), send('c', 1), send('d', 2), send('d', 1)]);
    assert.deepEqual(sent, [1, 'reply_unknown', 2, 3, 'cid_used']);
    assert.deepEqual(
      (await history(bob, alice)).items.map(({ replyTo }: Body) => replyTo),
      [undefined, 1, 2],
    );
  });
});
