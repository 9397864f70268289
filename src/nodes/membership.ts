import type { Clock } from '../clock.ts';
import type { Link } from './link.ts';
import { MEMBERSHIP_TIMES, type MembershipTimes } from './membership-times.ts';
import type { MessageCipher } from './message-cipher.ts';
import { type Listener, MessageHandlers } from './message-handlers.ts';
import { type Heartbeat, heartbeatShape, type Shape } from './node-messages.ts';

const ALL = 'all';
const HEARTBEAT = 'heartbeat';

/** Messages to all nodes, or those of one node to this one: each stream is numbered by its sender. */
type Stream = 'all' | 'own';
/** Why a node has left: it said so, it was silent while our link was up, or our own link was down for too long. */
type LeaveReason = 'goodbye' | 'silent' | 'link-down';
type LeaveListener = (node: string, reason: LeaveReason) => void;

interface Peer {
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
export class Membership implements AsyncDisposable {
  readonly #link: Link;
  readonly #cipher: MessageCipher;
  readonly #clock: Pick<Clock, 'monotonicMs' | 'every'>;
  readonly #times: MembershipTimes;
  readonly #peers = new Map<string, Peer>();
  readonly #handlers = new MessageHandlers();
  readonly #joinListeners: ((node: string) => void)[] = [];
  readonly #leaveListeners: LeaveListener[] = [];
  readonly #missedListeners: ((node: string, stream: Stream) => void)[] = [];
  #timer: Disposable | undefined;
  #sentToAll = 0;
  readonly #sentTo = new Map<string, number>();
  #checkedAt: number;
  #downForMs = 0;
  #answer: NodeJS.Timeout | undefined;
  #isMember = false;

  constructor(
    link: Link,
    cipher: MessageCipher,
    clock: Pick<Clock, 'monotonicMs' | 'every'>,
    times: MembershipTimes = MEMBERSHIP_TIMES,
  ) {
    this.#link = link;
    this.#cipher = cipher;
    this.#clock = clock;
    this.#times = times;
    this.#checkedAt = clock.monotonicMs();
    this.#handlers.add(HEARTBEAT, heartbeatShape, (from, data) => this.#onHeartbeat(from, data));
  }

  /** Joins, once all parts of the node listen. Before it nothing is sent or received. */
  start(): void {
    this.#isMember = true;
    this.#link.subscribe(ALL, (bytes) => this.#receive(ALL, bytes, 'all'));
    this.#enter();
    this.#link.onUp(() => this.#beat(true));
    this.#timer = this.#clock.every(this.#times.heartbeatMs, () => {
      this.#check();
      this.#beat(false);
    });
  }

  /** Random; a new one at each start and after each `rename`. */
  get name(): string {
    return this.#cipher.name;
  }

  /** Whether this node's own link is up. */
  get isLinked(): boolean {
    return this.#link.isUp;
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
  on<Data>(type: string, shape: Shape<Data>, listener: Listener<Data>): void {
    this.#handlers.add(type, shape, listener);
  }

  /** A node was heard of for the first time, or again after it had left. Called before its message is handled. */
  onJoin(listener: (node: string) => void): void {
    this.#joinListeners.push(listener);
  }

  /** A node said goodbye or was silent for too long, or this node's link was down for too long. */
  onLeave(listener: LeaveListener): void {
    this.#leaveListeners.push(listener);
  }

  /** Messages of a node were lost. Called before the message that shows it is handled. */
  onMissed(listener: (node: string, stream: Stream) => void): void {
    this.#missedListeners.push(listener);
  }

  /** Leaves and joins under a new name: what the others know of this node is outdated, as after a stall. */
  rename(): void {
    this.#bye();
    this.#cipher.rename();
    this.#sentToAll = 0;
    this.#sentTo.clear();
    for (const peer of this.#peers.values()) peer.own = 0;
    this.#enter();
  }

  /** Says goodbye; the link stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isMember) return;
    this.#timer?.[Symbol.dispose]();
    clearTimeout(this.#answer);
    this.#bye();
    this.#link.unsubscribe(ALL);
    this.#isMember = false;
  }

  #enter(): void {
    const name = this.name;
    const channel = channelOf(name);
    // Messages to an old name may still arrive, and their numbers do not belong to those of the new one.
    this.#link.subscribe(channel, (bytes) => {
      if (name === this.name) this.#receive(channel, bytes, 'own');
    });
    this.#beat(true);
  }

  #bye(): void {
    this.broadcast('goodbye', null);
    this.#link.unsubscribe(channelOf(this.name));
  }

  #publish(channel: string, type: string, n: number, data: unknown): void {
    // After its goodbye, any message would make this node appear again.
    if (!this.#link.isUp || !this.#isMember) return;
    this.#link.publish(channel, this.#cipher.encrypt(channel, { type, n, data }));
  }

  /** @param isAsking the others answer by a heartbeat of their own at once */
  #beat(isAsking: boolean): void {
    const own = Object.fromEntries(this.peers().map((node) => [node, this.#sentTo.get(node) ?? 0]));
    this.#publish(ALL, HEARTBEAT, 0, { all: this.#sentToAll, own, isAsking } satisfies Heartbeat);
  }

  #beatSoon(): void {
    this.#answer ??= setTimeout(() => {
      this.#answer = undefined;
      this.#beat(false);
    }, this.#times.answerMs).unref();
  }

  #receive(channel: string, bytes: Buffer, stream: Stream): void {
    if (!this.#isMember) return;
    const message = this.#cipher.decrypt(channel, bytes);
    if (!message) return;
    const { from, type, n, data } = message;
    if (!this.#handlers.accept(type, data)) {
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
    if (type === HEARTBEAT || this.#isNew(peer, stream, from, n)) this.#handlers.call(type, from, data);
  }

  #isNew(peer: Peer, stream: Stream, from: string, n: number): boolean {
    const last = peer[stream] ?? (stream === 'all' ? n - 1 : 0);
    if (n <= last) return false;
    peer[stream] = n;
    if (n > last + 1) this.#missed(from, stream);
    return true;
  }

  #onHeartbeat(from: string, { all, own, isAsking }: Heartbeat): void {
    const peer = this.#peers.get(from);
    if (!peer) return;
    const sentToUs = own[this.name] ?? 0;
    const hasMissed = { all: all > (peer.all ?? all), own: sentToUs > (peer.own ?? sentToUs) };
    peer.all = Math.max(all, peer.all ?? all);
    peer.own = Math.max(sentToUs, peer.own ?? sentToUs);
    if (hasMissed.all) this.#missed(from, 'all');
    if (hasMissed.own) this.#missed(from, 'own');
    if (isAsking) this.#beatSoon();
  }

  #missed(node: string, stream: Stream): void {
    for (const listener of this.#missedListeners) listener(node, stream);
  }

  #add(node: string): Peer {
    const peer: Peer = { silentMs: 0, all: undefined, own: undefined };
    this.#peers.set(node, peer);
    this.#beatSoon();
    for (const listener of this.#joinListeners) listener(node);
    return peer;
  }

  #remove(node: string, reason: LeaveReason): void {
    // Its numbers go on if it comes back, as it may have kept the last one.
    if (!this.#peers.delete(node)) return;
    for (const listener of this.#leaveListeners) listener(node, reason);
  }

  #check(): void {
    const now = this.#clock.monotonicMs();
    // After a stall the messages of that time are still to be read: only the time in which this process ran counts.
    const elapsedMs = Math.min(now - this.#checkedAt, 2 * this.#times.heartbeatMs);
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
