import { crc32 } from 'node:zlib';
import { cut, expect, MAX_PARTS, type Rewritten } from './container.ts';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Kinds of colour, each with the bits that a sample may have (PNG, table 11.1). */
const COLOURS = /^(?:0:(?:1|2|4|8|16)|3:(?:1|2|4|8)|[246]:(?:8|16))$/;

/** Keeps header, palette, transparency and data; every checksum is compared. */
export function rewritePng(bytes: Buffer): Rewritten {
  expect(cut(bytes, 0, 8).equals(SIGNATURE));
  const kept: Buffer[] = [SIGNATURE];
  const data = new Map<string, Buffer>();
  let [at, type, order] = [8, '', ''];
  for (let parts = 1; type !== 'IEND'; parts++) {
    expect(parts <= MAX_PARTS);
    const length = bytes.readUInt32BE(at);
    const chunk = cut(bytes, at, 12 + length);
    type = chunk.toString('latin1', 4, 8);
    expect(crc32(chunk.subarray(4, 8 + length)) === chunk.readUInt32BE(8 + length));
    expect(/^[A-Za-z]{4}$/.test(type) && !/^(?:acTL|fcTL|fdAT)$/.test(type));
    at += chunk.length;
    if (/^(?:IHDR|PLTE|tRNS|IDAT|IEND)$/.test(type)) {
      kept.push(chunk);
      data.set(type, chunk.subarray(8, 8 + length));
      order += type;
    } else expect(/^[a-z]/.test(type)); // not needed to draw it
  }
  expect(/^IHDR(?:PLTE)?(?:tRNS)?(?:IDAT)+IEND$/.test(order) && at === bytes.length);
  const header = data.get('IHDR');
  expect(header !== undefined && header.length === 13 && data.get('IEND')?.length === 0);
  const [depth, colour] = [header.readUInt8(8), header.readUInt8(9)];
  expect(COLOURS.test(`${colour}:${depth}`) && header.readUInt16BE(10) === 0 && header.readUInt8(12) <= 1);
  expect(
    isPalette(colour, depth, data.get('PLTE')) && isTransparency(colour, data.get('tRNS'), data.get('PLTE')),
  );
  return { bytes: Buffer.concat(kept), width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
}

function isPalette(colour: number, depth: number, palette: Buffer | undefined): boolean {
  const isIndexed = colour === 3;
  if (!palette) return !isIndexed;
  const most = 3 * 2 ** (isIndexed ? depth : 8);
  return (
    colour > 1 && colour !== 4 && palette.length > 0 && palette.length % 3 === 0 && palette.length <= most
  );
}

function isTransparency(colour: number, data: Buffer | undefined, palette: Buffer | undefined): boolean {
  if (!data) return true;
  if (colour === 3) return data.length <= (palette?.length ?? 0) / 3;
  return data.length === { 0: 2, 2: 6 }[colour];
}
