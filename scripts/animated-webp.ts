/** A part of the picture that replaces what was there before, as a still WebP, and for how long it is shown. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly still: Buffer;
  readonly ms: number;
}

/** The chunks of a still with pixels; the others name colours and cameras. */
const PIXELS = new Set(['VP8 ', 'VP8L', 'ALPH']);
const ANIMATION_FLAG = 0x02;
const DO_NOT_BLEND = 0x02;

/**
 * An animated WebP that repeats, in the container of RFC 9649, section 2.7. The first frame has the size of the picture; the
 * coordinates of all others are even.
 */
export function animatedWebp(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (!first) throw new Error('an animation has frames');
  const extended = Buffer.alloc(10);
  extended[0] = ANIMATION_FLAG;
  extended.writeUIntLE(first.width - 1, 4, 3);
  extended.writeUIntLE(first.height - 1, 7, 3);
  const animation = Buffer.alloc(6); // a transparent background, endless repetition
  const parts = frames.map((frame) => chunk('ANMF', Buffer.concat([headOf(frame), pixelsOf(frame.still)])));
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', extended),
    chunk('ANIM', animation),
    ...parts,
  ]);
  return chunk('RIFF', body);
}

function headOf({ x, y, width, height, ms }: Frame): Buffer {
  const head = Buffer.alloc(16);
  for (const [i, value] of [x / 2, y / 2, width - 1, height - 1, ms].entries())
    head.writeUIntLE(value, i * 3, 3);
  head[15] = DO_NOT_BLEND;
  return head;
}

function pixelsOf(still: Buffer): Buffer {
  return Buffer.concat(
    chunksOf(still, 12)
      .filter(({ name }) => PIXELS.has(name))
      .map(({ name, body }) => chunk(name, body)),
  );
}

/** @param from where the first chunk begins */
export function chunksOf(bytes: Buffer, from: number): { name: string; body: Buffer }[] {
  const chunks = [];
  for (let at = from; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    chunks.push({ name: bytes.toString('latin1', at, at + 4), body: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size + (size % 2);
  }
  return chunks;
}

function chunk(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}
