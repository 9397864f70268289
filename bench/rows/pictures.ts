import { pngOf } from '../../test/pictures-of-noise.ts';
import { type BenchDatabase, EMBEDDED, onPostgres } from '../databases.ts';
import { requestBytes, runLoad } from '../http-load.ts';
import { alternate, type Effort, percentile } from '../measure.ts';
import { connectAll, signUpParticipants } from '../message-load.ts';
import { call, type ServerProcess, startBareFile, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds, perSecond } from '../table.ts';
import { startUploads } from '../uploads.ts';
import { signUp } from '../users.ts';
import { sendMessages } from './flood.ts';

/** About 300 KB. */
const PIXELS = 550;
const READERS = 16;
const SENDERS = 25;
/** Ten pictures a second, each by the next user. */
const UPLOADERS = 10;
const UPLOAD_EVERY_MS = 100;

/** A get of 300 KB, of a picture that was sent, beside fastify with a file; and how long messages take without and while pictures are uploaded. */
export async function pictures(
  effort: Effort,
  profileFolder?: string,
  database: BenchDatabase = EMBEDDED,
): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const off = { RATE_LIMIT_MESSAGES: 'off', RATE_LIMIT_PICTURES: 'off', RATE_LIMIT_PICTURE_READS: 'off' };
  const env = { BCRYPT_COST: '4', ...off, ...database.settings };
  await using server = await startDoorman(folder.path, { env, profileFolder });
  const picture = pngOf(PIXELS);
  const lines = [await measureGet(effort, server, database, folder.path, picture)];
  return [...lines, ...(await measureMessages(effort, server, picture))];
}

export async function picturesOnPostgres(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return onPostgres('pictures', (database) => pictures(effort, profileFolder, database));
}

async function measureGet(
  effort: Effort,
  server: ServerProcess,
  database: BenchDatabase,
  folder: string,
  picture: Buffer,
): Promise<Line> {
  await using bare = await startBareFile(folder, picture);
  const { token } = await signUp(server, 'alice');
  const to = (await signUp(server, 'bob')).id;
  const id = await upload(server, token, picture);
  await call(server, 'POST', '/api/messages', { token, body: { to, cid: 'c1', body: '', picture: id } });
  const requests = [requestBytes('GET', `/api/pictures/${id}`, { token })];
  const measure = ({ port }: { port: number }) =>
    runLoad({ port, requests, connections: READERS, seconds: effort.seconds });
  await measure(server);
  await measure(bare);
  const clocks = { service: server.micros, database: database.micros, bare: bare.micros };
  const compared = await alternate(
    effort,
    () => measure(server),
    () => measure(bare),
    clocks,
  );
  return {
    work: `get of a picture of ${Math.round(picture.length / 1000)} KB, by fastify with a file`,
    ours: perSecond(compared.ours),
    bare: perSecond(compared.bare),
    ratio: compared.ratio,
    micros: compared.micros,
    target: { value: compared.ratio, unit: 'ratio', floor: 0.5, aim: 0.5 },
  };
}

async function measureMessages(effort: Effort, server: ServerProcess, picture: Buffer): Promise<Line[]> {
  await using stack = new AsyncDisposableStack();
  const [user] = await signUpParticipants(server, 'user', 1);
  if (!user) throw new Error('no user');
  const senders = await connectAll(server.port, await signUpParticipants(server, 'sender', SENDERS), stack);
  const tokens: string[] = [];
  for (let i = 0; i < UPLOADERS; i++) tokens.push((await signUp(server, `uploader${i}`)).token);
  const [quiet, busy]: number[][] = [[], []];
  await sendMessages(senders, user, effort.longSeconds); // so that everything is compiled
  for (let round = 0; round < effort.pairs; round++) {
    quiet?.push(...(await sendMessages(senders, user, effort.longSeconds)));
    const uploads = startUploads({ port: server.port, tokens, picture, everyMs: UPLOAD_EVERY_MS });
    busy?.push(...(await sendMessages(senders, user, effort.longSeconds)));
    await uploads.stop();
  }
  const [before, during] = [quiet ?? [], busy ?? []];
  return [
    { work: 'message, 100 a second: p50 and p99 until reply', ours: times(before), bare: '' },
    {
      work: `the same while ${1000 / UPLOAD_EVERY_MS} pictures a second are uploaded`,
      ours: times(during),
      bare: '',
      target: { value: percentile(during, 99) / percentile(before, 99), unit: 'times', floor: 2, aim: 2 },
    },
  ];
}

const times = (all: readonly number[]) =>
  `${milliseconds(percentile(all, 50))}, ${milliseconds(percentile(all, 99))}`;

async function upload({ port }: ServerProcess, token: string, body: Buffer): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png' };
  const answer = await fetch(`http://127.0.0.1:${port}/api/pictures`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`an upload was answered ${answer.status}`);
  return JSON.parse(await answer.text()).data.id;
}
