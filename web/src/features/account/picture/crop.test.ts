import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inside, largestCrop, MAX_ZOOM, moved, sidesOf, squareOf } from './crop.ts';

const WIDE = { width: 400, height: 200 };

test('the first square is the largest one, in the middle', () => {
  assert.deepEqual(squareOf(WIDE, largestCrop(WIDE)), { x: 100, y: 0, width: 200, height: 200 });
  const tall = { width: 30, height: 100 };
  assert.deepEqual(squareOf(tall, largestCrop(tall)), { x: 0, y: 35, width: 30, height: 30 });
});

test('a square never leaves the picture, however far it is moved and zoomed', () => {
  for (const zoom of [-1, 0.5, 1, 2, 3.7, 100])
    for (const [x, y] of [
      [-1_000, -1_000],
      [1_000, 1_000],
      [0, 200],
      [200, 100],
    ] as const) {
      const crop = inside(WIDE, { zoom, x, y });
      const { x: left, y: top, width, height } = squareOf(WIDE, crop);
      assert.ok(left >= 0 && top >= 0 && left + width <= 400 && top + height <= 200, JSON.stringify(crop));
      assert.ok(crop.zoom >= 1 && crop.zoom <= MAX_ZOOM);
    }
});

test('it moves by parts of what is shown, up to the edge', () => {
  const crop = inside(WIDE, { zoom: 2, x: 200, y: 100 });
  assert.deepEqual(moved(WIDE, crop, 0.1, -0.2), { zoom: 2, x: 210, y: 80 });
  assert.deepEqual(moved(WIDE, crop, 9, 9), { zoom: 2, x: 350, y: 150 });
});

test('a picture is encoded in its own size, at most 512 and at least 16 pixels, and smaller if that is too large', () => {
  assert.deepEqual(sidesOf(WIDE, largestCrop(WIDE)), [200, 150, 100, 50]);
  const photo = { width: 4000, height: 3000 };
  assert.deepEqual(sidesOf(photo, largestCrop(photo)), [512, 384, 256, 128]);
  const icon = { width: 8, height: 9 };
  assert.deepEqual(sidesOf(icon, largestCrop(icon)), [16, 16, 16, 16]);
});
