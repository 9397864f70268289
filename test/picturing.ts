import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import type { Picture } from '../src/events/log-events.ts';
import { removePictures } from '../src/pictures/remove-pictures.ts';
import { Clock } from './clocks.ts';
import { databaseEnv, type TestDatabase } from './databases.ts';
import type { Answer, Call, Person } from './harness.ts';
import { startSockets } from './sockets.ts';

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
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A call that uploads these bytes. */
export function pictureCall({ token }: Pick<Person, 'token'>, raw: Buffer, type = 'image/png'): Call {
  return { token, raw, headers: { 'content-type': type } };
}

/** Uploads a picture of this many pixels a side. */
export async function upload(
  service: { call(method: string, path: string, call?: Call): Promise<Answer> },
  person: Pick<Person, 'token'>,
  pixels = 20,
): Promise<Picture & { bytes: Buffer }> {
  const bytes = pngOf(pixels);
  const { status, text, body } = await service.call('POST', '/api/pictures', pictureCall(person, bytes));
  if (status !== 200) throw new Error(`no upload: ${text}`);
  return { ...body.data, bytes };
}

/** Alice, Bob and Carol, who send pictures without limits. The clock moves only by the test. */
export async function startPicturing(
  t: TestContext,
  database: TestDatabase,
  env: Record<string, string> = {},
) {
  const clock = new Clock({ isStill: true });
  const settings: { env: Record<string, string> } = { env: {} };
  const service = await startSockets(t, database, {
    world: clock.world,
    env: (_node, given) => {
      settings.env = databaseEnv(given);
      return { RATE_LIMIT_MESSAGES: 'off', RATE_LIMIT_PICTURES: 'off', TOKEN_TTL: '30d', ...env };
    },
  });
  const { db } = service.services;
  const [alice, bob, carol] = [
    await service.join('alice'),
    await service.join('bob'),
    await service.join('carol'),
  ];
  const post = ({ token }: Person, path: string, body: object) => service.post(path, body, { token });
  return {
    service,
    db,
    clock,
    alice,
    bob,
    carol,
    post,
    /** Settings of a command that uses the same database. */
    settings: () => settings.env,
    upload: (person: Person, pixels?: number) => upload(service, person, pixels),
    preview: (person: Person, id: string, bytes = pngOf(10)) =>
      service.call('POST', `/api/pictures/${id}/preview`, pictureCall(person, bytes)),
    get: ({ token }: Person, id: string, part = '') => service.get(`/api/pictures/${id}${part}`, { token }),
    send: (from: Person, to: Person, cid: string, fields: object) =>
      post(from, '/api/messages', { to: to.id, cid, body: '', ...fields }),
    unsend: (from: Person, peer: Person, n: number) =>
      post(from, '/api/messages/unsend', { peer: peer.id, n }),
    history: async (person: Person, peer: Person) =>
      (await service.get(`/api/messages?peer=${peer.id}`, { token: person.token })).body.data.items,
    runJob: () => removePictures(db, Number(clock.world.now?.())),
    /** How many rows and pieces are stored. */
    stored: async () => {
      const count = await db.get<{ rows: number; pieces: number }>`
        select (select count(*) from pictures) as rows, (select count(*) from picture_pieces) as pieces`;
      return [count?.rows, count?.pieces];
    },
  };
}
