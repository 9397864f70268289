import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avatarUrl } from 'doorman-client';
import { onSqlite } from '../databases.ts';
import { SAMPLES } from '../picture-samples.ts';
import { Device, join } from './device.ts';
import { serve } from './serving.ts';

onSqlite('A picture by the kit', (database) => {
  test('is uploaded, told to all devices, and found at the address of the service', async (t) => {
    const service = await serve(t, database);
    const alice = await join(t, service.url, 'alice');
    const other = await (await new Device(t, service.url).signIn('alice')).connect();
    for (const { type, bytes } of [SAMPLES.canvasWebp, SAMPLES.canvasJpeg]) {
      const own = await alice.doorman.api.uploadAvatar(new Blob([Buffer.from(bytes)], { type }));
      for (const device of [alice, other])
        await device.first('profile', ({ avatar }) => avatar === own.avatar);
      const answer = await fetch(avatarUrl(own.avatar, service.url) ?? '');
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type]);
    }
  });

  test('is refused by its type, its content and its size, each with a word', async (t) => {
    const service = await serve(t, database);
    const { doorman } = await new Device(t, service.url).signUp('alice');
    const upload = (bytes: Buffer, type: string) =>
      doorman.api.uploadAvatar(new Blob([Buffer.from(bytes)], { type }));
    const { bytes } = SAMPLES.canvasPng;
    await assert.rejects(upload(bytes, 'image/svg+xml'), { code: 400, error: 'picture_type' });
    await assert.rejects(upload(bytes, ''), { code: 400, error: 'picture_type' });
    await assert.rejects(upload(bytes, 'image/webp'), { code: 400, error: 'picture_invalid' });
    await assert.rejects(upload(SAMPLES.cameraJpeg.bytes, 'image/jpeg'), {
      code: 400,
      error: 'picture_size',
    });
    await assert.rejects(upload(Buffer.alloc(65_537), 'image/png'), {
      code: 400,
      error: 'picture_too_large',
    });
  });
});
