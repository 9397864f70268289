import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOSTILE_PICTURES, SECRET, segment, TALKATIVE_PICTURES } from '../../../test/hostile-pictures.ts';
import { SAMPLES, type Sample } from '../../../test/picture-samples.ts';
import { ServiceError } from '../../errors.ts';
import { PICTURE_TYPES, type PictureType, rewritePicture } from './rewrite-picture.ts';

const BOUNDS = { maxBytes: 1024 * 1024, minPixels: 1, maxPixels: 2560 };
const samples = Object.entries<Sample>(SAMPLES);

function wordOf(type: PictureType, bytes: Buffer, bounds = BOUNDS): string | undefined {
  try {
    rewritePicture(type, bytes, bounds);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'invalid', String(error));
    return error.word;
  }
}

for (const type of PICTURE_TYPES)
  test(`${type}: hostile containers are refused`, () => {
    const hostile = Object.entries(HOSTILE_PICTURES[type]);
    assert.ok(hostile.length > 40, String(hostile.length));
    for (const [fault, bytes] of hostile) assert.equal(wordOf(type, bytes), 'picture_invalid', fault);
  });

test('what browsers and encoders make is taken, with its size as it is shown', () => {
  for (const [name, { type, bytes, width, height }] of samples) {
    const rewritten = rewritePicture(type, bytes, BOUNDS);
    assert.deepEqual([rewritten.width, rewritten.height], [width, height], name);
    assert.ok(rewritten.bytes.length <= bytes.length, name);
    for (const other of PICTURE_TYPES.filter((one) => one !== type))
      assert.equal(wordOf(other, bytes), 'picture_invalid', `${name} as ${other}`);
  }
});

test('a picture that was rewritten stays as it is', () => {
  for (const [name, { type, bytes }] of samples) {
    const { bytes: rewritten } = rewritePicture(type, bytes, BOUNDS);
    assert.deepEqual(rewritePicture(type, rewritten, BOUNDS).bytes, rewritten, name);
  }
});

test('no metadata is kept, wherever it was', () => {
  for (const type of PICTURE_TYPES) {
    const talkative = TALKATIVE_PICTURES[type];
    assert.ok(talkative.includes(SECRET));
    const { bytes, width } = rewritePicture(type, talkative, BOUNDS);
    assert.equal(width, 16, type);
    for (let length = 8; length < SECRET.length; length++)
      assert.ok(!bytes.includes(SECRET.slice(0, length)), type);
  }
  /** Degrees, minutes and seconds, each over 1. */
  const places = [true, false].map((isBig) => {
    const place = Buffer.alloc(24);
    for (const [i, value] of [52, 1, 31, 1, 12, 1].entries())
      if (isBig) place.writeUInt32BE(value, 4 * i);
      else place.writeUInt32LE(value, 4 * i);
    return place;
  });
  for (const { type, bytes } of [SAMPLES.cameraJpeg, SAMPLES.metadataWebp]) {
    const hasPlace = (some: Buffer) => places.some((place) => some.includes(place));
    assert.ok(hasPlace(bytes), `${type}: the sample has a place`);
    const rewritten = rewritePicture(type, bytes, BOUNDS).bytes;
    assert.ok(!hasPlace(rewritten), type);
    for (const text of ['Camera', 'hello', 'JFIF', 'XMP', 'ICC']) assert.ok(!rewritten.includes(text), text);
  }
});

test('what draws a picture is kept byte for byte, in its order', () => {
  for (const [name, { type, bytes }] of samples) {
    const { bytes: rewritten } = rewritePicture(type, bytes, BOUNDS);
    assert.ok(rewritten.length > 60, name);
    // The coded data is the longest part of each.
    const coded = { 'image/jpeg': '\xff\xda', 'image/png': 'IDAT', 'image/webp': 'VP8' }[type];
    const from = (some: Buffer) =>
      some.subarray(some.lastIndexOf(Buffer.from(coded, 'latin1'))).subarray(0, 60);
    assert.deepEqual(from(rewritten), from(bytes), name);
  }
});

test('a JPEG keeps its orientation and nothing else of EXIF', () => {
  const plain = rewritePicture('image/jpeg', SAMPLES.progressiveJpeg.bytes, BOUNDS).bytes;
  const rewrite = (exif: Buffer) => {
    const bytes = Buffer.concat([plain.subarray(0, 2), exif, plain.subarray(2)]);
    return rewritePicture('image/jpeg', bytes, BOUNDS);
  };
  for (const isBig of [true, false])
    for (const orientation of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xffff]) {
      const { bytes, width, height } = rewrite(exifOf(orientation, isBig));
      const kept = orientation > 1 && orientation <= 8 ? exifOf(orientation, true, false) : Buffer.alloc(0);
      const isTurned = orientation >= 5 && orientation <= 8;
      assert.deepEqual(bytes, Buffer.concat([plain.subarray(0, 2), kept, plain.subarray(2)]));
      assert.deepEqual([width, height], isTurned ? [16, 24] : [24, 16], String(orientation));
    }
});

/** APP1 with a directory, most or least significant byte first. */
function exifOf(orientation: number, isBig: boolean, hasMaker = true): Buffer {
  const tiff = Buffer.alloc(hasMaker ? 38 : 26);
  const uint16 = (value: number, at: number) =>
    isBig ? tiff.writeUInt16BE(value, at) : tiff.writeUInt16LE(value, at);
  const uint32 = (value: number, at: number) =>
    isBig ? tiff.writeUInt32BE(value, at) : tiff.writeUInt32LE(value, at);
  tiff.write(isBig ? 'MM' : 'II');
  uint16(42, 2);
  uint32(8, 4);
  uint16(hasMaker ? 2 : 1, 8);
  let at = 10;
  for (const [tag, type, value] of [...(hasMaker ? [[0x10f, 2, 0x4100]] : []), [0x112, 3, orientation]]) {
    uint16(tag ?? 0, at);
    uint16(type ?? 0, at + 2);
    uint32(1, at + 4);
    uint16(value ?? 0, at + 8);
    at += 12;
  }
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]));
}

test('bounds are judged by the size as it is shown, and by the bytes that came', () => {
  const { cameraJpeg, canvasPng } = SAMPLES;
  const word = ({ type, bytes }: Sample, bounds: object) => wordOf(type, bytes, { ...BOUNDS, ...bounds });
  assert.equal(word(cameraJpeg, { maxPixels: 24 }), undefined);
  assert.equal(word(cameraJpeg, { maxPixels: 23 }), 'picture_size');
  assert.equal(word(cameraJpeg, { minPixels: 16 }), undefined);
  assert.equal(word(cameraJpeg, { minPixels: 17 }), 'picture_size');
  assert.equal(word(cameraJpeg, { isSquare: true }), 'picture_size');
  assert.equal(word(canvasPng, { isSquare: true }), undefined);
  assert.equal(word(canvasPng, { maxBytes: canvasPng.bytes.length }), undefined);
  assert.equal(word(canvasPng, { maxBytes: canvasPng.bytes.length - 1 }), 'picture_too_large');
  assert.equal(word({ ...canvasPng, bytes: Buffer.alloc(BOUNDS.maxBytes + 1) }, {}), 'picture_too_large');
});

test('any change of a picture is refused, or makes one that stays as it is', () => {
  const change = fc.record({ at: fc.nat(), value: fc.nat(255), cut: fc.option(fc.nat(), { freq: 4 }) });
  fc.assert(
    fc.property(
      fc.constantFrom(...samples),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      ([, sample], changes) => {
        let bytes = Buffer.from(sample.bytes);
        for (const { at, value, cut } of changes) {
          bytes[at % bytes.length] = value;
          if (cut !== null)
            bytes = Buffer.concat([bytes.subarray(0, cut % bytes.length), bytes.subarray(at % bytes.length)]);
        }
        if (wordOf(sample.type, bytes) !== undefined) return;
        const rewritten = rewritePicture(sample.type, bytes, BOUNDS);
        assert.deepEqual(rewritePicture(sample.type, rewritten.bytes, BOUNDS), rewritten);
      },
    ),
    { numRuns: 3_000 },
  );
});
