import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { everythingStored } from '../../test/bad-input/stored.ts';
import { startChanging } from '../../test/changing.ts';
import { onEachDeployment } from '../../test/databases.ts';
import { deleteUser } from '../leaving/remove-user.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

onEachDeployment('editing a message', (database) => {
  test('both get the new text by an event and in the history; nothing rings and nothing is unread', async (t) => {
    const { db, clock, alice, bob, phone, his, act, send, history, entry, log, revisions } =
      await startChanging(t, database);
    await send(alice, bob, 'frist', { cid: 'c' });
    await act(bob, 'mark', { peer: alice.id, read: 1 });
    const pushes = () => db.all<object>`select * from push_pending`;
    const pending = await pushes();
    const { at } = (await history(alice, bob)).items[0];
    const editedAt = ++clock.now;
    const edit = { peer: bob.id, n: 1, body: 'first' };
    assert.deepEqual(await act(alice, 'edit', edit), { peer: bob.id, n: 1, editedAt });
    for (const [own, peer, socket] of [
      [alice, bob, phone],
      [bob, alice, his],
    ] as const) {
      const frame = await socket.first(({ event }) => event === 'edited');
      const data = { peer: peer.id, n: 1, by: alice.id, body: 'first', revision: 1 };
      assert.deepEqual([frame.at, frame.data], [editedAt, data]);
      const message = { n: 1, from: alice.id, cid: 'c', body: 'first', at, editedAt };
      const { items, revision } = await history(own, peer);
      assert.deepEqual([items, revision], [[message], 1]);
      const { last, unread } = await entry(own, peer);
      assert.deepEqual([last, unread], [message, 0]);
      const stored = (await log(own)).at(-1);
      assert.deepEqual([stored?.event, stored?.at, stored?.data], ['edited', editedAt, data]);
    }
    assert.deepEqual(await pushes(), pending);
    assert.deepEqual(await revisions(alice, bob), [1, 1]);
  });

  test('the log keeps no text of it, so a page of the log has the latest one everywhere', async (t) => {
    const { db, clock, alice, bob, act, send, log } = await startChanging(t, database);
    await send(alice, bob, 'one');
    const times = [];
    for (const body of ['two', 'three']) {
      times.push(++clock.now);
      await act(alice, 'edit', { peer: bob.id, n: 1, body });
    }
    for (const own of [alice, bob]) {
      const texts = (await log(own)).map(({ event, data }) => [event, 'body' in data && data.body]);
      assert.deepEqual(texts, [
        ['message', 'three'],
        ['edited', 'three'],
        ['edited', 'three'],
      ]);
      const [message] = await log(own);
      assert.ok(message?.event === 'message');
      assert.equal(message.data.editedAt, times[1]);
    }
    const { inbox } = await everythingStored(db);
    assert.equal(inbox?.length, 6);
    assert.ok(!/one|two|three/.test(String(inbox).replaceAll(alice.id, '').replaceAll(bob.id, '')));
    const sha256 = createHash('sha256').update('one').digest('hex');
    const rows = await db.all<object>`select body, original_hash, edited_at from messages`;
    assert.deepEqual(rows, [{ body: 'three', original_hash: sha256, edited_at: times[1] }]);
  });

  test('is possible for 24 hours; the present text again changes nothing, also later', async (t) => {
    const { stored, clock, alice, bob, act, send, refused } = await startChanging(t, database);
    for (const body of ['one', 'two']) await send(alice, bob, body);
    clock.now += DAY_MS;
    const edited = await act(alice, 'edit', { peer: bob.id, n: 1, body: 'ONE' });
    const before = await stored();
    clock.now++;
    assert.deepEqual(await refused(alice, 'edit', { peer: bob.id, n: 1, body: 'one' }), [400, 'too_late']);
    assert.deepEqual(await act(alice, 'edit', { peer: bob.id, n: 1, body: 'ONE' }), edited);
    const same = await act(alice, 'edit', { peer: bob.id, n: 2, body: 'two' });
    assert.deepEqual(same, { peer: bob.id, n: 2, editedAt: 0 }, 'it was never edited');
    assert.deepEqual(await stored(), before);
  });

  test('back to the first text it is an edit too, of which the first text is kept as a hash', async (t) => {
    const { db, alice, bob, act, send } = await startChanging(t, database);
    await send(alice, bob, 'one');
    const texts = ['two', 'one'];
    for (const body of texts) await act(alice, 'edit', { peer: bob.id, n: 1, body });
    const [row] = await db.all<object>`select body, original_hash from messages`;
    assert.deepEqual(row, { body: 'one', original_hash: createHash('sha256').update('one').digest('hex') });
  });

  test('is refused in this order: unknown peer, unknown message, block, unsent, too late', async (t) => {
    const { db, clock, alice, bob, carol, act, send, refused, block } = await startChanging(t, database);
    for (let i = 0; i < 2; i++) await send(alice, bob);
    await send(bob, alice);
    await act(alice, 'unsend', { peer: bob.id, n: 1 });
    clock.now += 2 * DAY_MS;
    const edit = (peer: string, n: number) => refused(alice, 'edit', { peer, n, body: 'new' });
    await block(bob, alice);
    assert.deepEqual(await edit('no one', 1), [404, 'user_not_found']);
    for (const [peer, n] of [
      [bob, 3],
      [bob, 4],
      [carol, 1],
      [alice, 1],
    ] as const)
      assert.deepEqual(await edit(peer.id, n), [404, 'message_not_found'], `${n}`);
    for (const n of [1, 2]) assert.deepEqual(await edit(bob.id, n), [403, 'not_accepting']);
    const present = { peer: bob.id, n: 2, body: 'hi' };
    assert.deepEqual(await refused(alice, 'edit', present), [403, 'not_accepting']);
    await block(alice, bob);
    assert.deepEqual(await edit(bob.id, 2), [403, 'unblock_first'], 'as a message is refused');
    await block(bob, alice, 'unblock');
    assert.deepEqual(await edit(bob.id, 2), [403, 'unblock_first']);
    await block(alice, bob, 'unblock');
    assert.deepEqual(await edit(bob.id, 1), [400, 'message_unsent']);
    assert.deepEqual(await edit(bob.id, 2), [400, 'too_late']);
    for (const body of ['', 'x'.repeat(4_001), 7])
      assert.equal((await refused(alice, 'edit', { peer: bob.id, n: 2, body }))[0], 400);
    await db.transaction((tx) => deleteUser(tx, bob.id));
    assert.deepEqual(await edit(bob.id, 2), [403, 'not_accepting']);
  });

  test('a stranger edits what waits for an answer, however many; not what was declined', async (t) => {
    const { db, service, clock, alice, bob, act, send, refused } = await startChanging(t, database);
    await db.run`update users set who_messages = 'requests' where id = ${alice.id}`;
    for (let i = 0; i < 5; i++) await send(bob, alice);
    const requests = () => db.all<object>`select state, messages, at from message_requests`;
    const before = await requests();
    clock.now++;
    await act(bob, 'edit', { peer: alice.id, n: 2, body: 'new' });
    assert.deepEqual(await requests(), before);
    await db.run`update users set who_messages = 'friends' where id = ${alice.id}`;
    const edit = { peer: alice.id, n: 1, body: 'new' };
    assert.deepEqual(await refused(bob, 'edit', edit), [403, 'not_accepting'], 'as a message is refused');
    await db.run`update users set who_messages = 'requests' where id = ${alice.id}`;
    const decline = { peer: bob.id, act: 'decline' };
    await service.post('/api/conversations/request', decline, { token: alice.token });
    for (const days of [0, 31]) {
      clock.now += days * DAY_MS;
      await db.run`update messages set at = ${clock.now} where n = 1`;
      assert.deepEqual(await refused(bob, 'edit', edit), [403, 'not_accepting'], `after ${days} days`);
    }
  });

  test('counts among the messages of its user, as every change does', async (t) => {
    const { service, alice, bob, act, send, phone } = await startChanging(t, database, {
      RATE_LIMIT_MESSAGES: '4/1m',
    });
    await send(alice, bob);
    await act(alice, 'edit', { peer: bob.id, n: 1, body: 'new' });
    await act(alice, 'react', { peer: bob.id, n: 1, emoji: '👍' });
    await act(alice, 'unsend', { peer: bob.id, n: 1 });
    const fields = { peer: bob.id, n: 1, body: 'x', emoji: '', to: bob.id, cid: 'c' };
    for (const [type, path] of [
      ['send', '/api/messages'],
      ['edit', '/api/messages/edit'],
      ['react', '/api/messages/react'],
      ['unsend', '/api/messages/unsend'],
    ]) {
      const { code, error } = await phone.ask({ type, ...fields });
      assert.deepEqual([code, error], [429, 'too_many_messages']);
      const { status, body } = await service.post(path ?? '', fields, { token: alice.token });
      assert.deepEqual([status, body.error], [429, 'too_many_messages']);
    }
  });
});
