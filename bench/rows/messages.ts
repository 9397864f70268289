import { setTimeout as delay } from 'node:timers/promises';
import { settle } from '../acknowledgements.ts';
import { type BenchDatabase, EMBEDDED, onPostgres } from '../databases.ts';
import { alternate, type Effort, percentile } from '../measure.ts';
import {
  connectAll,
  type Pair,
  runMessageLoad,
  signUpParticipants,
  toPairs,
  withoutAccounts,
} from '../message-load.ts';
import { startBareRelay, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds, perSecond } from '../table.ts';

const SENDERS = 64;
/** Push decisions about messages that no device acknowledged come after 5 s. */
const DECIDED_MS = 6_000;

interface MessagesOptions {
  readonly database?: BenchDatabase;
  /** Whether devices acknowledge what they get, as real ones do. */
  readonly acknowledges?: boolean;
}

/**
 * Messages that are stored durably, acknowledged and delivered, against bare `ws` that relays the same frames. The service has
 * its limits for a user (30 messages in 10 s), so the load is spread over many pairs of users. All of them are connected.
 *
 * Where devices acknowledge, the processor time counts until every receipt of a round is delivered and acknowledged in turn;
 * the rate counts up to the last reply.
 */
export async function messages(
  effort: Effort,
  profileFolder?: string,
  { database = EMBEDDED, acknowledges = false }: MessagesOptions = {},
): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const env = { BCRYPT_COST: '4', ...database.settings };
  await using server = await startDoorman(folder.path, { env, profileFolder });
  await using bare = await startBareRelay();
  await using stack = new AsyncDisposableStack();
  const users = await signUpParticipants(server, 'user', 2 * effort.messagePairs);
  const ours = toPairs(users, await connectAll(server.port, users, stack), acknowledges);
  const anonymous = withoutAccounts(users.length);
  const theirs = toPairs(anonymous, await connectAll(bare.port, anonymous, stack), acknowledges);
  // Receipts leave once a second, so a round of them takes longer.
  const seconds = acknowledges ? effort.longSeconds : effort.seconds;
  const pairs = acknowledges ? Math.ceil(effort.pairs / 2) : effort.pairs;
  const run = async (pairs: readonly Pair[], senders: number) => {
    const result = await runMessageLoad(pairs, senders, seconds);
    if (acknowledges) await settle(pairs);
    return result;
  };
  await run(ours, SENDERS);
  await run(theirs, SENDERS);

  const lines: Line[] = [];
  for (const senders of acknowledges ? [SENDERS] : [SENDERS, 1]) {
    if (senders === 1) await delay(effort.pairs > 1 ? DECIDED_MS : 0);
    const repliedMs: number[] = [];
    const deliveredMs: number[] = [];
    const compared = await alternate(
      { ...effort, pairs },
      async () => {
        const result = await run(ours, senders);
        repliedMs.push(...result.repliedMs);
        deliveredMs.push(...result.deliveredMs);
        return result;
      },
      () => run(theirs, senders),
      { service: server.micros, database: database.micros, bare: bare.micros },
    );
    const who = `${senders} ${senders === 1 ? 'sender' : 'senders'}`;
    const name = acknowledges ? `message, ${who}, devices acknowledge` : `message, ${who}`;
    const isAimed = senders === SENDERS && database === EMBEDDED && !acknowledges;
    lines.push({
      work: `${name}: stored, acknowledged, delivered`,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      micros: compared.micros,
      ...(isAimed && { target: { value: compared.ratio, unit: 'ratio', floor: 0.12, aim: 0.25 } }),
    });
    for (const [what, ms] of [
      ['reply', repliedMs],
      ['delivery', deliveredMs],
    ] as const) {
      const p99 = percentile(ms, 99);
      lines.push({
        work: `${name}: p50 and p99 until ${what}`,
        ours: `${milliseconds(percentile(ms, 50))}, ${milliseconds(p99)}`,
        bare: '',
        ...(isAimed && { target: { value: p99, unit: 'ms', floor: 50, aim: 50 } }),
      });
    }
  }
  return lines;
}

/** The same where devices acknowledge, which leads to receipts. */
export async function acknowledgedMessages(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return messages(effort, profileFolder, { acknowledges: true });
}

export async function messagesOnPostgres(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return onPostgres('messages', (database) => messages(effort, profileFolder, { database }));
}

export async function acknowledgedMessagesOnPostgres(
  effort: Effort,
  profileFolder?: string,
): Promise<Line[]> {
  return onPostgres('messages, devices acknowledge', (database) =>
    messages(effort, profileFolder, { database, acknowledges: true }),
  );
}
