import { crc32 } from 'node:zlib';
import type { PictureType } from '../src/pictures/containers/rewrite-picture.ts';
import { REFUSED_SAMPLES, SAMPLES } from './picture-samples.ts';

/** What must not be stored, as text of a container. */
export const SECRET = 'GPSLatitude 52.5200 GPSLongitude 13.4050';
const secret = Buffer.from(SECRET);

const HTML = Buffer.from('<script>alert(1)</script>');

// JPEG

const [EOI, AC] = [Buffer.of(0xff, 0xd9), 0xc4];

export function segment(marker: number, content: Uint8Array): Buffer {
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** The start, its segments with the coded data behind that of the scan, by their markers. */
function partsOfJpeg(bytes: Buffer): Map<number, Buffer> {
  const parts = new Map<number, Buffer>();
  for (let at = 2; ; ) {
    const marker = bytes.readUInt8(at + 1);
    const end = marker === 0xda ? bytes.length - 2 : at + 2 + bytes.readUInt16BE(at + 2);
    parts.set(marker, Buffer.concat([parts.get(marker) ?? Buffer.alloc(0), bytes.subarray(at, end)]));
    if (marker === 0xda) return parts;
    at = end;
  }
}

const jpeg = (...parts: Uint8Array[]) => Buffer.concat([Buffer.of(0xff, 0xd8), ...parts, EOI]);
const ofJpeg = partsOfJpeg(SAMPLES.canvasJpeg.bytes);
const [tables, frame, huffman, scan] = [0xdb, 0xc0, AC, 0xda].map(
  (marker) => ofJpeg.get(marker) ?? Buffer.alloc(0),
) as [Buffer, Buffer, Buffer, Buffer]; // four markers
const content = (part: Buffer) => part.subarray(4);
/** A copy of the frame with other bytes from there on. */
const frameWith = (at: number, ...values: number[]) => patched(frame, 4 + at, ...values);
const withFrame = (other: Buffer) => jpeg(tables, other, huffman, scan);
const before = (...parts: Uint8Array[]) => jpeg(...parts, tables, frame, huffman, scan);
const whole = before();

const HOSTILE_JPEG: Record<string, Buffer> = {
  'nothing but the start': Buffer.of(0xff, 0xd8),
  'no start': whole.subarray(2),
  'another start': patched(whole, 1, 0xd7),
  'no end': whole.subarray(0, -2),
  'half of it': whole.subarray(0, whole.length / 2),
  'a byte behind the end': Buffer.concat([whole, Buffer.of(0)]),
  'a page behind the end': Buffer.concat([whole, HTML]),
  'two pictures': Buffer.concat([whole, whole]),
  'a page before it': Buffer.concat([HTML, whole]),
  'a page between segments': before(HTML),
  'a segment that is longer than the file': before(Buffer.of(0xff, 0xfe, 0xff, 0xff)),
  'a segment of length 0': before(Buffer.of(0xff, 0xfe, 0, 0)),
  'a segment of length 1': before(Buffer.of(0xff, 0xfe, 0, 1)),
  'no frame': jpeg(tables, huffman, scan),
  'two frames': before(frame),
  'a scan before the frame': jpeg(tables, huffman, scan, frame, scan),
  'no scan': jpeg(tables, frame, huffman),
  'more scans than any encoder makes': jpeg(tables, frame, huffman, ...Array(101).fill(scan)),
  'more segments than any encoder makes': before(...Array(4_000).fill(segment(0xfe, Buffer.alloc(0)))),
  'a scan of no component': jpeg(tables, frame, huffman, segment(0xda, Buffer.of(0, 0, 63, 0))),
  'a scan of more components than there are': jpeg(
    tables,
    frame,
    huffman,
    segment(0xda, Buffer.of(4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)),
  ),
  'a scan with more than its head': jpeg(
    tables,
    frame,
    huffman,
    segment(0xda, Buffer.of(1, 1, 0, 0, 63, 0, 0)),
  ),
  'four components': REFUSED_SAMPLES.cmykJpeg,
  'two components': withFrame(segment(0xc0, Buffer.of(8, 0, 16, 0, 16, 2, 1, 17, 0, 2, 17, 0))),
  'more components than the frame has': withFrame(frameWith(5, 4)),
  'RGB by its names': withFrame(patched(frame, 10, 82, 17, 0, 71, 17, 0, 66)),
  'RGB by a segment of Adobe': before(segment(0xee, Buffer.from('Adobe\0\x64\0\0\0\0\0', 'latin1'))),
  'a segment of Adobe that ends early': before(segment(0xee, Buffer.from('Adobe'))),
  'twelve bits': withFrame(frameWith(0, 12)),
  'a height of 0': withFrame(frameWith(1, 0, 0)),
  'a width of 0': withFrame(frameWith(3, 0, 0)),
  'a frame without its size': withFrame(segment(0xc0, Buffer.of(8))),
  'a frame with text': withFrame(segment(0xc0, Buffer.concat([content(frame), secret]))),
  'a lossless frame': withFrame(patched(frame, 1, 0xc3)),
  'a frame of arithmetic coding': withFrame(patched(frame, 1, 0xc9)),
  'a height that comes later': jpeg(tables, frame, huffman, scan, segment(0xdc, Buffer.of(0, 16))),
  'a reserved marker': before(segment(0xf0, secret)),
  'a restart outside of a scan': before(Buffer.of(0xff, 0xd0)),
  'text behind a quantization table': before(
    segment(0xdb, Buffer.concat([content(tables).subarray(0, 65), secret])),
  ),
  'text behind a Huffman table': before(segment(AC, Buffer.concat([Buffer.alloc(17), secret]))),
  'a Huffman table that ends early': before(segment(AC, Buffer.of(0, ...Array(16).fill(255)))),
  'no table in a segment of tables': before(segment(0xdb, Buffer.alloc(0))),
  'text behind a restart interval': before(segment(0xdd, Buffer.concat([Buffer.of(0, 0), secret]))),
  'EXIF whose directory is outside': before(
    segment(0xe1, Buffer.from('Exif\0\0II*\0\xff\xff\xff\x7f', 'latin1')),
  ),
  'EXIF that is cut': before(segment(0xe1, Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x09', 'latin1'))),
};

// PNG

export function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
  bytes.writeUInt32BE(data.length, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

const SIGNATURE = SAMPLES.canvasPng.bytes.subarray(0, 8);
const png = (...chunks: Uint8Array[]) => Buffer.concat([SIGNATURE, ...chunks]);
/** The data of the first chunk of this type. */
function dataOf(bytes: Buffer, type: string): Buffer {
  const at = bytes.indexOf(type, 0, 'latin1');
  return bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4));
}
const pixels = chunk('IDAT', dataOf(SAMPLES.canvasPng.bytes, 'IDAT'));
/** 16 by 16 pixels. */
const header = (depth: number, colour: number, compression = 0, filter = 0, interlace = 0) =>
  chunk('IHDR', Buffer.of(0, 0, 0, 16, 0, 0, 0, 16, depth, colour, compression, filter, interlace));
const rgba = header(8, 6);
const end = chunk('IEND');
const wholePng = png(rgba, pixels, end);
const palette = (bytes: number) => chunk('PLTE', Buffer.alloc(bytes));
const transparency = (bytes: number) => chunk('tRNS', Buffer.alloc(bytes));

const HOSTILE_PNG: Record<string, Buffer> = {
  'nothing but the signature': SIGNATURE,
  'another signature': patched(wholePng, 4, 0x0a),
  'half of it': wholePng.subarray(0, wholePng.length / 2),
  'a byte behind the end': Buffer.concat([wholePng, Buffer.of(0)]),
  'a page behind the end': Buffer.concat([wholePng, HTML]),
  'two pictures': Buffer.concat([wholePng, wholePng]),
  'two ends': png(rgba, pixels, end, end),
  'no end': png(rgba, pixels),
  'an end with text': png(rgba, pixels, chunk('IEND', secret)),
  'a wrong checksum of pixels': patched(wholePng, 8 + 25 + 8, wholePng.readUInt8(8 + 25 + 8) ^ 1),
  'a wrong checksum of text': png(rgba, patched(chunk('tEXt', secret), 8, 0), pixels, end),
  'no header': png(pixels, end),
  'two headers': png(rgba, rgba, pixels, end),
  'a header that is not first': png(chunk('tEXt', secret), pixels, rgba, end),
  'a longer header': png(chunk('IHDR', Buffer.concat([rgba.subarray(8, 21), secret])), pixels, end),
  'a shorter header': png(chunk('IHDR', rgba.subarray(8, 16)), pixels, end),
  'a kind of colour that does not exist': png(header(8, 5), pixels, end),
  'a depth that does not fit': png(header(4, 6), pixels, end),
  'another compression': png(header(8, 6, 1), pixels, end),
  'another filter': png(header(8, 6, 0, 1), pixels, end),
  'another interlace': png(header(8, 6, 0, 0, 2), pixels, end),
  'no pixels': png(rgba, end),
  'more chunks than any encoder makes': png(rgba, pixels, ...Array(4_000).fill(chunk('IDAT')), end),
  'an animation': REFUSED_SAMPLES.animatedPng,
  'a header of an animation': png(rgba, chunk('acTL', Buffer.alloc(8)), pixels, end),
  'a frame of an animation': png(rgba, pixels, chunk('fdAT', secret), end),
  'the control of a frame': png(rgba, chunk('fcTL', Buffer.alloc(26)), pixels, end),
  'a critical chunk of another standard': png(rgba, chunk('HTML', HTML), pixels, end),
  'a type of other characters': png(rgba, chunk('a\0b<'), pixels, end),
  'a chunk that is longer than the file': png(rgba, patched(chunk('tEXt'), 0, 0x7f, 0xff, 0xff, 0xff)),
  'a chunk of 4 GiB': png(rgba, patched(chunk('tEXt'), 0, 0xff, 0xff, 0xff, 0xff), pixels, end),
  'no palette where one is needed': png(header(8, 3), pixels, end),
  'a palette of gray': png(header(8, 0), palette(3), pixels, end),
  'a palette behind the pixels': png(rgba, pixels, palette(3), end),
  'two palettes': png(rgba, palette(3), palette(3), pixels, end),
  'an empty palette': png(header(8, 3), palette(0), pixels, end),
  'a palette that is no threes': png(header(8, 3), palette(4), pixels, end),
  'a palette of more colours than there are': png(header(1, 3), palette(9), pixels, end),
  'transparency of more colours than there are': png(header(8, 3), palette(3), transparency(2), pixels, end),
  'transparency before the palette': png(header(8, 3), transparency(1), palette(3), pixels, end),
  'transparency of another kind': png(rgba, transparency(1), pixels, end),
  'transparency of gray with text': png(header(8, 0), chunk('tRNS', secret), pixels, end),
};

// WebP

export function riff(name: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8, name, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

export const webp = (...chunks: Uint8Array[]) =>
  riff('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
function dataOfWebp(bytes: Buffer, name: string): Buffer {
  const at = bytes.indexOf(name, 0, 'latin1');
  return bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4));
}
const lossyData = dataOfWebp(SAMPLES.alphaWebp.bytes, 'VP8 ');
const losslessData = dataOfWebp(SAMPLES.losslessWebp.bytes, 'VP8L');
const [lossy, lossless] = [riff('VP8 ', lossyData), riff('VP8L', losslessData)];
const alpha = riff('ALPH', dataOfWebp(SAMPLES.alphaWebp.bytes, 'ALPH'));
const extendedData = Buffer.of(0x10, 0, 0, 0, 15, 0, 0, 15, 0, 0);
const extended = riff('VP8X', extendedData);
const wholeWebp = webp(extended, alpha, lossy);
const lossyWith = (at: number, ...values: number[]) => webp(riff('VP8 ', patched(lossyData, at, ...values)));

const HOSTILE_WEBP: Record<string, Buffer> = {
  'nothing but the head': webp(),
  'another head': patched(wholeWebp, 0, 0x72),
  'another kind of RIFF': patched(wholeWebp, 8, ...Buffer.from('WAVE')),
  'half of it': wholeWebp.subarray(0, wholeWebp.length / 2),
  'a byte behind the end': Buffer.concat([wholeWebp, Buffer.of(0)]),
  'a page behind the end': Buffer.concat([wholeWebp, HTML]),
  'two pictures': Buffer.concat([wholeWebp, wholeWebp]),
  'a size of more than the file': patched(wholeWebp, 4, 0xff, 0xff, 0xff, 0x7f),
  'a size of less than the file': patched(wholeWebp, 4, 12, 0, 0, 0),
  'a chunk that is longer than the file': webp(lossy, patched(riff('EXIF', secret), 4, 0xff, 0xff)),
  'a chunk of 4 GiB': webp(patched(riff('EXIF', secret), 4, 0xff, 0xff, 0xff, 0xff), lossy),
  'an odd chunk without its filling': webp(lossy, riff('XMP ', Buffer.alloc(3)).subarray(0, -1)),
  'half a name': webp(lossy, Buffer.from('EX')),
  'more chunks than any encoder makes': webp(lossy, ...Array(4_000).fill(riff('EXIF', Buffer.alloc(0)))),
  'an animation': REFUSED_SAMPLES.animatedWebp,
  'the head of an animation': webp(extended, riff('ANIM', Buffer.alloc(6)), lossy),
  'a frame of an animation': webp(extended, riff('ANMF', Buffer.alloc(16)), lossy),
  'the flag of an animation': webp(riff('VP8X', patched(extendedData, 0, 0x12)), alpha, lossy),
  'no picture': webp(extended),
  'two kinds of pictures': webp(lossy, lossless),
  'the same picture twice': webp(lossy, lossy),
  'two extended headers': webp(extended, extended, alpha, lossy),
  'an extended header behind the picture': webp(lossy, extended),
  'a longer extended header': webp(riff('VP8X', Buffer.concat([extendedData, secret])), alpha, lossy),
  'a shorter extended header': webp(riff('VP8X', extendedData.subarray(0, 9)), alpha, lossy),
  'a canvas of another width': webp(riff('VP8X', patched(extendedData, 4, 16)), alpha, lossy),
  'a canvas of another height': webp(riff('VP8X', patched(extendedData, 7, 14)), alpha, lossy),
  'transparency without an extended header': webp(alpha, lossy),
  'transparency behind the picture': webp(extended, lossy, alpha),
  'transparency twice': webp(extended, alpha, alpha, lossy),
  'transparency of a lossless picture': webp(extended, alpha, lossless),
  'no key frame': lossyWith(0, lossyData.readUInt8(0) | 1),
  'a frame that is not shown': lossyWith(0, lossyData.readUInt8(0) & ~16),
  'a version of later': lossyWith(0, lossyData.readUInt8(0) | 8),
  'a partition that is longer than the chunk': lossyWith(1, 0xff, 0xff),
  'another start code': lossyWith(3, 0),
  'a frame that ends in its head': webp(riff('VP8 ', lossyData.subarray(0, 8))),
  'an empty frame': webp(riff('VP8 ', Buffer.alloc(0))),
  'another signature of a lossless picture': webp(riff('VP8L', patched(losslessData, 0, 0x2e))),
  'a lossless picture of a later version': webp(
    riff('VP8L', patched(losslessData, 4, losslessData.readUInt8(4) | 0x20)),
  ),
  'a lossless picture that ends in its head': webp(riff('VP8L', losslessData.subarray(0, 4))),
};

/** Of no type. */
const OTHER: Record<string, Buffer> = {
  'no bytes': Buffer.alloc(0),
  'a single byte': Buffer.of(0xff),
  zeros: Buffer.alloc(1_000),
  'a page': HTML,
  'an SVG': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"/>'),
  'a GIF': Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
};

/** What is refused with `picture_invalid` as a picture of each type, by what is wrong with it. */
export const HOSTILE_PICTURES: Record<PictureType, Record<string, Buffer>> = {
  'image/jpeg': { ...OTHER, 'a PNG': wholePng, 'a WebP': wholeWebp, ...HOSTILE_JPEG },
  'image/png': { ...OTHER, 'a JPEG': whole, 'a WebP': wholeWebp, ...HOSTILE_PNG },
  'image/webp': { ...OTHER, 'a JPEG': whole, 'a PNG': wholePng, ...HOSTILE_WEBP },
};

/** Whole pictures of 16 by 16 pixels that carry {@link SECRET} wherever a container has room for it. */
export const TALKATIVE_PICTURES: Record<PictureType, Buffer> = {
  'image/jpeg': jpeg(
    ...Array.from({ length: 16 }, (_, i) => segment(0xe0 + i, secret)),
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\0', 'latin1'), secret])),
    tables,
    segment(0xfe, secret),
    frame,
    huffman,
    scan,
    segment(0xfe, secret),
  ),
  'image/png': png(
    rgba,
    ...['tEXt', 'iTXt', 'zTXt', 'eXIf', 'iCCP', 'tIME', 'prVt'].map((type) => chunk(type, secret)),
    pixels,
    chunk('tEXt', secret),
    end,
  ),
  'image/webp': webp(
    riff('VP8X', patched(extendedData, 0, 0x3c)),
    riff('ICCP', secret),
    alpha,
    riff('unkn', secret),
    lossy,
    riff('EXIF', secret),
    riff('XMP ', secret),
  ),
};

function patched(bytes: Buffer, at: number, ...values: number[]): Buffer {
  const copy = Buffer.from(bytes);
  copy.set(values, at);
  return copy;
}

/** A PNG whose header names this size, whatever its pixels are. */
export function pngOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return png(chunk('IHDR', Buffer.concat([size, Buffer.of(8, 6, 0, 0, 0)])), pixels, end);
}
