import { setTimeout as delay } from 'node:timers/promises';
import { acknowledge, Receipts } from './acknowledgements.ts';
import type { Round } from './measure.ts';
import type { ServerProcess } from './processes.ts';
import { openThinSocket, type ThinSocket } from './thin-socket.ts';
import { signUp } from './users.ts';

/** 80 characters, a usual length. */
export const BODY = 'See you at eight then, I bring the tickets and you bring the umbrella, all right';
const REPLY = Buffer.from('{"type":"reply"');
const SUCCESS = Buffer.from('"code":200');
const MESSAGE = Buffer.from('"event":"message"');
const REACTION = Buffer.from('"event":"reaction"');
const LIVE = Buffer.from('{"type":"live"}');
const CONCURRENCY = 32;
/** Loopback addresses to connect from, since each has its own ports. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];

export interface Participant {
  readonly userId: string;
  /** The token of `hello`. */
  readonly token: string;
}

/** A frame to the recipient, to be sent in place of a usual message: `send` with other fields, or `react`. */
export type FrameTo = (recipientId: string) => object;

/** A sender and a recipient, each with one connection. */
export interface Pair {
  /**
   * Sends a message, or another frame. `replied` resolves with the reply, `delivered` when the recipient has the message or reaction.
   */
  send(frameTo?: FrameTo): { replied: Promise<void>; delivered: Promise<void> };
  /** Of devices that acknowledge. */
  readonly receipts: Receipts;
}

/** Registers users over HTTP, several at once. */
export async function signUpParticipants(
  server: ServerProcess,
  prefix: string,
  count: number,
): Promise<Participant[]> {
  return concurrently(count, async (i) => {
    const { id, token } = await signUp(server, `${prefix}${i}`);
    return { userId: id, token };
  });
}

/** Participants for the bare relay, which takes the token as the user id. */
export function withoutAccounts(count: number): Participant[] {
  return Array.from({ length: count }, () => {
    const userId = crypto.randomUUID();
    return { userId, token: userId };
  });
}

/**
 * Opens a connection for each participant, and waits until all are live. They close with `stack`.
 *
 * @param ports of one server, or of several, which the participants connect to in turn
 */
export async function connectAll(
  ports: number | readonly number[],
  participants: readonly Participant[],
  stack: AsyncDisposableStack,
): Promise<ThinSocket[]> {
  const all = [ports].flat();
  return concurrently(participants.length, async (i) => {
    const socket = await openThinSocket(
      all[i % all.length] ?? 0,
      ADDRESSES[i % ADDRESSES.length] ?? '',
      (why) => {
        throw why; // further measurements would be wrong
      },
    );
    stack.defer(() => socket.close());
    const live = new Promise<void>((resolve) => {
      socket.onText = (text) => {
        if (text.equals(LIVE)) resolve();
      };
    });
    socket.sendText(JSON.stringify({ type: 'hello', id: '1', token: participants[i]?.token }));
    await live;
    socket.onText = () => {};
    return socket;
  });
}

/**
 * Pairs of a sender from the first half and a recipient from the second half, who never wrote to each other.
 *
 * @param acknowledges whether their devices acknowledge what they get
 */
export function toPairs(
  participants: readonly Participant[],
  sockets: readonly ThinSocket[],
  acknowledges = false,
): Pair[] {
  const half = participants.length / 2;
  return Array.from({ length: half }, (_, i) => {
    const [sender, recipient, recipientUser] = [sockets[i], sockets[half + i], participants[half + i]];
    if (!sender || !recipient || !recipientUser) throw new Error('an odd number of participants');
    return toPair(sender, recipient, recipientUser.userId, acknowledges);
  });
}

function toPair(sender: ThinSocket, recipient: ThinSocket, to: string, acknowledges: boolean): Pair {
  const receipts = new Receipts(to);
  let onReply = () => {};
  let onDelivery = () => {};
  sender.onText = (text) => {
    if (!startsWith(text, REPLY)) return;
    if (!text.includes(SUCCESS)) throw new Error(`a message was answered ${text}`);
    onReply();
  };
  recipient.onText = (text) => {
    if (text.includes(MESSAGE) || text.includes(REACTION)) onDelivery();
  };
  if (acknowledges)
    for (const device of [sender, recipient]) {
      const { onText } = device;
      const acknowledgeEvent = acknowledge(device);
      device.onText = (text) => {
        onText(text);
        acknowledgeEvent(text);
        if (device === sender) receipts.read(text);
      };
    }
  const begin = `{"type":"send","id":"7","to":"${to}","cid":"`;
  const end = `","body":"${BODY}"}`;
  return {
    receipts,
    send(frameTo) {
      receipts.noteSent();
      const replied = new Promise<void>((resolve) => {
        onReply = resolve;
      });
      const delivered = new Promise<void>((resolve) => {
        onDelivery = resolve;
      });
      sender.sendText(
        frameTo ? JSON.stringify({ id: '7', ...frameTo(to) }) : begin + crypto.randomUUID() + end,
      );
      return { replied, delivered };
    },
  };
}

export interface MessageLoadResult extends Round {
  /** Milliseconds from sending to the reply, and to the delivery, of each message in no order. */
  readonly repliedMs: number[];
  readonly deliveredMs: number[];
}

/**
 * `senders` messages are in flight at once; each reply is followed by the next message. Every message is of the next pair, so
 * that no user reaches their limit of messages.
 *
 * @throws {Error} at the first reply that is not 200
 */
export async function runMessageLoad(
  pairs: readonly Pair[],
  senders: number,
  seconds: number,
  frameTo?: FrameTo,
): Promise<MessageLoadResult> {
  const repliedMs: number[] = [];
  const deliveredMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let lastAt = startedAt;
  const deliveries: Promise<void>[] = [];
  const sender = async () => {
    while (performance.now() < endsAt) {
      const pair = pairs[nextPair++ % pairs.length];
      if (!pair) throw new Error('no pairs');
      const sentAt = performance.now();
      const { replied, delivered } = pair.send(frameTo);
      deliveries.push(delivered.then(() => void deliveredMs.push(performance.now() - sentAt)));
      await replied;
      lastAt = performance.now();
      repliedMs.push(lastAt - sentAt);
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  await Promise.all(deliveries);
  const count = repliedMs.length;
  return { perSecond: count / ((lastAt - startedAt) / 1000), count, repliedMs, deliveredMs };
}

/**
 * Each pair's sender sends a message every `everySeconds`, without waiting for earlier ones; the pairs send one after the
 * other, evenly spread.
 *
 * @returns milliseconds from sending to the delivery, in no order
 */
export async function sendAtIntervals(
  pairs: readonly Pair[],
  everySeconds: number,
  seconds: number,
): Promise<number[]> {
  const deliveredMs: number[] = [];
  const deliveries: Promise<void>[] = [];
  const pauseMs = (everySeconds * 1000) / pairs.length;
  const startedAt = performance.now();
  let dueAt = startedAt;
  for (let i = 0; dueAt < startedAt + seconds * 1000; i++, dueAt += pauseMs) {
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await delay(waitMs);
    const sentAt = performance.now();
    const delivered = pairs[i % pairs.length]?.send().delivered;
    if (delivered) deliveries.push(delivered.then(() => void deliveredMs.push(performance.now() - sentAt)));
  }
  await Promise.all(deliveries);
  return deliveredMs;
}

/** The pair that sends next; a run continues where the last one ended. */
let nextPair = 0;

function startsWith(text: Buffer, beginning: Buffer): boolean {
  return (
    text.length >= beginning.length && text.compare(beginning, 0, beginning.length, 0, beginning.length) === 0
  );
}

async function concurrently<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const done: T[] = new Array(count);
  let started = 0;
  const worker = async () => {
    for (let i = started++; i < count; i = started++) done[i] = await work(i);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return done;
}
