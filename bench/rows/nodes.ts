import { findRedis, startRedis } from '../../test/redis-server.ts';
import { settle } from '../acknowledgements.ts';
import { type BenchDatabase, onPostgres } from '../databases.ts';
import { alternate, type Effort, percentile } from '../measure.ts';
import {
  connectAll,
  type Pair,
  type Participant,
  runMessageLoad,
  signUpParticipants,
  toPairs,
  withoutAccounts,
} from '../message-load.ts';
import { type ServerProcess, startBareRelay, startDoorman, temporaryFolder } from '../processes.ts';
import { type ProcessorClock, processMicros } from '../processor-time.ts';
import { type Line, milliseconds, perSecond } from '../table.ts';

/** For each node, so that batches of messages are as large whatever the number of nodes. */
const SENDERS = 64;
/** How many nodes join by Redis; 0 is one server without Redis, which the others are compared with. */
const NODES = [0, 1, 2, 3];

interface Redis {
  readonly url: string;
  readonly micros: ProcessorClock;
}

/**
 * Messages over one, two and three nodes on one PostgreSQL and one Redis, against bare `ws`. The recipient of each message is connected
 * to another node than its sender. The processes share the machine, so the processor time of a message counts, not the rate: `service` is
 * that of all nodes together.
 */
export async function messagesOverNodes(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return overNodes(effort, profileFolder, false);
}

/** The same where devices acknowledge, which leads to receipts. */
export async function acknowledgedOverNodes(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return overNodes(effort, profileFolder, true);
}

async function overNodes(
  effort: Effort,
  profileFolder: string | undefined,
  acknowledges: boolean,
): Promise<Line[]> {
  if (!findRedis()) return [{ work: 'nodes', ours: 'not measured: Redis is not installed', bare: '' }];
  await using server = await startRedis();
  const pid = await server.pid();
  const redis = { url: server.url, micros: () => processMicros(pid) };
  // Awaited, so that Redis ends after it.
  return await onPostgres('messages over nodes', async (database) => {
    const lines: Line[] = [];
    for (const count of NODES)
      lines.push(...(await measureNodes(count, { effort, profileFolder, acknowledges, database, redis })));
    return lines;
  });
}

interface Options {
  readonly effort: Effort;
  readonly profileFolder: string | undefined;
  readonly acknowledges: boolean;
  readonly database: BenchDatabase;
  readonly redis: Redis;
}

async function measureNodes(count: number, options: Options): Promise<Line[]> {
  const { effort, profileFolder, acknowledges, database, redis } = options;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const env = {
    BCRYPT_COST: '4',
    DRAIN_SECONDS: '0',
    ...database.settings,
    ...(count > 0 && { REDIS_URL: redis.url }),
  };
  const nodes: ServerProcess[] = [];
  for (let i = 0; i < Math.max(count, 1); i++)
    nodes.push(stack.use(await startDoorman(folder.path, { env, profileFolder })));
  const [first] = nodes;
  if (!first) throw new Error('no node');
  const bare = stack.use(await startBareRelay());
  const users = await signUpParticipants(first, `of${count}n`, 2 * effort.messagePairs);
  const ports = nodes.map(({ port }) => port);
  const ours = await connectPairs(users, ports, stack, acknowledges);
  const theirs = await connectPairs(withoutAccounts(users.length), [bare.port], stack, acknowledges);
  // Receipts leave once a second, so a round of them takes longer.
  const seconds = acknowledges ? effort.longSeconds : effort.seconds;
  const deliveredMs: number[] = [];
  const run = async (pairs: readonly Pair[]) => {
    const result = await runMessageLoad(pairs, SENDERS * nodes.length, seconds);
    if (acknowledges) await settle(pairs);
    return result;
  };
  await run(ours);
  await run(theirs);
  const compared = await alternate(
    effort,
    async () => {
      const result = await run(ours);
      deliveredMs.push(...result.deliveredMs);
      return result;
    },
    () => run(theirs),
    {
      service: async () => sum(await Promise.all(nodes.map((node) => node.micros()))),
      database: database.micros,
      redis: redis.micros,
      bare: bare.micros,
    },
  );
  const name = count === 0 ? 'one server, no Redis' : count === 1 ? '1 node' : `${count} nodes`;
  const what = acknowledges ? 'message, devices acknowledge' : 'message';
  return [
    {
      work: `${name}: ${what}: stored, acknowledged, delivered`,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      micros: compared.micros,
    },
    {
      work: `${name}: ${what}: p50 and p99 until delivery`,
      ours: `${milliseconds(percentile(deliveredMs, 50))}, ${milliseconds(percentile(deliveredMs, 99))}`,
      bare: '',
    },
  ];
}

/** Pairs whose recipients are connected to the server after that of their senders. */
async function connectPairs(
  users: readonly Participant[],
  ports: readonly number[],
  stack: AsyncDisposableStack,
  acknowledges: boolean,
): Promise<Pair[]> {
  const half = users.length / 2;
  const senders = await connectAll(ports, users.slice(0, half), stack);
  const recipients = await connectAll([...ports.slice(1), ...ports.slice(0, 1)], users.slice(half), stack);
  return toPairs(users, [...senders, ...recipients], acknowledges);
}

function sum(micros: readonly (number | undefined)[]): number | undefined {
  return micros.reduce<number | undefined>(
    (total, each) => (total === undefined || each === undefined ? undefined : total + each),
    0,
  );
}
