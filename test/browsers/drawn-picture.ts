import { crc32, deflateSync } from 'node:zlib';
import type { Site } from './site.ts';

/** A PNG of two colours that flow into each other, so that it looks like something. */
export function drawnPicture(width: number, height: number, hue = 0): Buffer {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x++) {
      const [across, down] = [x / width, y / height];
      row[1 + x * 3] = 40 + 180 * Math.abs(Math.sin(hue + across * 2));
      row[2 + x * 3] = 60 + 150 * Math.abs(Math.sin(hue + down * 2.5));
      row[3 + x * 3] = 90 + 150 * Math.abs(Math.cos(hue + (across + down) * 1.5));
    }
    return row;
  });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const image = deflateSync(Buffer.concat(rows));
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', image), chunk('IEND')]);
}

function chunk(type: string, content = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Uploads a picture through the interface. @returns its id, for a message */
export async function uploadPicture(
  { url }: Site,
  token: string | undefined,
  picture: Buffer,
  preview?: Buffer,
): Promise<string> {
  const upload = async (path: string, bytes: Buffer) => {
    const answer = await fetch(`${url}/api/pictures${path}`, {
      method: 'POST',
      headers: { 'content-type': 'image/png', authorization: `Bearer ${token}` },
      body: new Uint8Array(bytes),
    });
    const { code, msg, data } = await answer.json();
    if (code !== 200) throw new Error(`no upload: ${msg}`);
    return data.id;
  };
  const id = await upload('', picture);
  if (preview) await upload(`/${id}/preview`, preview);
  return id;
}
