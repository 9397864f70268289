import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { chunk } from './hostile-pictures.ts';

/** A grey PNG of random pixels, so that it has about as many bytes as pixels. */
export function pngOf(width: number, height = width): Buffer {
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), randomBytes(width)]));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 0 })),
    chunk('IEND'),
  ]);
}
