import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Body } from './harness.ts';

/** A device that stays ends a connection that takes longer to answer, as the kit does. */
const ANSWER_MS = 2_000;
const RECONNECT_MS = 50;
/** Between attempts of one message: far from the limit of a sender. */
const RESEND_MS = 400;

interface Owner {
  readonly id: string;
  readonly token: string;
}

/** One `get` of a server, or of several behind a load balancer. */
export type Get = (path: string, token?: string) => Promise<{ status: number; body: Body }>;

/** One device of a user, with all messages that it sent and received. */
export class Device {
  readonly person: Owner;
  epoch: string | undefined;
  /** Of the last event. */
  seq = 0;
  /** The data of the `message` events, in order of arrival. */
  readonly messages: Body[] = [];
  /** By `cid`; without `n` as long as it was not acknowledged. */
  readonly sent = new Map<string, { to: string; n?: number }>();
  /** Messages that were stored already when they were sent again. */
  duplicates = 0;
  /** Messages that were answered with 500 or 429. */
  errors = 0;
  #ws: WebSocket | undefined;
  #replied = new Map<string, (reply: Body) => void>();
  #fault: unknown;
  #staying: Promise<void> | undefined;
  #isLeaving = false;

  constructor(person: Owner) {
    this.person = person;
  }

  get isOpen(): boolean {
    return this.#ws?.readyState === WebSocket.OPEN;
  }

  /** Whether a request has no answer yet. */
  get isAsking(): boolean {
    return this.#replied.size > 0;
  }

  get acknowledged(): number {
    return [...this.sent.values()].filter(({ n }) => n !== undefined).length;
  }

  /** Connects and resumes from its position. */
  async enter(url: string): Promise<void> {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    this.#ws = ws;
    ws.on('error', () => {}); // the close that follows says it all
    ws.on('close', () => {
      for (const resolve of this.#replied.values()) resolve(undefined);
      this.#replied.clear();
    });
    const live = new Promise<void>((resolve, reject) => {
      ws.on('message', (text) => this.#hear(JSON.parse(String(text)), resolve));
      ws.on('close', () => reject(new Error('closed before it was live')));
    });
    live.catch(() => {}); // awaited below
    await once(ws, 'open', this.#staying && { signal: AbortSignal.timeout(ANSWER_MS) });
    const known = this.epoch === undefined ? {} : { epoch: this.epoch };
    const hello = await this.#ask({ type: 'hello', token: this.person.token, seq: this.seq, ...known });
    assert.equal(hello?.code, 200, JSON.stringify(hello));
    if (!hello.data.resumed || hello.data.epoch !== (this.epoch ?? hello.data.epoch))
      this.#fault ??= new Error(`the position ${this.epoch} ${this.seq} is void: ${JSON.stringify(hello)}`);
    this.epoch = hello.data.epoch;
    await live;
  }

  /** Connects, and again whenever the connection ends, until {@link leave}. Resolves when it is live for the first time. */
  async stay(url: string): Promise<void> {
    this.#isLeaving = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#staying = (async () => {
      while (!this.#isLeaving) {
        await this.enter(url).then(resolve, () => this.#ws?.terminate());
        if (this.isOpen && !this.#isLeaving && this.#ws) await once(this.#ws, 'close');
        await delay(RECONNECT_MS);
      }
    })();
    await promise;
  }

  /** Ends the connection without a word. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.#ws?.terminate();
    await this.#staying;
  }

  /** Sends a new message once. */
  write(to: string): Promise<void> {
    return this.submit(this.#add(to));
  }

  /** Sends a new message until it is acknowledged, or the device leaves. */
  async deliver(to: string): Promise<void> {
    const cid = this.#add(to);
    while (!this.#isLeaving) {
      await this.submit(cid);
      if (this.sent.get(cid)?.n !== undefined) return;
      await delay(RESEND_MS);
    }
  }

  /** Sends a message again that was not acknowledged. */
  async submit(cid: string): Promise<void> {
    const message = this.sent.get(cid);
    assert.ok(message);
    if (!this.isOpen) return;
    const reply = await this.#ask({ type: 'send', to: message.to, cid, body: `this is ${cid}` });
    if (reply === undefined) return;
    if (reply.code !== 200) this.errors++;
    if (reply.code === 500 || reply.code === 429) return;
    if (reply.code !== 200) {
      this.#fault ??= new Error(JSON.stringify(reply));
      return;
    }
    message.n = reply.data.n;
    if (reply.data.duplicate) this.duplicates++;
  }

  /** Throws the first error found in an event or a reply. */
  verify(): void {
    if (this.#fault) throw this.#fault;
  }

  #add(to: string): string {
    const cid = randomUUID();
    this.sent.set(cid, { to });
    return cid;
  }

  async #ask(frame: object): Promise<Body | undefined> {
    if (!this.isOpen) return undefined;
    const ws = this.#ws;
    const id = randomUUID();
    const reply = new Promise<Body | undefined>((resolve) => this.#replied.set(id, resolve));
    ws?.send(JSON.stringify({ ...frame, id }));
    // Who only enters waits as long as it takes.
    const timer = this.#staying && setTimeout(() => ws?.terminate(), ANSWER_MS);
    return reply.finally(() => clearTimeout(timer));
  }

  #hear(frame: Body, onLive: () => void): void {
    if (frame.type === 'reply') {
      this.#replied.get(frame.id)?.(frame);
      this.#replied.delete(frame.id);
    } else if (frame.type === 'live') onLive();
    else if (frame.type === 'event') {
      if (frame.seq !== this.seq + 1) this.#fault ??= new Error(`event ${frame.seq} came after ${this.seq}`);
      this.seq = frame.seq;
      if (frame.event === 'message') this.messages.push(frame.data);
      this.#ws?.send(JSON.stringify({ type: 'ack', seq: frame.seq }));
    }
  }
}

/** The users write to each other in pairs. */
export function partnerOf(devices: readonly Device[], i: number): Device {
  const partner = devices[i % 2 === 0 ? i + 1 : i - 1];
  assert.ok(partner);
  return partner;
}

/** Checks that every device received everything in order, and no message twice. */
export async function verifyDevices(get: Get, devices: readonly Device[]): Promise<void> {
  for (const device of devices) {
    for (let head = -1; device.seq < head || head < 0; await delay(20))
      head = (await get('/api/conversations?limit=1', device.person.token)).body.seq;
    device.verify();
    const places = device.messages.map(({ peer, n }) => `${peer} ${n}`);
    assert.equal(new Set(places).size, places.length, 'a message came under two numbers of the log');
    for (const [cid, { to, n }] of device.sent) {
      const own = device.messages.filter((message) => message.cid === cid);
      assert.deepEqual(
        own.map(({ peer, n }) => [peer, n]),
        [[to, n]],
      );
    }
  }
}

/**
 * Checks that the acknowledged messages are the stored ones, each under its number.
 *
 * @returns how many messages there are
 */
export async function verifyConversation(
  get: Get,
  { person }: Device,
  peer: Pick<Owner, 'id'>,
  writers: readonly Device[],
): Promise<number> {
  const items: Body[] = [];
  for (let more = true; more; ) {
    const path = `/api/messages?peer=${peer.id}&after=${items.length}&limit=100`;
    const { status, body } = await get(path, person.token);
    assert.equal(status, 200, JSON.stringify(body));
    items.push(...body.data.items);
    more = body.data.more;
  }
  assert.deepEqual(
    items.map(({ n }) => n),
    items.map((_, i) => i + 1),
  );
  const stored = items.map(({ n, cid, from, body }) => [n, cid, from, body]);
  const acknowledged = writers.flatMap(({ person: { id }, sent }) =>
    [...sent]
      .filter(([, { to }]) => to === person.id || to === peer.id)
      .map(([cid, { n }]) => [n, cid, id, `this is ${cid}`]),
  );
  assert.deepEqual(
    stored,
    acknowledged.sort(([a], [b]) => Number(a) - Number(b)),
  );
  return items.length;
}
