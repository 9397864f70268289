import { setTimeout as delay } from 'node:timers/promises';
import { type BenchDatabase, EMBEDDED, onPostgres } from '../databases.ts';
import type { Effort } from '../measure.ts';
import { call, residentBytes, type ServerProcess, startDoorman, temporaryFolder } from '../processes.ts';
import { OperationCost } from '../processor-time.ts';
import { addMessages, openSearched } from '../searched-database.ts';
import { type Line, milliseconds } from '../table.ts';
import { PASSWORD, signUp } from '../users.ts';

/** What is counted: a message alone takes too little. */
const UNIT = 1_000;
/** A user gets three tickets a day; the first download compiles. */
const DOWNLOADS = 2;
const SAMPLE_MS = 100;
const MB = 1024 * 1024;
/** How the line of a message begins. */
const MESSAGE = '{"type":"message"';

/** The download of a user's data with many messages: the processor time, the longest turn of the event loop meanwhile, and the memory that it adds. */
export async function exports(
  effort: Effort,
  profileFolder?: string,
  database: BenchDatabase = EMBEDDED,
): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const env = { BCRYPT_COST: '4', ...database.settings };
  await using server = await startDoorman(folder.path, { env, profileFolder, reportsTurns: true });
  const { token, id } = await signUp(server, 'reader');
  const count = effort.messages / 2;
  {
    await using direct = await openSearched(folder.path, database.settings.DATABASE_URL);
    await addMessages(direct, [{ group: 'r', userId: id, count }]);
  }
  const service = new OperationCost(server.micros);
  const ofDatabase = database.micros && new OperationCost(database.micros);
  let added = await download(server, token, count);
  await server.longestTurnMs();
  for (let round = 0; round < DOWNLOADS; round++) {
    const work = async () => {
      added = Math.max(added, await download(server, token, count));
      return { count: count / UNIT };
    };
    await service.during(ofDatabase ? () => ofDatabase.during(work) : work);
  }
  const longest = await server.longestTurnMs();
  const what = `while ${count.toLocaleString('en-US')} messages are downloaded`;
  return [
    {
      work: '1,000 messages of a download, processor time',
      ours: '',
      bare: '',
      micros: { service: service.microsEach, database: ofDatabase?.microsEach },
    },
    {
      work: `longest turn ${what}`,
      ours: milliseconds(longest),
      bare: '',
      target: { value: longest, unit: 'ms', floor: 40, aim: 20 },
    },
    {
      work: `memory added ${what}`,
      ours: `${Math.round(added)} MB`,
      bare: '',
      target: { value: added, unit: 'MB', floor: 150, aim: 100 },
    },
  ];
}

export async function exportsOnPostgres(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return onPostgres('exports', (database) => exports(effort, profileFolder, database));
}

/** @returns how many MB of memory the server had at most beyond those at the start */
async function download(server: ServerProcess, token: string, count: number): Promise<number> {
  await call(server, 'POST', '/api/account/confirm', { token, body: { password: PASSWORD } });
  const { data } = await call(server, 'POST', '/api/account/export', { token });
  const before = (await residentBytes(server.pid)) ?? Number.NaN;
  let most = before;
  const done = new AbortController();
  const sampling = (async () => {
    while (!done.signal.aborted) {
      most = Math.max(most, (await residentBytes(server.pid)) ?? Number.NaN);
      await delay(SAMPLE_MS);
    }
  })();
  const { body, status } = await fetch(
    `http://127.0.0.1:${server.port}/api/account/export?ticket=${data.ticket}`,
  );
  let messages = 0;
  let last = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const text = last + chunk;
    messages += text.split(MESSAGE).length - 1;
    // One character less than what is counted, which may go on in the next chunk.
    last = text.slice(1 - MESSAGE.length);
  }
  done.abort();
  await sampling;
  if (messages !== count)
    throw new Error(`${messages} of ${count} messages were downloaded: ${status} ${last}`);
  return (most - before) / MB;
}
