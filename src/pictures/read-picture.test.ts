import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { pngOf } from '../../test/pictures-of-noise.ts';
import { startPicturing } from '../../test/picturing.ts';
import { PictureReader } from './read-picture.ts';

const UNKNOWN = { word: 'picture_unknown' };

onEachDatabase('The pictures that were read last', (database) => {
  test('are kept with their bytes alone: who may read is asked each time', async (t) => {
    const { db, alice, bob, carol, upload, send, unsend } = await startPicturing(t, database);
    const reader = new PictureReader(db);
    const [first, second] = [await upload(alice), await upload(alice)];
    for (const { id } of [first, second]) await send(alice, bob, id, { picture: id });
    const read = await reader.read(bob.id, first.id, 'picture');
    assert.equal(read.size, first.size);
    await db.run`delete from picture_pieces`;
    assert.deepEqual(await reader.read(alice.id, first.id, 'picture'), read);
    await assert.rejects(reader.read(alice.id, second.id, 'picture'), UNKNOWN, 'it was not read before');
    await assert.rejects(reader.read(alice.id, first.id, 'preview'), UNKNOWN, 'it has none');
    await assert.rejects(reader.read(carol.id, first.id, 'picture'), UNKNOWN);
    await unsend(alice, bob, 1);
    for (const { id } of [alice, bob]) await assert.rejects(reader.read(id, first.id, 'picture'), UNKNOWN);
  });

  test('are none that were not sent, whose preview may be replaced', async (t) => {
    const { db, alice, bob, upload, preview, send } = await startPicturing(t, database);
    const reader = new PictureReader(db);
    const { id } = await upload(alice);
    const sizes: number[] = [];
    for (const pixels of [10, 20]) {
      await preview(alice, id, pngOf(pixels));
      sizes.push((await reader.read(alice.id, id, 'preview')).size);
    }
    assert.notEqual(sizes[0], sizes[1]);
    await send(alice, bob, 'c1', { picture: id });
    assert.equal((await reader.read(bob.id, id, 'preview')).size, sizes[1]);
  });

  test('have a limit of bytes: the one that was read longest ago goes first', async (t) => {
    const { db, alice, bob, upload, send } = await startPicturing(t, database);
    const pictures = [await upload(alice), await upload(alice), await upload(alice)];
    for (const { id } of pictures) await send(alice, bob, id, { picture: id });
    const [a = '', b = '', c = ''] = pictures.map(({ id }) => id);
    const reader = new PictureReader(db, 2 * Math.max(...pictures.map(({ size }) => size)));
    for (const id of [a, b, a, c]) await reader.read(bob.id, id, 'picture');
    await db.run`delete from picture_pieces`;
    const isKept = (id: string) =>
      reader.read(bob.id, id, 'picture').then(
        () => true,
        () => false,
      );
    assert.deepEqual([await isKept(a), await isKept(b), await isKept(c)], [true, false, true]);
  });
});
