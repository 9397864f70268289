import { type BenchDatabase, EMBEDDED, onPostgres } from '../databases.ts';
import { requestBytes, runLoad } from '../http-load.ts';
import { alternate, type Effort, type Round } from '../measure.ts';
import {
  BODY,
  connectAll,
  type FrameTo,
  type Participant,
  runMessageLoad,
  signUpParticipants,
  toPairs,
} from '../message-load.ts';
import { call, type ServerProcess, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, perSecond } from '../table.ts';
import { signUp } from '../users.ts';

const SENDERS = 64;
/** Without a limit of messages, fewer pairs suffice. */
const MOST_PAIRS = 512;
/** Push decisions about messages that no device acknowledged come after 5 s. */
const DECIDED_MS = 6_000;
const CONVERSATIONS = 200;
const PINNED = 5;

/** Two kinds of work that are compared. */
interface Comparison {
  readonly work: string;
  readonly ours: () => Promise<Round>;
  /** Of the same service, in the place of the bare thing. */
  readonly bare: () => Promise<Round>;
  /** By how many times the processor time of `ours`, with that of the database, may exceed that of `bare`. */
  readonly bar: number;
  readonly pauseMs?: number;
}

/**
 * What is new beside what it is made of: a message that answers another beside one that does not, a reaction beside a message of one
 * sender, and a list of conversations with settings beside one without.
 */
export async function changes(
  effort: Effort,
  profileFolder?: string,
  database: BenchDatabase = EMBEDDED,
): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const env = { BCRYPT_COST: '4', RATE_LIMIT_MESSAGES: 'off', ...database.settings };
  await using server = await startDoorman(folder.path, { env, profileFolder });
  await using stack = new AsyncDisposableStack();
  const users = await signUpParticipants(server, 'user', 2 * Math.min(effort.messagePairs, MOST_PAIRS));
  const pairs = toPairs(users, await connectAll(server.port, users, stack));
  // Each pair has a message to answer and to react to.
  for (let i = 0; i < pairs.length; i += SENDERS)
    await Promise.all(pairs.slice(i, i + SENDERS).map((pair) => pair.send().delivered));
  const lists = await makeLists(server, users.slice(0, CONVERSATIONS));

  const send = (senders: number, frameTo?: FrameTo) => () =>
    runMessageLoad(pairs, senders, effort.seconds, frameTo);
  const list = (token: string) => () =>
    runLoad({
      port: server.port,
      requests: [requestBytes('GET', '/api/conversations', { token })],
      connections: 1,
      seconds: effort.seconds,
    });
  const comparisons: Comparison[] = [
    {
      work: `message with \`replyTo\` by one without, ${SENDERS} senders`,
      ours: send(SENDERS, replyTo),
      bare: send(SENDERS),
      bar: 1.05,
    },
    {
      work: 'reaction by a message, 1 sender',
      ours: send(1, alternatingReactions()),
      bare: send(1),
      bar: 2.5,
      pauseMs: effort.pairs > 1 ? DECIDED_MS : 0,
    },
    {
      work: `list of ${CONVERSATIONS} conversations with settings by one without`,
      ours: list(lists.kept.token),
      bare: list(lists.plain.token),
      bar: 1.2,
    },
  ];
  const lines: Line[] = [];
  for (const comparison of comparisons) lines.push(await compare(effort, server, database, comparison));
  return lines;
}

export async function changesOnPostgres(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return onPostgres('changes of messages and settings of conversations', (database) =>
    changes(effort, profileFolder, database),
  );
}

async function compare(
  effort: Effort,
  server: ServerProcess,
  database: BenchDatabase,
  { work, ours, bare, bar, pauseMs = 0 }: Comparison,
): Promise<Line> {
  await ours();
  await bare();
  const both = async () => ((await server.micros()) ?? Number.NaN) + ((await database.micros?.()) ?? 0);
  const clocks = { service: server.micros, database: database.micros, bare: both };
  const compared = await alternate({ ...effort, pauseMs }, ours, bare, clocks);
  const { micros } = compared;
  const value = ((micros.service ?? Number.NaN) + (micros.database ?? 0)) / (micros.bare ?? Number.NaN);
  return {
    work: `${work}, processor time`,
    ours: perSecond(compared.ours),
    bare: perSecond(compared.bare),
    ratio: compared.ratio,
    micros,
    ...(Number.isFinite(value) && { target: { value, unit: 'times' as const, floor: bar, aim: bar } }),
  };
}

const replyTo: FrameTo = (to) => ({ type: 'send', to, cid: crypto.randomUUID(), body: BODY, replyTo: 1 });

/** Each reaction to a message is another one than before, so that each changes something. */
function alternatingReactions(): FrameTo {
  const thumbsUp = new Set<string>();
  return (peer) => {
    const isUp = thumbsUp.delete(peer);
    if (!isUp) thumbsUp.add(peer);
    return { type: 'react', peer, n: 1, emoji: isUp ? '😂' : '👍' };
  };
}

/** Two users whom all others have written to, one of whom has muted, archived and marked each conversation, and pinned some. */
async function makeLists(server: ServerProcess, writers: readonly Participant[]) {
  const [plain, kept] = [await signUp(server, 'plain'), await signUp(server, 'kept')];
  for (const [i, { userId: peer, token }] of writers.entries()) {
    for (const { id: to } of [plain, kept])
      await call(server, 'POST', '/api/messages', { token, body: { to, cid: `to-${to}`, body: BODY } });
    const settings = { mutedUntil: Date.now() + 86_400_000, archived: 1, markedUnread: 1 };
    await call(server, 'POST', '/api/conversations/settings', {
      token: kept.token,
      body: { peer, ...settings, pinned: i < PINNED ? 1 : 0 },
    });
  }
  return { plain, kept };
}
