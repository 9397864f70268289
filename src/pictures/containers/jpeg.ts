import { cut, expect, MAX_PARTS, type Rewritten } from './container.ts';

/** ITU-T T.81, table B.1. */
const SOI = Buffer.of(0xff, 0xd8);
const [DHT, EOI, SOS, DQT, DRI] = [0xc4, 0xd9, 0xda, 0xdb, 0xdd];
const [APP0, APP1, APP14, APP15, COM] = [0xe0, 0xe1, 0xee, 0xef, 0xfe];
/** The frames that browsers draw: baseline, extended and progressive. */
const [SOF0, SOF2] = [0xc0, 0xc2];
const EXIF = 'Exif\0\0';
/** The tag of EXIF, and the type of its value. */
const [ORIENTATION, SHORT] = [0x112, 3];
/** Encoders make some ten. Each is decoded over the whole picture, so thousands would keep a browser busy. */
const MAX_SCANS = 100;

/**
 * Keeps tables, frame and scans, and of EXIF the orientation. Colours are read as a browser reads those of a picture without APP
 * segments, so one whose colours depend on them is refused: RGB, and four components.
 */
export function rewriteJpeg(bytes: Buffer): Rewritten {
  const kept: Buffer[] = [];
  let frame: Buffer | undefined;
  let [scans, orientation, isRgb] = [0, 0, false];
  expect(cut(bytes, 0, 2).equals(SOI));
  let at = 2;
  for (let parts = 1; ; parts++) {
    expect(bytes.readUInt8(at) === 0xff && parts <= MAX_PARTS);
    while (bytes.readUInt8(at + 1) === 0xff) at++; // fill bytes
    const marker = bytes.readUInt8(at + 1);
    if (marker === EOI) break;
    const segment = cut(bytes, at, 2 + bytes.readUInt16BE(at + 2));
    const content = segment.subarray(4);
    const start = at;
    at += segment.length;
    if (marker === COM || (marker >= APP0 && marker <= APP15)) {
      if (marker === APP1 && content.toString('latin1', 0, 6) === EXIF)
        orientation ||= readOrientation(content.subarray(6));
      if (marker === APP14 && content.toString('latin1', 0, 5) === 'Adobe')
        isRgb ||= content.readUInt8(11) === 0;
      continue;
    }
    if (marker >= SOF0 && marker <= SOF2) {
      expect(frame === undefined);
      frame = content;
      checkFrame(frame);
    } else if (marker === SOS) {
      expect(frame !== undefined && ++scans <= MAX_SCANS);
      const components = content.readUInt8(0);
      expect(components > 0 && components <= frame.readUInt8(5) && content.length === 4 + 2 * components);
      at = findScanEnd(bytes, at);
    } else expect(isTable(marker, content));
    kept.push(bytes.subarray(start, at));
  }
  expect(frame !== undefined && scans > 0 && at + 2 === bytes.length && !(isRgb && frame.readUInt8(5) === 3));
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)];
  if (orientation > 1) kept.unshift(orientationSegment(orientation));
  return {
    bytes: Buffer.concat([SOI, ...kept, bytes.subarray(at)]),
    ...(orientation >= 5 ? { width: height, height: width } : { width, height }),
  };
}

/** Precision, height, width, number of components, and three bytes for each. */
function checkFrame(frame: Buffer): void {
  const components = frame.readUInt8(5);
  expect(frame.readUInt8(0) === 8 && frame.readUInt16BE(1) > 0 && frame.readUInt16BE(3) > 0);
  expect((components === 1 || components === 3) && frame.length === 6 + 3 * components);
  expect(components === 1 || [6, 9, 12].some((at, i) => frame.readUInt8(at) !== 'RGB'.charCodeAt(i)));
}

/** The first byte of the marker behind the coded data. Inside, 0xff stands before 0 or a restart marker. */
function findScanEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new RangeError('a scan without an end');
}

/** Tables that fill their segment, so that nothing else travels in it. */
function isTable(marker: number, content: Buffer): boolean {
  if (marker === DRI) return content.length === 2;
  let at = 0;
  if (marker === DQT) while (at < content.length) at += content.readUInt8(at) < 0x10 ? 65 : 129;
  else if (marker === DHT)
    while (at < content.length) at += 17 + cut(content, at + 1, 16).reduce((sum, count) => sum + count, 0);
  return at > 0 && at === content.length;
}

/** @returns 0 if it names none @throws {RangeError} on a broken directory */
function readOrientation(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const uint16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let i = 0; i < uint16(directory); i++) {
    const entry = directory + 2 + 12 * i;
    if (uint16(entry) !== ORIENTATION || uint16(entry + 2) !== SHORT) continue;
    const orientation = uint16(entry + 8);
    return orientation <= 8 ? orientation : 0;
  }
  return 0;
}

/** APP1 with a directory of one entry, most significant byte first. */
function orientationSegment(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return Buffer.concat([Buffer.of(0xff, APP1, 0, 34), Buffer.from(EXIF, 'latin1'), tiff]);
}
