import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDeployment } from '../../test/databases.ts';
import type { Person } from '../../test/harness.ts';
import { pngOf } from '../../test/pictures-of-noise.ts';
import { pictureCall, startPicturing } from '../../test/picturing.ts';
import { deleteUser } from '../leaving/remove-user.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const KIB = 1024;

onEachDeployment('Pictures in messages', (database) => {
  const start = (t: TestContext) => startPicturing(t, database);

  test('an uploaded picture is sent, and only the two of the conversation get it', async (t) => {
    const { alice, bob, carol, upload, preview, get, send, history, service } = await start(t);
    const { bytes, ...picture } = await upload(alice, 400);
    const { id } = picture;
    assert.deepEqual(picture, { id, type: 'image/png', size: bytes.length, width: 400, height: 400 });
    assert.deepEqual([(await get(alice, id, '/preview')).status, (await get(bob, id)).status], [404, 404]);
    const small = pngOf(30);
    assert.equal((await preview(alice, id, pngOf(20))).status, 200);
    assert.deepEqual(
      (await preview(alice, id, small)).body,
      { code: 200, data: { id } },
      'another one replaces it',
    );
    assert.ok((await get(alice, id)).bytes?.equals(bytes), 'its uploader, before it is sent');
    const sent = await send(alice, bob, 'c1', { picture: id });
    assert.equal(sent.status, 200, sent.text);
    for (const person of [alice, bob]) {
      const whole = await get(person, id);
      assert.ok(whole.bytes?.equals(bytes));
      assert.ok((await get(person, id, '/preview')).bytes?.equals(small));
      const { 'cache-control': cache, 'content-security-policy': policy, ...headers } = whole.headers;
      assert.deepEqual(
        [cache, policy, headers['x-content-type-options'], headers['content-type']],
        ['private, no-store', "default-src 'none'; sandbox", 'nosniff', 'image/png'],
      );
    }
    for (const part of ['', '/preview']) {
      const { status, body } = await get(carol, id, part);
      assert.deepEqual([status, body.error], [404, 'picture_unknown']);
      assert.equal((await service.call('GET', `/api/pictures/${id}${part}`)).status, 401);
    }
    const message = { n: 1, from: alice.id, cid: 'c1', body: '', picture };
    for (const [person, peer] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      const [{ at, ...item }] = await history(person, peer);
      assert.deepEqual(item, message);
      const sync = await service.get('/api/sync', { token: person.token });
      const { at: _, ...last } = sync.body.data.conversations[0].last;
      assert.deepEqual(last, message);
    }
  });

  test('a message takes only a picture of its sender that is whole and in no message', async (t) => {
    const { alice, bob, carol, upload, send, db, history, get } = await start(t);
    const { id } = await upload(alice);
    const word = async (from: Person, to: Person, cid: string, fields: object) => {
      const { status, body } = await send(from, to, cid, fields);
      return status === 200 ? body.data : [status, body.error];
    };
    const unknown = [400, 'picture_unknown'];
    assert.deepEqual(await word(bob, alice, 'c1', { picture: id }), unknown, 'of another user');
    assert.deepEqual(await word(alice, bob, 'c1', { picture: crypto.randomUUID() }), unknown);
    assert.deepEqual(await word(alice, bob, 'c1', {}), [400, 'invalid_field'], 'neither text nor picture');
    await db.run`update pictures set is_whole = 0 where id = ${id}`;
    assert.deepEqual(await word(alice, bob, 'c1', { picture: id }), unknown, 'not whole');
    assert.equal((await get(alice, id)).status, 404);
    await db.run`update pictures set is_whole = 1 where id = ${id}`;
    const { at: _, ...first } = await word(alice, bob, 'c1', { picture: id, body: 'look' });
    assert.deepEqual(first, { peer: bob.id, n: 1, duplicate: false });
    assert.deepEqual(await word(alice, carol, 'c2', { picture: id }), unknown, 'in a message');
    const { duplicate } = await word(alice, bob, 'c1', { picture: id, body: 'look' });
    assert.equal(duplicate, true, 'a repeat');
    const other = await upload(alice);
    for (const fields of [{ body: 'look' }, { body: 'look', picture: other.id }, { body: '', picture: id }])
      assert.deepEqual(await word(alice, bob, 'c1', fields), [400, 'cid_used']);
    assert.equal((await history(bob, alice)).length, 1);
    assert.equal((await get(carol, id)).status, 404);
  });

  test('of messages that claim a picture at once, over all nodes, one gets it', async (t) => {
    const { alice, bob, carol, upload, send, history } = await start(t);
    for (let round = 0; round < 4; round++) {
      const { id } = await upload(alice);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          send(alice, i % 2 ? bob : carol, `${round} ${i}`, { picture: id, body: 'a' }),
        ),
      );
      const words = answers.map(({ body }) => body.error ?? 'ok').sort();
      assert.deepEqual(words, ['ok', ...Array.from({ length: 7 }, () => 'picture_unknown')]);
      const all = [...(await history(bob, alice)), ...(await history(carol, alice))];
      assert.equal(all.filter(({ picture }) => picture?.id === id).length, 1);
      assert.equal(all.length, round + 1);
    }
  });

  test('an unsent picture is gone for both at once, its bytes with the next job, its row after a day', async (t) => {
    const { alice, bob, clock, upload, preview, send, unsend, get, history, runJob, stored } = await start(t);
    const { id } = await upload(alice, 300);
    await preview(alice, id);
    await send(alice, bob, 'c1', { picture: id, body: 'look' });
    assert.deepEqual(await stored(), [1, 3]);
    assert.equal((await unsend(alice, bob, 1)).status, 200);
    for (const person of [alice, bob])
      for (const part of ['', '/preview']) assert.equal((await get(person, id, part)).status, 404);
    const [{ picture, body, unsentAt }] = await history(bob, alice);
    assert.deepEqual([picture, body, typeof unsentAt], [undefined, '', 'number']);
    assert.equal((await preview(alice, id)).status, 404);
    await runJob();
    assert.deepEqual(await stored(), [1, 0], 'the row still counts for its day');
    assert.equal((await send(alice, bob, 'c1', { picture: id, body: 'look' })).body.data.duplicate, true);
    assert.equal((await send(alice, bob, 'c2', { picture: id })).body.error, 'picture_unknown');
    clock.add(DAY_MS);
    await runJob();
    assert.deepEqual(await stored(), [0, 0]);
  });

  test('what was not sent is removed a day after its upload, and with its account; what was sent stays', async (t) => {
    const { alice, bob, clock, upload, send, get, runJob, stored, db } = await start(t);
    const [old, sent] = [await upload(alice), await upload(alice)];
    clock.add(DAY_MS - 1);
    await upload(bob);
    await runJob();
    assert.equal((await send(alice, bob, 'c1', { picture: sent.id })).status, 200, 'the last moment');
    assert.deepEqual(await stored(), [3, 3]);
    clock.add(1);
    await runJob();
    assert.equal((await get(alice, old.id)).status, 404);
    assert.deepEqual(await stored(), [2, 2]);
    assert.equal((await send(alice, bob, 'c2', { picture: old.id })).body.error, 'picture_unknown');
    clock.add(-1); // the token of one day
    await db.transaction((tx) => deleteUser(tx, bob.id));
    await runJob();
    assert.deepEqual(await stored(), [2, 1]);
    assert.equal((await get(alice, sent.id)).status, 200);
  });

  test('a user uploads 100 MiB in any 24 hours, also what was unsent', async (t) => {
    const { alice, bob, clock, upload, send, unsend, db, service, runJob } = await start(t);
    const { id, size } = await upload(alice, 30);
    await db.run`update pictures set size = ${100 * KIB * KIB - 2 * size} where id = ${id}`;
    await send(alice, bob, 'c1', { picture: id });
    await unsend(alice, bob, 1);
    await runJob();
    await upload(alice, 30);
    const refused = () => service.call('POST', '/api/pictures', pictureCall(alice, pngOf(32)));
    const { status, body, headers } = await refused();
    assert.deepEqual([status, body.error, headers['retry-after']], [429, 'too_many_pictures', '86400']);
    const answers = await Promise.all(
      [0, 1].map(() => service.call('POST', '/api/pictures', pictureCall(alice, pngOf(30)))),
    );
    assert.deepEqual(answers.map((one) => one.status).sort(), [200, 429], 'parallel ones are counted');
    await upload(bob, 30);
    clock.add(DAY_MS);
    await upload(alice, 32);
  });
});
