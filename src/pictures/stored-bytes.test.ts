import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { HOSTILE_PICTURES, SECRET, TALKATIVE_PICTURES } from '../../test/hostile-pictures.ts';
import { SAMPLES } from '../../test/picture-samples.ts';
import { pictureCall, startPicturing } from '../../test/picturing.ts';

onEachDatabase('What is stored of an uploaded picture', (database) => {
  test('of hostile containers nothing, neither as a picture nor as a preview', async (t) => {
    const { service, alice, preview, upload, stored } = await startPicturing(t, database);
    const { id } = await upload(alice);
    for (const [type, pictures] of Object.entries(HOSTILE_PICTURES)) {
      assert.ok(Object.keys(pictures).length >= 20, type);
      for (const [name, bytes] of Object.entries(pictures))
        for (const path of ['/api/pictures', `/api/pictures/${id}/preview`]) {
          const { status, body } = await service.call('POST', path, pictureCall(alice, bytes, type));
          assert.equal(status, 400, `${type} ${name}`);
          assert.match(body.error, /^picture_(?:invalid|size|too_large)$/, `${type} ${name}`);
        }
    }
    assert.deepEqual(await stored(), [1, 1]);
    assert.equal((await preview(alice, id)).status, 200);
  });

  test('no metadata: no place, no comment; a picture that lies on its side has the size in which it is shown', async (t) => {
    const { service, db, alice, get } = await startPicturing(t, database);
    for (const [type, bytes] of Object.entries(TALKATIVE_PICTURES)) {
      assert.ok(bytes.includes(SECRET.slice(0, 8)));
      const { body } = await service.call('POST', '/api/pictures', pictureCall(alice, bytes, type));
      const { id } = body.data;
      assert.equal(
        (await service.call('POST', `/api/pictures/${id}/preview`, pictureCall(alice, bytes, type))).status,
        200,
      );
      for (const part of ['', '/preview']) {
        const answer = await get(alice, id, part);
        assert.deepEqual([answer.status, answer.headers['content-type']], [200, type]);
      }
    }
    const pieces = await db.all<{ bytes: Uint8Array }>`select bytes from picture_pieces`;
    assert.equal(pieces.length, 6);
    for (const { bytes } of pieces) assert.ok(!Buffer.from(bytes).includes(SECRET.slice(0, 8)));

    const { type, width, height, bytes } = SAMPLES.cameraJpeg;
    const { body } = await service.call('POST', '/api/pictures', pictureCall(alice, bytes, type));
    assert.deepEqual([body.data.width, body.data.height], [width, height]);
    assert.ok(body.data.size < bytes.length);
  });
});
