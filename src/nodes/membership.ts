import { EventEmitter } from 'node:events';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from '../clock.ts';
import { Multimap } from '../collections/multimap.ts';
import type { Link } from './link.ts';
import type { MessageCipher } from './message-cipher.ts';
import { NODE_TIMES, type NodeTimes } from './node-times.ts';

const ALL = 'all';
const HEARTBEAT = 'heartbeat';

/** Recognizes the data of a type of messages. */
interface Shape<Data> {
  Check(data: unknown): data is Data;
}

/** Rises with what all nodes have to know before any of them may use it. 1: pictures in messages. */
const LEVEL = 1;

/** A message that says all by its type. */
export const emptyShape = Compile(Type.Null());

const Heartbeat = Type.Object({
  all: Type.Integer({ description: 'The number of the last message to all' }),
  own: Type.Record(Type.String(), Type.Integer(), {
    description: 'The last number that the sender gave to a message for each other node',
  }),
  level: Type.Optional(Type.Integer({ description: 'What the version of the sender knows' })),
  isAsking: Type.Boolean({ description: 'The others answer by a heartbeat of their own at once' }),
});
type Heartbeat = Static<typeof Heartbeat>;

/** Messages to all nodes, or those of one node to this one: each stream is numbered by its sender. */
type Stream = 'all' | 'own';

interface MembershipEvents {
  /** A node was heard of for the first time, or again after it had left. Emitted before its message is handled. */
  join: [node: string];
  /** Why: it said so, it was silent while our link was up, or our own link was down for too long. */
  leave: [node: string, reason: 'goodbye' | 'silent' | 'link-down'];
  /** Messages of a node were lost. Emitted before the message that shows it is handled. */
  missed: [node: string, stream: Stream];
}

/** Handles messages of one type, whose data has this shape. */
interface Handler<Data> {
  readonly shape: Shape<Data>;
  readonly listener: (from: string, data: Data) => void;
}

interface Peer {
  /** 0 before its first heartbeat. */
  level: number;
  /** How long it was silent while our link was up and this process ran. */
  silentMs: number;
  /** The last numbers received; `undefined` before the first. */
  all: number | undefined;
  own: number | undefined;
}

/**
 * Which other nodes there are, and numbered messages between them over a link. A missing number is noticed by the next message
 * or heartbeat. Times are those of this process's monotonic clock.
 */
export class Membership extends EventEmitter<MembershipEvents> implements AsyncDisposable {
  readonly #link: Link;
  readonly #cipher: MessageCipher;
  readonly #clock: Pick<Clock, 'monotonicMs' | 'every'>;
  readonly #times: NodeTimes;
  readonly #peers = new Map<string, Peer>();
  readonly #handlers = new Multimap<string, Handler<unknown>>();
  #timer: Disposable | undefined;
  #sentToAll = 0;
  readonly #sentTo = new Map<string, number>();
  #checkedAt: number;
  #downForMs = 0;
  #isMember = false;

  constructor(
    link: Link,
    cipher: MessageCipher,
    clock: Pick<Clock, 'monotonicMs' | 'every'>,
    times: NodeTimes = NODE_TIMES,
  ) {
    super();
    this.#link = link;
    this.#cipher = cipher;
    this.#clock = clock;
    this.#times = times;
    this.#checkedAt = clock.monotonicMs();
    this.handle(HEARTBEAT, Compile(Heartbeat), (from, data) => this.#onHeartbeat(from, data));
  }

  /** Joins, once all parts of the node listen. Before it nothing is sent or received. */
  start(): void {
    this.#isMember = true;
    const channel = channelOf(this.name);
    this.#link.subscribe(ALL, (bytes) => this.#receive(ALL, bytes, 'all'));
    this.#link.subscribe(channel, (bytes) => this.#receive(channel, bytes, 'own'));
    this.#beat(true);
    this.#link.on('up', () => this.#beat(true));
    this.#timer = this.#clock.every(this.#times.heartbeatMs, () => {
      this.#check();
      this.#beat(false);
    });
  }

  /** Random; a new one at each start. */
  get name(): string {
    return this.#cipher.name;
  }

  /** Whether this node's own link is up. */
  get isLinked(): boolean {
    return this.#link.isUp;
  }

  /** Whether another node does not know what this one knows. */
  get hasEarlierVersion(): boolean {
    return [...this.#peers.values()].some(({ level }) => level < LEVEL);
  }

  peers(): readonly string[] {
    return [...this.#peers.keys()];
  }

  /** To one node. Lost if it is not there. @param data anything that JSON can hold */
  send(to: string, type: string, data: unknown): void {
    const n = (this.#sentTo.get(to) ?? 0) + 1;
    this.#sentTo.set(to, n);
    this.#publish(channelOf(to), type, n, data);
  }

  /** To all other nodes. @param data anything that JSON can hold */
  broadcast(type: string, data: unknown): void {
    this.#sentToAll++;
    this.#publish(ALL, type, this.#sentToAll, data);
  }

  /** Messages of this type, to all or to this node. One whose data has another shape is dropped, as if it were lost. */
  handle<Data>(type: string, shape: Shape<Data>, listener: Handler<Data>['listener']): void {
    // Its shape is checked before it is called.
    this.#handlers.add(type, { shape, listener: listener as Handler<unknown>['listener'] });
  }

  /** Says goodbye; the link stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isMember) return;
    this.#timer?.[Symbol.dispose]();
    this.broadcast('goodbye', null);
    this.#isMember = false;
  }

  #publish(channel: string, type: string, n: number, data: unknown): void {
    // After its goodbye, any message would make this node appear again.
    if (!this.#link.isUp || !this.#isMember) return;
    this.#link.publish(channel, this.#cipher.encrypt(channel, { type, n, data }));
  }

  /** @param isAsking the others answer by a heartbeat of their own at once */
  #beat(isAsking: boolean): void {
    const own = Object.fromEntries(this.peers().map((node) => [node, this.#sentTo.get(node) ?? 0]));
    this.#publish(ALL, HEARTBEAT, 0, {
      all: this.#sentToAll,
      own,
      level: LEVEL,
      isAsking,
    } satisfies Heartbeat);
  }

  #receive(channel: string, bytes: Buffer, stream: Stream): void {
    if (!this.#isMember) return;
    const message = this.#cipher.decrypt(channel, bytes);
    if (!message) return;
    const { from, type, n, data } = message;
    const handlers = [...this.#handlers.get(type)];
    if (!handlers.every(({ shape }) => shape.Check(data))) {
      this.#cipher.dropped.count('malformed'); // its number stays missing
      return;
    }
    if (type === 'goodbye') {
      this.#sentTo.delete(from);
      this.#remove(from, 'goodbye');
      return;
    }
    const peer = this.#peers.get(from) ?? this.#add(from);
    peer.silentMs = 0;
    if (type === HEARTBEAT || this.#isNew(peer, stream, from, n))
      for (const { listener } of handlers) listener(from, data);
  }

  #isNew(peer: Peer, stream: Stream, from: string, n: number): boolean {
    const last = peer[stream] ?? (stream === 'all' ? n - 1 : 0);
    if (n <= last) return false;
    peer[stream] = n;
    if (n > last + 1) this.emit('missed', from, stream);
    return true;
  }

  #onHeartbeat(from: string, { all, own, level = 0, isAsking }: Heartbeat): void {
    const peer = this.#peers.get(from);
    if (!peer) return;
    peer.level = level;
    const sentToUs = own[this.name] ?? 0;
    const hasMissed = { all: all > (peer.all ?? all), own: sentToUs > (peer.own ?? sentToUs) };
    peer.all = Math.max(all, peer.all ?? all);
    peer.own = Math.max(sentToUs, peer.own ?? sentToUs);
    if (hasMissed.all) this.emit('missed', from, 'all');
    if (hasMissed.own) this.emit('missed', from, 'own');
    if (isAsking) this.#beat(false);
  }

  #add(node: string): Peer {
    const peer: Peer = { level: 0, silentMs: 0, all: undefined, own: undefined };
    this.#peers.set(node, peer);
    this.#beat(false);
    this.emit('join', node);
    return peer;
  }

  #remove(node: string, reason: MembershipEvents['leave'][1]): void {
    // Its numbers go on if it comes back, as it may have kept the last one.
    if (this.#peers.delete(node)) this.emit('leave', node, reason);
  }

  #check(): void {
    const now = this.#clock.monotonicMs();
    // After a stall the messages of that time are still to be read. Counted so, with a whole heartbeat before it, it is shorter than the lease.
    const elapsedMs = Math.min(now - this.#checkedAt, 1.5 * this.#times.heartbeatMs);
    this.#checkedAt = now;
    this.#downForMs = this.#link.isUp ? 0 : this.#downForMs + elapsedMs;
    for (const [node, peer] of this.#peers) {
      if (this.#link.isUp) peer.silentMs += elapsedMs;
      if (peer.silentMs >= this.#times.leaseMs) this.#remove(node, 'silent');
      else if (this.#downForMs >= this.#times.linkDownMs) this.#remove(node, 'link-down');
    }
  }
}

function channelOf(node: string): string {
  return `node:${node}`;
}
