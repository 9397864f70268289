import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { onEachDeployment } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { pngOf } from '../../test/pictures-of-noise.ts';
import { pictureCall, startPicturing } from '../../test/picturing.ts';
import { readInstallation } from '../nodes/installation.ts';
import { MessageCipher } from '../nodes/message-cipher.ts';

onEachDeployment('Limits of pictures in messages', (database) => {
  test('a picture has up to 1 MiB and 2,560 pixels a side; what is none is refused and stores nothing', async (t) => {
    const { service, alice, stored } = await startPicturing(t, database);
    const send = async (bytes: Buffer, type?: string) => {
      const { status, body } = await service.call('POST', '/api/pictures', pictureCall(alice, bytes, type));
      return status === 200 ? body.data.size : [status, body.error];
    };
    const padded = pngOf(1024, 1022); // 75 bytes of the container, and some in each of its blocks
    for (const bytes of [pngOf(1), pngOf(2560, 1), pngOf(1, 2560), padded])
      assert.equal(await send(bytes), bytes.length);
    const before = await stored();
    for (const [bytes, word, type] of [
      [pngOf(2561, 1), 'picture_size'],
      [pngOf(1, 2561), 'picture_size'],
      [pngOf(1024, 1025), 'picture_too_large'],
      [pngOf(20), 'picture_invalid', 'image/jpeg'],
      [pngOf(20).subarray(0, -1), 'picture_invalid'],
      [Buffer.alloc(0), 'picture_invalid'],
      [pngOf(20), 'picture_type', 'image/svg+xml'],
      [Buffer.from('{}'), 'picture_type', 'application/json'],
    ] as const)
      assert.deepEqual(await send(bytes, type), [400, word], `${word} ${type}`);
    assert.equal((await service.call('POST', '/api/pictures', { raw: pngOf(20) })).status, 401);
    assert.deepEqual(await stored(), before);
  });

  test('uploads count by RATE_LIMIT_PICTURES, without previews; reads count alone', async (t) => {
    const { service, alice, bob, preview, upload, get } = await startPicturing(t, database, {
      RATE_LIMIT_PICTURES: '2/1h',
      RATE_LIMIT_PICTURE_READS: '8/1m',
      RATE_LIMIT_API: '20/1m',
    });
    const { id } = await upload(alice);
    for (let i = 0; i < 3; i++) assert.equal((await preview(alice, id)).status, 200);
    await upload(alice);
    const third = await service.call('POST', '/api/pictures', pictureCall(alice, pngOf(20)));
    assert.deepEqual([third.status, third.body.error], [429, 'too_many_pictures']);
    assert.ok(Number(third.headers['retry-after']) > 0);
    await upload(bob);
    const reads = [];
    for (let i = 0; i < 14; i++) reads.push((await get(alice, id, i % 2 ? '/preview' : '')).status);
    const allowed = reads.filter((status) => status === 200).length;
    // Over several nodes up to a quarter more.
    assert.ok(allowed >= 8 && allowed <= (service.nodes.length === 1 ? 8 : 10), String(allowed));
    assert.equal(reads.at(-1), 429);
    const { headers, body } = await service.get('/api/options', { token: alice.token });
    assert.deepEqual([body.data.pictures, headers['ratelimit-policy']], [true, '"api";q=20;w=60']);
    const stranger = await service.call('GET', `/api/pictures/${id}`);
    assert.deepEqual([stranger.status, stranger.headers['ratelimit-policy']], [401, '"api";q=20;w=60']);
    assert.equal((await get(alice, id)).headers['ratelimit-policy'], '"pictureReads";q=8;w=60');
  });

  test('where several nodes run, no uploads are taken while one of an earlier version is a member', {
    skip: database.nodes === 1 && 'one server',
  }, async (t) => {
    const { service, db, alice, upload, send, bob, get } = await startPicturing(t, database);
    const { id } = await upload(alice);
    const [first] = service.nodes;
    const { log, nodes } = first?.services ?? {};
    assert.ok(nodes && log);
    const cipher = new MessageCipher(await readInstallation(db, log), service.services.clock, log);
    const say = (type: string, data: unknown) =>
      nodes.link.publish('all', cipher.encrypt('all', { type, n: 0, data }));
    const answers = () =>
      Promise.all(
        service.nodes.map(async (node) => {
          const { status, body } = await node.call('POST', '/api/pictures', pictureCall(alice, pngOf(20)));
          const options = (await node.get('/api/options')).body.data;
          return `${options.pictures} ${status} ${body.error}`;
        }),
      );
    say('heartbeat', { all: 0, own: {}, isAsking: false });
    const refused = Array.from(service.nodes, () => 'false 403 pictures_off');
    await eventually(async () => isDeepStrictEqual(await answers(), refused));
    assert.equal((await send(alice, bob, 'c1', { picture: id })).status, 200, 'what is there already');
    assert.equal((await get(bob, id)).status, 200);
    say('goodbye', null);
    const taken = Array.from(service.nodes, () => 'true 200 undefined');
    await eventually(async () => isDeepStrictEqual(await answers(), taken));
  });

  test('with PICTURES=off uploads are refused, and what is stored stays readable', async (t) => {
    const { service, alice, get, preview, db } = await startPicturing(t, database, { PICTURES: 'off' });
    await db.run`
      insert into pictures (id, owner_id, type, size, width, height, created_at, is_whole, remove_at)
      values ('p', ${alice.id}, 'image/png', 3, 1, 1, ${Date.now()}, 1, ${Date.now()})`;
    await db.run`insert into picture_pieces (id, part, piece, bytes) values ('p', 0, 0, ${Buffer.from('abc')})`;
    for (const answer of [
      await service.call('POST', '/api/pictures', pictureCall(alice, pngOf(20))),
      await preview(alice, 'p'),
    ])
      assert.deepEqual([answer.status, answer.body.error], [403, 'pictures_off']);
    assert.equal((await get(alice, 'p')).text, 'abc');
    assert.equal((await service.get('/api/options')).body.data.pictures, false);
  });
});
