import { setTimeout as delay } from 'node:timers/promises';
import { signUp } from './people.ts';
import type { ServerProcess } from './processes.ts';
import { openThinSocket, type ThinSocket } from './socket-load.ts';

/** Of 80 characters, as people write. */
const BODY = 'See you at eight then, I bring the tickets and you bring the umbrella, all right';
const REPLY = Buffer.from('{"type":"reply"');
const GOOD = Buffer.from('"code":200');
const MESSAGE = Buffer.from('"event":"message"');
const LIVE = Buffer.from('{"type":"live"}');
const AT_ONCE = 32;
/** Each of these addresses of the same machine has ports of its own. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];

export interface Talker {
  readonly userId: string;
  /** What `hello` is said with. */
  readonly token: string;
}

/** Two people of whom one writes to the other, each with a device connected. */
export interface Pair {
  /** Sends a message. Settles when the reply is there, and when the recipient has the message. */
  send(): { replied: Promise<void>; delivered: Promise<void> };
}

/** Signs up people through the interface, some at once. */
export async function signUpTalkers(server: ServerProcess, prefix: string, count: number): Promise<Talker[]> {
  return manyAtOnce(count, async (i) => {
    const { id, token } = await signUp(server, `${prefix}${i}`);
    return { userId: id, token };
  });
}

/** The barest messenger believes everybody who he says he is. */
export function strangers(count: number): Talker[] {
  return Array.from({ length: count }, () => {
    const userId = crypto.randomUUID();
    return { userId, token: userId };
  });
}

/** Opens the connections of everybody, who is served when this returns. They close with `stack`. */
export async function connectTalkers(
  port: number,
  talkers: readonly Talker[],
  stack: AsyncDisposableStack,
): Promise<ThinSocket[]> {
  return manyAtOnce(talkers.length, async (i) => {
    const socket = await openThinSocket(port, ADDRESSES[i % ADDRESSES.length] ?? '', (why) => {
      throw why; // nothing measured afterwards would be true
    });
    stack.defer(() => socket.close());
    const live = new Promise<void>((resolve) => {
      socket.onText = (text) => {
        if (text.equals(LIVE)) resolve();
      };
    });
    socket.sendText(JSON.stringify({ type: 'hello', id: '1', token: talkers[i]?.token }));
    await live;
    socket.onText = () => {};
    return socket;
  });
}

/** Makes pairs of the first half, who send, and the second half, who are sent to. */
export function pairUp(talkers: readonly Talker[], sockets: readonly ThinSocket[]): Pair[] {
  const half = talkers.length / 2;
  return Array.from({ length: half }, (_, i) => {
    const [sender, recipient, talker] = [sockets[i], sockets[half + i], talkers[half + i]];
    if (!sender || !recipient || !talker) throw new Error('an odd number of people');
    return toPair(sender, recipient, talker.userId);
  });
}

function toPair(sender: ThinSocket, recipient: ThinSocket, to: string): Pair {
  let onReply = () => {};
  let onDelivery = () => {};
  sender.onText = (text) => {
    if (!starts(text, REPLY)) return;
    if (!text.includes(GOOD)) throw new Error(`a message was answered ${text}`);
    onReply();
  };
  recipient.onText = (text) => {
    if (text.includes(MESSAGE)) onDelivery();
  };
  const begin = `{"type":"send","id":"7","to":"${to}","cid":"`;
  const end = `","body":"${BODY}"}`;
  return {
    send() {
      const replied = new Promise<void>((resolve) => {
        onReply = resolve;
      });
      const delivered = new Promise<void>((resolve) => {
        onDelivery = resolve;
      });
      sender.sendText(begin + crypto.randomUUID() + end);
      return { replied, delivered };
    },
  };
}

export interface Talked {
  readonly perSecond: number;
  /** Milliseconds from sending to the reply, and to the recipient's having it, of each message in no order. */
  readonly repliedMs: number[];
  readonly deliveredMs: number[];
}

/**
 * So many senders send at once, each the next message when the reply to the last one is there. Every message goes out
 * from the next pair of all, so that nobody comes near what one user may send.
 *
 * @throws {Error} at the first reply that is not 200
 */
export async function talk(pairs: readonly Pair[], senders: number, seconds: number): Promise<Talked> {
  const repliedMs: number[] = [];
  const deliveredMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let lastAt = startedAt;
  const deliveries: Promise<void>[] = [];
  const sendOn = async () => {
    while (performance.now() < endsAt) {
      const pair = pairs[next++ % pairs.length];
      if (!pair) throw new Error('nobody to talk');
      const sentAt = performance.now();
      const { replied, delivered } = pair.send();
      deliveries.push(delivered.then(() => void deliveredMs.push(performance.now() - sentAt)));
      await replied;
      lastAt = performance.now();
      repliedMs.push(lastAt - sentAt);
    }
  };
  await Promise.all(Array.from({ length: senders }, sendOn));
  await Promise.all(deliveries);
  return { perSecond: repliedMs.length / ((lastAt - startedAt) / 1000), repliedMs, deliveredMs };
}

/**
 * Each pair's sender sends a message every so often, whatever became of the one before, and none of them at the same
 * moment.
 *
 * @returns milliseconds from sending to the recipient's having it, in no order
 */
export async function chatAround(
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

/** Where the last run of `talk` ended, so that the next one goes on from there. */
let next = 0;

function starts(text: Buffer, beginning: Buffer): boolean {
  return (
    text.length >= beginning.length && text.compare(beginning, 0, beginning.length, 0, beginning.length) === 0
  );
}

async function manyAtOnce<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const done: T[] = new Array(count);
  let begun = 0;
  const workOn = async () => {
    for (let i = begun++; i < count; i = begun++) done[i] = await work(i);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workOn));
  return done;
}
