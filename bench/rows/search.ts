import { type BenchDatabase, EMBEDDED, onPostgres } from '../databases.ts';
import { requestBytes, runLoad } from '../http-load.ts';
import { alternate, type Effort, median, type Round } from '../measure.ts';
import { call, type ServerProcess, startDoorman, temporaryFolder } from '../processes.ts';
import { OperationCost } from '../processor-time.ts';
import { addMessages, openSearched, rangesOf, type SearchedDatabase, WORD } from '../searched-database.ts';
import { type Line, milliseconds, perSecond } from '../table.ts';
import { signUp } from '../users.ts';

/** As many as one call reads. */
const MOST_READ = 20_000;
const OF_A_SMALL_USER = 1_000;
/** What is counted: a message alone takes too little. */
const UNIT = 1_000;
/** Two run at once. */
const AT_ONCE = 2;

/**
 * A search that finds nothing beside its bare statement, by the message; the longest turn of the event loop meanwhile; and a search of a user with few
 * messages among those of others.
 */
export async function search(
  effort: Effort,
  profileFolder?: string,
  database: BenchDatabase = EMBEDDED,
): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const env = { BCRYPT_COST: '4', RATE_LIMIT_SEARCH: 'off', ...database.settings };
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startDoorman(folder.path, { env, profileFolder }));
  await using direct = await openSearched(folder.path, database.settings.DATABASE_URL);
  const [reader, first, small] = [
    await signUp(server, 'reader'),
    await signUp(server, 'first'),
    await signUp(server, 'small'),
  ];
  const count = Math.min(MOST_READ, effort.messages / 4);
  const others = effort.messages / 2;
  await addMessages(direct, [{ group: 'f', userId: first.id, count: OF_A_SMALL_USER }]);
  const alone = await searchOf(server, database, first.token, effort);
  await addMessages(direct, [
    { group: 's', userId: small.id, count: OF_A_SMALL_USER },
    { group: 'r', userId: reader.id, count },
    { group: 'o', count: others },
  ]);
  const among = await searchOf(server, database, first.token, effort);
  const between = await searchOf(server, database, small.token, effort);

  const { bytes } = await call(server, 'GET', `/api/search?q=${WORD}`, { token: reader.token });
  const { searched, data } = JSON.parse(bytes.toString());
  if (searched !== count || data.length > 0) throw new Error(`${searched} of ${count} messages were read`);

  const both = async () => ownMicros() + ((await database.micros?.()) ?? 0);
  const ours = async () => byUnit(await searches(server, reader.token, effort.longSeconds), count);
  const bare = () => readBare(direct, reader.id, count, effort.longSeconds);
  await ours();
  await bare();
  const clocks = { service: server.micros, database: database.micros, bare: both };
  const { micros, ...rates } = await alternate(effort, ours, bare, clocks);
  const sum = ({ service = Number.NaN, database = 0 }) => service + database;
  const value = sum(micros) / (micros.bare ?? Number.NaN);

  // Reporting turns takes processor time.
  await stack.disposeAsync();
  await using reporting = await startDoorman(folder.path, { env, reportsTurns: true });
  const load = { ...loadOf(reporting, reader.token), connections: AT_ONCE, seconds: effort.longSeconds };
  const turns: number[] = [];
  // The first round compiles.
  for (let round = -1; round < effort.pairs; round++) {
    await runLoad(load);
    const longest = await reporting.longestTurnMs();
    if (round >= 0) turns.push(longest);
  }
  const sized = `${OF_A_SMALL_USER.toLocaleString('en-US')} messages among ${others.toLocaleString('en-US')}`;
  const compare = (work: string, ours: typeof alone, bare: typeof alone): Line => ({
    work: `${work}, by among none, processor time`,
    ours: perSecond(ours.perSecond),
    bare: perSecond(bare.perSecond),
    ratio: ours.perSecond / bare.perSecond,
    micros: { ...ours.micros, bare: sum(bare.micros) },
  });
  return [
    {
      work: '1,000 messages read by a search, beside their bare statement, processor time',
      ours: perSecond(rates.ours),
      bare: perSecond(rates.bare),
      ratio: rates.ratio,
      micros,
      ...bounded(value, 1.5),
    },
    {
      work: `longest turn while ${AT_ONCE} searches of ${count.toLocaleString('en-US')} messages run`,
      ours: milliseconds(median(turns)),
      bare: '',
      target: { value: median(turns), unit: 'ms', floor: 20, aim: 10 },
    },
    {
      ...compare(`search of ${sized} of others`, among, alone),
      ...bounded(sum(among.micros) / sum(alone.micros), 1.2),
    },
    compare('the same, stored between those of others', between, alone),
  ];
}

export async function searchOnPostgres(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return onPostgres('searches', (database) => search(effort, profileFolder, database));
}

function bounded(value: number, bar: number): Pick<Line, 'target'> {
  return Number.isFinite(value) ? { target: { value, unit: 'times', floor: bar, aim: bar } } : {};
}

function loadOf({ port }: ServerProcess, token: string) {
  return { port, requests: [requestBytes('GET', `/api/search?q=${WORD}`, { token })] };
}

function searches(server: ServerProcess, token: string, seconds: number): Promise<Round> {
  return runLoad({ ...loadOf(server, token), connections: 1, seconds });
}

function byUnit({ perSecond, count }: Round, messages: number): Round {
  return { perSecond: (perSecond * messages) / UNIT, count: (count * messages) / UNIT };
}

/** The rate and the cost of one search, over as long as all rounds take. */
async function searchOf(server: ServerProcess, { micros }: BenchDatabase, token: string, effort: Effort) {
  await searches(server, token, effort.seconds);
  const service = new OperationCost(server.micros);
  const database = micros && new OperationCost(micros);
  const rates: number[] = [];
  for (let round = 0; round < effort.pairs; round++) {
    const work = () => searches(server, token, effort.seconds);
    const { perSecond } = await service.during(database ? () => database.during(work) : work);
    rates.push(perSecond);
  }
  return {
    perSecond: median(rates),
    micros: { service: service.microsEach, database: database?.microsEach },
  };
}

/** Reads the same ranges as the service, in this process. */
async function readBare(
  database: SearchedDatabase,
  userId: string,
  count: number,
  seconds: number,
): Promise<Round> {
  const ranges = rangesOf(userId, 'r', count);
  const startedAt = performance.now();
  let read = 0;
  while (performance.now() < startedAt + seconds * 1000) {
    for (let i = 0; i < ranges.length; i += database.atOnce)
      await database.read(ranges.slice(i, i + database.atOnce));
    read += count;
  }
  return byUnit({ perSecond: 1 / ((performance.now() - startedAt) / 1000), count: 1 }, read);
}

function ownMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
