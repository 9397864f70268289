import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../../test/databases.ts';
import { pngOf } from '../../test/pictures-of-noise.ts';
import { startPicturing } from '../../test/picturing.ts';
import { readEvents } from '../inbox/stored-events.ts';

onEachDeployment('What a message with a picture reaches', (database) => {
  test('the sockets and the logs of both have it, stored without it, and lose it with the unsend', async (t) => {
    const { service, db, alice, bob, upload, send, unsend, history } = await startPicturing(t, database);
    const sockets = [await service.enter(alice, { node: 0 }), await service.enter(bob, { node: 1 })];
    const { bytes: _, ...picture } = await upload(alice);
    await send(alice, bob, 'c1', { picture: picture.id, body: 'look' });
    await send(bob, alice, 'c2', { body: 'nice', replyTo: 1 });
    for (const [i, socket] of sockets.entries()) {
      const frame = await socket.first(({ event }) => event === 'message');
      const peer = [bob.id, alice.id][i];
      assert.deepEqual(frame.data, { peer, n: 1, from: alice.id, cid: 'c1', body: 'look', picture });
    }
    const logged = async () => {
      const [first] = await readEvents(db, bob.id, 0, 1);
      const { body, picture } = first?.event === 'message' ? first.data : {};
      return [body, picture];
    };
    assert.deepEqual(await logged(), ['look', picture]);
    const [row] = await db.all<{
      data: string;
    }>`select data from inbox where user_id = ${bob.id} order by seq`;
    assert.deepEqual(Object.keys(JSON.parse(row?.data ?? '')), ['peer', 'n', 'from', 'cid']);
    const { quoted } = (await service.get(`/api/messages?peer=${alice.id}&after=1`, { token: bob.token }))
      .body.data;
    assert.deepEqual(quoted[0].picture, picture, 'where a reply quotes it');
    const { body } = await service.get('/api/search?q=look', { token: bob.token });
    assert.deepEqual(body.data[0].picture, picture, 'among the hits of a search');
    await unsend(alice, bob, 1);
    assert.deepEqual(await logged(), ['', undefined]);
    assert.equal((await history(bob, alice))[0].picture, undefined);
  });

  test('a block refuses it as any message, and leaves that of before readable; so does a deleted peer', async (t) => {
    const { alice, bob, upload, send, get, post } = await startPicturing(t, database);
    const [before, after] = [await upload(alice), await upload(alice)];
    await send(alice, bob, 'c1', { picture: before.id });
    await post(bob, '/api/user/block', { blockedId: alice.id });
    const refused = await send(alice, bob, 'c2', { picture: after.id });
    assert.deepEqual([refused.status, refused.body.error], [403, 'not_accepting']);
    for (const person of [alice, bob]) assert.equal((await get(person, before.id)).status, 200);
    assert.equal((await get(bob, after.id)).status, 404);
    await post(bob, '/api/user/unblock', { blockedId: alice.id });
    assert.equal((await send(alice, bob, 'c2', { picture: after.id })).status, 200, 'it was not used up');
  });

  test('a session that has ended reads nothing, on any node', async (t) => {
    const { service, alice, bob, upload, send, get, post } = await startPicturing(t, database);
    const { id } = await upload(alice);
    await send(alice, bob, 'c1', { picture: id });
    assert.equal((await get(bob, id)).status, 200);
    await post(bob, '/api/logout', {});
    for (const node of service.nodes)
      assert.equal((await node.get(`/api/pictures/${id}`, { token: bob.token })).status, 401);
  });

  test('it waits with a message request, and its recipient can read it', async (t) => {
    const { alice, bob, upload, send, get, post, service } = await startPicturing(t, database);
    await post(bob, '/api/user/privacy', { messages: 'requests' });
    const { bytes, ...picture } = await upload(alice);
    await send(alice, bob, 'c1', { picture: picture.id });
    const { body } = await service.get('/api/conversations?list=requests', { token: bob.token });
    assert.deepEqual(body.data[0].last.picture, picture);
    assert.ok((await get(bob, picture.id)).bytes?.equals(bytes));
  });

  test('an edit changes the caption, and a conversation that is cleared keeps it for the other', async (t) => {
    const { alice, bob, upload, send, get, post, history, stored, runJob } = await startPicturing(
      t,
      database,
    );
    const { bytes: _, ...picture } = await upload(alice);
    await send(alice, bob, 'c1', { picture: picture.id, body: 'lok' });
    await post(alice, '/api/messages/edit', { peer: bob.id, n: 1, body: 'look' });
    const [message] = await history(bob, alice);
    assert.deepEqual([message.body, message.picture], ['look', picture]);
    assert.equal(
      (await send(alice, bob, 'c1', { picture: picture.id, body: 'lok' })).body.data.duplicate,
      true,
    );
    await post(bob, '/api/conversations/clear', { peer: alice.id, n: 1 });
    await runJob();
    assert.deepEqual(await stored(), [1, 1]);
    assert.equal((await get(alice, picture.id)).status, 200);
  });

  test('what is no preview, or for another user’s picture, is refused and stores nothing', async (t) => {
    const { alice, bob, upload, preview, send, stored } = await startPicturing(t, database);
    const { id } = await upload(alice);
    const refused = async (bytes: Buffer, by = alice, of = id) => {
      const { status, body } = await preview(by, of, bytes);
      return [status, body.error];
    };
    assert.deepEqual(await refused(pngOf(481, 8)), [400, 'picture_size']);
    assert.deepEqual(await refused(pngOf(190)), [400, 'picture_too_large']);
    assert.deepEqual(await refused(Buffer.from('GIF89a')), [400, 'picture_invalid']);
    assert.deepEqual(await refused(pngOf(8), bob), [404, 'picture_unknown']);
    assert.deepEqual(await refused(pngOf(8), alice, 'unknown'), [404, 'picture_unknown']);
    await send(alice, bob, 'c1', { picture: id });
    assert.deepEqual(await refused(pngOf(8)), [404, 'picture_unknown'], 'the message shows what was sent');
    assert.deepEqual(await stored(), [1, 1]);
  });
});
