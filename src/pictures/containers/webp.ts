import { cut, expect, MAX_PARTS, type Rewritten } from './container.ts';

/** Flags of the extended header. */
const [ANIMATION, ALPHA] = [0x02, 0x10];

/**
 * Keeps the picture and its transparency. The extended header stays only where transparency has a chunk of its own, and then announces
 * nothing else: a lossless picture has its transparency inside.
 */
export function rewriteWebp(bytes: Buffer): Rewritten {
  const chunks = readChunks(bytes);
  const [extended, alpha, lossy] = [chunks.get('VP8X'), chunks.get('ALPH'), chunks.get('VP8 ')];
  const lossless = chunks.get('VP8L') ?? Buffer.alloc(0);
  const size = lossy ? sizeOfLossy(lossy) : sizeOfLossless(lossless);
  if (extended) {
    expect(extended.length === 10 && (extended.readUInt8(0) & ANIMATION) === 0);
    expect(extended.readUIntLE(4, 3) + 1 === size.width && extended.readUIntLE(7, 3) + 1 === size.height);
  }
  const kept = [lossy ? chunkOf('VP8 ', lossy) : chunkOf('VP8L', lossless)];
  if (alpha) {
    expect(extended !== undefined && lossy !== undefined);
    const header = Buffer.concat([Buffer.of(ALPHA, 0, 0, 0), extended.subarray(4)]);
    kept.unshift(chunkOf('VP8X', header), chunkOf('ALPH', alpha));
  }
  return { bytes: chunkOf('RIFF', Buffer.concat([Buffer.from('WEBP'), ...kept])), ...size };
}

/** By name. Chunks that are not known are left out, as readers ignore them. */
function readChunks(bytes: Buffer): Map<string, Buffer> {
  const nameAt = (at: number) => cut(bytes, at, 4).toString('latin1');
  expect(nameAt(0) === 'RIFF' && nameAt(8) === 'WEBP' && bytes.readUInt32LE(4) + 8 === bytes.length);
  const chunks = new Map<string, Buffer>();
  let order = '';
  for (let [at, parts] = [12, 1]; at < bytes.length; parts++) {
    expect(parts <= MAX_PARTS);
    const [name, length] = [nameAt(at), bytes.readUInt32LE(at + 4)];
    expect(name !== 'ANIM' && name !== 'ANMF');
    const padded = cut(bytes, at + 8, length + (length % 2));
    at += 8 + padded.length;
    if (!/^(?:VP8[ LX]|ALPH)$/.test(name)) continue;
    chunks.set(name, padded.subarray(0, length));
    order += name;
  }
  expect(/^(?:VP8X)?(?:ALPH)?VP8[ L]$/.test(order));
  return chunks;
}

function chunkOf(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8, name, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A key frame that is shown (RFC 6386, 9.1). Two bits of each side only tell how to scale it, which no browser does. */
function sizeOfLossy(data: Buffer): { width: number; height: number } {
  const tag = data.readUIntLE(0, 3);
  const [isKeyFrame, version, isShown] = [(tag & 1) === 0, (tag >> 1) & 7, (tag & 16) !== 0];
  expect(isKeyFrame && version <= 3 && isShown && 10 + (tag >> 5) <= data.length);
  expect(data.readUIntBE(3, 3) === 0x9d012a);
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** RFC 9649, 3.4: a signature, 14 bits of each side less 1, whether there is transparency, and the version. */
function sizeOfLossless(data: Buffer): { width: number; height: number } {
  const bits = data.readUInt32LE(1);
  expect(data.readUInt8(0) === 0x2f && bits >>> 29 === 0);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
