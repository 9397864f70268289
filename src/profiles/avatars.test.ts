import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../../test/databases.ts';
import { type Person, startService, type TestService } from '../../test/harness.ts';
import { HOSTILE_PICTURES, pngOf, SECRET, TALKATIVE_PICTURES } from '../../test/hostile-pictures.ts';
import { REFUSED_SAMPLES, SAMPLES } from '../../test/picture-samples.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { PICTURE_TYPES, rewritePicture } from '../pictures/containers/rewrite-picture.ts';
import { AVATAR_BOUNDS } from './avatars.ts';

const { canvasJpeg, canvasPng, canvasWebp, alphaWebp, cameraJpeg } = SAMPLES;

onEachDeployment('pictures of users', (database) => {
  test('an upload is answered as an update of the profile, told to all devices, and served without metadata', async (t) => {
    const { service, alice, upload, read } = await start(t);
    for (const sample of [canvasJpeg, canvasPng, canvasWebp, alphaWebp]) {
      const { status, body } = await upload(alice, sample);
      assert.equal(status, 200);
      const update = await service.post('/api/user/profile', {}, { token: alice.token });
      assert.deepEqual(body, update.body);
      assert.match(body.data.avatar, /^\/media\/avatars\/[\w-]+$/);
      const { bytes } = rewritePicture(sample.type, sample.bytes, AVATAR_BOUNDS);
      const { statusCode, headers, rawPayload } = await read(body.data.avatar);
      assert.equal(statusCode, 200);
      assert.deepEqual(rawPayload, bytes);
      assert.deepEqual(
        [
          'content-type',
          'content-length',
          'cache-control',
          'content-security-policy',
          'x-content-type-options',
        ].map((name) => headers[name]),
        [
          sample.type,
          String(bytes.length),
          'public, max-age=31536000, immutable',
          "default-src 'none'; sandbox",
          'nosniff',
        ],
      );
      const head = await read(body.data.avatar, 'HEAD');
      assert.deepEqual([head.statusCode, head.rawPayload.length], [200, 0]);
      const events = await service.services.db.all<{ event: string; data: string }>`
        select event, data from inbox where user_id = ${alice.id} order by seq desc limit 1`;
      assert.deepEqual(
        events.map(({ event, data }) => [event, JSON.parse(data).avatar]),
        [['profile', body.data.avatar]],
      );
      const shown = await service.get(`/api/user/profile/${alice.id}`);
      assert.equal(shown.body.data.avatar, body.data.avatar);
    }
  });

  test('what is refused is not stored, and changes nothing', async (t) => {
    const { service, alice, upload, stored } = await start(t);
    const word = async (type: string, bytes: Buffer) => {
      const { status, body } = await upload(alice, { type, bytes });
      assert.equal(status, 400);
      return body.error;
    };
    for (const type of PICTURE_TYPES)
      for (const [fault, bytes] of Object.entries(HOSTILE_PICTURES[type]))
        assert.equal(await word(type, bytes), 'picture_invalid', `${type}: ${fault}`);
    assert.equal(await word('image/jpeg', cameraJpeg.bytes), 'picture_size');
    assert.equal(await word('image/webp', REFUSED_SAMPLES.animatedWebp), 'picture_invalid');
    for (const type of ['application/json', 'image/svg+xml', 'image/gif', 'text/html'])
      assert.equal(await word(type, canvasPng.bytes), 'picture_type', type);
    const large = Buffer.concat([canvasPng.bytes, Buffer.alloc(AVATAR_BOUNDS.maxBytes)]);
    assert.equal(await word('image/png', large), 'picture_too_large');
    for (const side of [15, 513, 0x7fffffff])
      assert.equal(await word('image/png', pngOf(side, side)), 'picture_size');
    assert.equal(await word('image/png', pngOf(16, 17)), 'picture_size');
    assert.deepEqual(await stored(), []);
    for (const side of [16, 512])
      assert.equal((await upload(alice, { type: 'image/png', bytes: pngOf(side, side) })).status, 200);
    const sent = await service.post('/api/user/avatar', { avatar: '/a.png' }, { token: alice.token });
    assert.deepEqual([sent.status, sent.body.error], [400, 'picture_type']);
    const { length } = await stored();
    for (const headers of [{}, { authorization: 'Bearer x' }] as Record<string, string>[]) {
      const answer = await service.post('/api/user/avatar', undefined, {
        raw: canvasPng.bytes,
        headers: { 'content-type': 'image/png', ...headers },
      });
      assert.equal(answer.status, 401);
    }
    assert.equal((await stored()).length, length);
  });

  test('no stored byte is of the metadata of a picture', async (t) => {
    const { alice, upload, stored } = await start(t);
    for (const type of PICTURE_TYPES) {
      assert.equal((await upload(alice, { type, bytes: TALKATIVE_PICTURES[type] })).status, 200);
      for (const bytes of await stored()) assert.ok(!Buffer.from(bytes).includes(SECRET.slice(0, 8)), type);
    }
  });

  test('the picture before the last one stays for lists that name it, earlier ones are removed', async (t) => {
    const { alice, bob, upload, read, set, stored } = await start(t);
    const ofBob = (await upload(bob)).body.data.avatar;
    const names: string[] = [];
    for (let i = 0; i < 4; i++) names.push((await upload(alice)).body.data.avatar);
    const codes = () => Promise.all([...names, ofBob].map(async (name) => (await read(name)).statusCode));
    assert.deepEqual(await codes(), [404, 404, 200, 200, 200]);
    await set(alice, { bio: 'b', avatar: names[3] });
    assert.deepEqual(await codes(), [404, 404, 200, 200, 200], 'it names the same picture');
    await set(alice, { avatar: names[2] });
    assert.deepEqual(await codes(), [404, 404, 200, 404, 200], 'a device sets the one before again');
    await set(alice, { avatar: 'https://example.org/a.png' });
    assert.deepEqual(await codes(), [404, 404, 404, 404, 200]);
    const last = (await upload(alice)).body.data.avatar;
    await set(alice, { avatar: '' });
    assert.equal((await read(last)).statusCode, 404);
    await set(alice, { avatar: ofBob });
    await set(alice, { avatar: '' });
    assert.equal((await read(ofBob)).statusCode, 200, 'no one removes pictures of others');
    assert.equal((await stored()).length, 1);
  });

  test('uploads at the same moment leave the last picture and one before it', async (t) => {
    const { service, alice, upload, stored } = await start(t);
    const answers = await Promise.all([upload(alice), upload(alice)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const { body } = await service.post('/api/user/profile', {}, { token: alice.token });
    assert.ok(answers.some((answer) => answer.body.data.avatar === body.data.avatar));
    assert.equal((await stored()).length, 2);
  });

  test('a deleted account has no pictures', async (t) => {
    const { service, alice, bob, upload, read, stored } = await start(t);
    const names = [await upload(alice), await upload(alice), await upload(bob)].map(
      ({ body }) => body.data.avatar,
    );
    await service.services.db.transaction((tx) => deleteUser(tx, alice.id));
    assert.deepEqual(
      await Promise.all(names.map(async (name) => (await read(name)).statusCode)),
      [404, 404, 200],
    );
    assert.equal((await stored()).length, 1);
  });

  test('a picture that does not exist is 404, whatever its id', async (t) => {
    const { read } = await start(t);
    for (const id of ['x', '', '..', '%2e%2e%2fa', `${'a'.repeat(5_000)}`, "'", '%00']) {
      const { statusCode, headers } = await read(`/media/avatars/${id}`);
      assert.ok([400, 404].includes(statusCode), `${id}: ${statusCode}`);
      assert.match(String(headers['content-type']), /^application\/json/);
    }
  });

  test('RATE_LIMIT_PICTURES counts the uploads of each user', async (t) => {
    const { alice, bob, upload } = await start(t, '2/1h');
    for (const [person, expected] of [
      [alice, 200],
      [alice, 200],
      [bob, 200],
    ] as const)
      assert.equal((await upload(person)).status, expected);
    const answers = [];
    // Over several nodes a bounded limit may admit a little more.
    for (let i = 0; i < 4; i++) answers.push(await upload(alice));
    const refused = answers.at(-1);
    assert.deepEqual([refused?.status, refused?.body.error], [429, 'too_many_pictures']);
    assert.ok(Number(refused?.headers['retry-after']) > 3_500);
    assert.equal((await upload(bob)).status, 200);
  });

  async function start(t: Parameters<typeof startService>[0], limit = 'off') {
    const service = await startService(t, database, { env: { RATE_LIMIT_PICTURES: limit } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    return {
      service,
      alice,
      bob,
      upload: ({ token }: Person, { type, bytes }: { type: string; bytes: Buffer } = canvasPng) =>
        service.post('/api/user/avatar', undefined, { token, raw: bytes, headers: { 'content-type': type } }),
      read: readerOf(service),
      set: async ({ token }: Person, fields: object) =>
        assert.equal((await service.post('/api/user/profile', fields, { token })).status, 200),
      stored: async () =>
        (await service.services.db.all<{ bytes: Uint8Array }>`select bytes from avatars`).map(
          ({ bytes }) => bytes,
        ),
    };
  }
});

/** Reads a file, each time from the next node. */
function readerOf({ nodes }: TestService) {
  let next = 0;
  return (url: string, method: 'GET' | 'HEAD' = 'GET') => {
    const node = nodes[next++ % nodes.length];
    if (!node) throw new Error('no node');
    return node.app.inject({ method, url });
  };
}
