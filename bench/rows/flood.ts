import { setTimeout as delay } from 'node:timers/promises';
import { type BenchDatabase, onPostgres } from '../databases.ts';
import { waitForIdleMachine } from '../idle-machine.ts';
import { type Effort, percentile } from '../measure.ts';
import { connectAll, type Participant, signUpParticipants } from '../message-load.ts';
import { startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds } from '../table.ts';
import type { ThinSocket } from '../thin-socket.ts';

const SENDERS = 25;
const STRANGERS = 30;
/** One message after the other to the same user, 100 a second, each of the next sender. */
const MESSAGE_EVERY_MS = 10;
/** Just within the budget of frames of a connection, 20 a second. */
const FRAME_EVERY_MS = 52;

/** What the strangers send to the user whom the messages are for. */
const FLOODS: Record<string, (peer: string, i: number) => object> = {
  // They have no conversation with the user, so it changes nothing.
  '`mark`': (peer) => ({ type: 'mark', peer, read: 1 }),
  // Nor have they any message of that number.
  '`react`': (peer, i) => ({ type: 'react', peer, n: i + 1, emoji: '👍' }),
  // Six of each stranger change something; the limit of friend actions refuses the others.
  'friend actions': (userId, i) => ({ type: 'friend', op: i % 2 ? 'cancel' : 'request', userId }),
};

/**
 * How long messages to one user take, on PostgreSQL, without and while thirty strangers send as many frames about that user as they may.
 * None may be refused.
 */
export async function flood(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return onPostgres('messages under a flood', (database) => measure(effort, profileFolder, database));
}

async function measure(
  effort: Effort,
  profileFolder: string | undefined,
  database: BenchDatabase,
): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const env = { BCRYPT_COST: '4', RATE_LIMIT_MESSAGES: 'off', ...database.settings };
  await using server = await startDoorman(folder.path, { env, profileFolder });
  await using stack = new AsyncDisposableStack();
  const [user] = await signUpParticipants(server, 'user', 1);
  if (!user) throw new Error('no user');
  const join = async (prefix: string, count: number) =>
    connectAll(server.port, await signUpParticipants(server, prefix, count), stack);
  const senders = await join('sender', SENDERS);
  const repliedMs = new Map<string, number[]>(['', ...Object.keys(FLOODS)].map((name) => [name, []]));
  await sendMessages(senders, user, effort.longSeconds); // so that everything is compiled
  for (let round = 0; round < effort.pairs; round++)
    for (const [name, times] of repliedMs) {
      const frame = FLOODS[name];
      // New ones for each round, who have not reached their limits.
      const strangers = frame ? await join(`stranger${round}${name.length}x`, STRANGERS) : [];
      await waitForIdleMachine(effort.patienceSeconds);
      const flooding = new AbortController();
      for (const stranger of strangers)
        if (frame) void sendFrames(stranger, (i) => frame(user.userId, i), flooding.signal);
      times.push(...(await sendMessages(senders, user, effort.longSeconds)));
      flooding.abort();
    }
  return [...repliedMs].map(([name, times]) => toLine(name, times, repliedMs.get('') ?? []));
}

/** @returns milliseconds until the reply to each message. @throws {Error} at the first reply that is not 200 */
export async function sendMessages(
  senders: readonly ThinSocket[],
  { userId }: Participant,
  seconds: number,
): Promise<number[]> {
  const repliedMs: number[] = [];
  const startedAt = performance.now();
  const idle = [...senders];
  const replies: Promise<void>[] = [];
  for (let dueAt = startedAt; dueAt < startedAt + seconds * 1000; dueAt += MESSAGE_EVERY_MS) {
    await delay(Math.max(0, dueAt - performance.now()));
    const sender = idle.shift();
    // All wait for their replies, for more than 250 ms: that message is left out.
    if (!sender) continue;
    const sentAt = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    sender.onText = (text) => {
      const frame = JSON.parse(text.toString());
      if (frame.type !== 'reply') return;
      if (frame.code !== 200) reject(new Error(`a message was answered ${text}`));
      repliedMs.push(performance.now() - sentAt);
      idle.push(sender);
      resolve();
    };
    sender.sendText(
      JSON.stringify({
        type: 'send',
        id: '7',
        to: userId,
        cid: crypto.randomUUID(),
        body: 'See you at eight',
      }),
    );
    replies.push(promise);
  }
  await Promise.all(replies);
  return repliedMs;
}

/** Sends frames until the signal, whatever the replies are. */
async function sendFrames(
  socket: ThinSocket,
  frameOf: (i: number) => object,
  signal: AbortSignal,
): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    socket.sendText(JSON.stringify({ id: '7', ...frameOf(i) }));
    await delay(FRAME_EVERY_MS);
  }
}

function toLine(name: string, times: readonly number[], quiet: readonly number[]): Line {
  const p99 = percentile(times, 99);
  const during = name === '' ? '' : ` while ${STRANGERS} strangers send ${name}`;
  return {
    work: `message to one user${during}: p50 and p99 until reply`,
    ours: `${milliseconds(percentile(times, 50))}, ${milliseconds(p99)}`,
    bare: '',
    // The actions that change something lock the inbox of the user, as messages do: that line is for information.
    ...(name.startsWith('`') && {
      target: { value: p99 / percentile(quiet, 99), unit: 'times' as const, floor: 3, aim: 3 },
    }),
  };
}
