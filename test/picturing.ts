import type { TestContext } from 'node:test';
import type { Picture } from '../src/events/log-events.ts';
import { removePictures } from '../src/pictures/remove-pictures.ts';
import { Clock } from './clocks.ts';
import { databaseEnv, type TestDatabase } from './databases.ts';
import type { Answer, Call, Person } from './harness.ts';
import { pngOf } from './pictures-of-noise.ts';
import { startSockets } from './sockets.ts';

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
