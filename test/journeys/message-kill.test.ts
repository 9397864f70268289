import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { onEachDatabase } from '../databases.ts';
import type { Body } from '../harness.ts';
import { type ServerProcess, settingsOf, startServer } from '../processes.ts';
import { startPushService } from '../push-service.ts';

/** On each of the two databases, so twenty in total. */
const KILLS = 10;
/** Each writes a message every 333 ms, which all together are 210 a second, and stays below the limit of 30 in 10 s. */
const WRITERS = 70;
const EVERY_MS = 333;
/** Users write in this many groups, each group at one moment, so that a kill hits several messages. */
const GROUPS = 7;
/** An address may have 20 connections that did not say hello yet. */
const ENTERING_AT_ONCE = 10;

onEachDatabase('kill -9 while people write', (database) => {
  test('every acknowledged message is stored once and in order, on every device, and is pushed after the restart', async (t) => {
    const settings = settingsOf(await database.create(t));
    const pushService = await startPushService();
    t.after(() => pushService[Symbol.asyncDispose]());
    let server = await startServer(settings);
    try {
      const devices = await Promise.all(
        Array.from({ length: WRITERS }, async (_, i) => new Device(await join(server, `writer${i}`))),
      );
      // Each round writes to another user without a connection.
      const away = await Promise.all(
        Array.from({ length: KILLS }, async (_, i) => subscribe(server, await join(server, `away${i}`))),
      );
      async function subscribe(at: ServerProcess, person: Joined) {
        const { publicKey } = (await at.get('/api/push/public-key')).body;
        const subscription = pushService.subscribe(publicKey);
        const body = { userId: person.id, subscription };
        assert.equal((await at.post('/api/push/subscribe', body, person.token)).status, 200);
        return { person, subscription };
      }

      let writingMs = 0;
      for (const [round, { person, subscription }] of away.entries()) {
        pushService.answerAlways(subscription.endpoint, 'hang');
        await enterAll(devices, server);
        const startedAt = performance.now();
        const writing = devices.map((device, i) =>
          keepWriting(device, i === round ? person.id : partnerOf(devices, i).person.id),
        );
        await delay(EVERY_MS + randomInt(800));
        // While requests are in flight.
        while (!devices.some((device) => device.isAsking)) await setImmediate();
        if (round % 2 === 0) await delay(1);
        await server.kill();
        writingMs += performance.now() - startedAt;
        await Promise.all(writing);
        assert.deepEqual(pushService.received(subscription.endpoint), []);
        pushService.answerAlways(subscription.endpoint, undefined);
        server = await startServer(settings);
      }
      await enterAll(devices, server);
      await verifyDevices(server, devices);

      const sent = devices.reduce((sum, device) => sum + device.sent.size, 0);
      const again = devices.reduce((sum, device) => sum + device.duplicates, 0);
      t.diagnostic(
        `${KILLS} kills: ${sent} messages, ${Math.round((sent / writingMs) * 1000)} a second; the answers of ${again} were lost`,
      );

      for (const [i, device] of devices.entries()) {
        const peer = partnerOf(devices, i);
        if (i % 2 === 0) await verifyConversation(server, device, peer.person, [device, peer]);
      }
      for (const [i, { person, subscription }] of away.entries()) {
        const writer = devices[i];
        assert.ok(writer);
        const count = await verifyConversation(server, writer, person, [writer]);
        await verifyPush(t, () => pushService.received(subscription.endpoint), count);
      }
    } finally {
      await server.kill();
    }
  });
});

interface Joined {
  readonly id: string;
  readonly token: string;
}

/** One device of a user, with all messages that it sent and received. */
class Device {
  readonly person: Joined;
  epoch: string | undefined;
  /** Of the last event. */
  seq = 0;
  /** The data of the `message` events, in order of arrival. */
  readonly messages: Body[] = [];
  /** By `cid`; without `n` as long as it was not acknowledged. */
  readonly sent = new Map<string, { to: string; n?: number }>();
  /** Messages that were stored already when they were sent again. */
  duplicates = 0;
  #ws: WebSocket | undefined;
  #replied = new Map<string, (reply: Body) => void>();
  #fault: unknown;

  constructor(person: Joined) {
    this.person = person;
  }

  get isOpen(): boolean {
    return this.#ws?.readyState === WebSocket.OPEN;
  }

  /** Whether a request has no answer yet. */
  get isAsking(): boolean {
    return this.#replied.size > 0;
  }

  /** Resumes from its position, and sends again what was not acknowledged. */
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
    await once(ws, 'open');
    const known = this.epoch === undefined ? {} : { epoch: this.epoch };
    const hello = await this.#ask({ type: 'hello', token: this.person.token, seq: this.seq, ...known });
    assert.equal(hello?.code, 200, JSON.stringify(hello));
    assert.equal(hello.data.resumed, true);
    assert.equal(hello.data.epoch, this.epoch ?? hello.data.epoch);
    this.epoch = hello.data.epoch;
    await live;
    for (const [cid, { n }] of this.sent) if (n === undefined) await this.submit(cid);
  }

  write(to: string): Promise<void> {
    const cid = randomUUID();
    this.sent.set(cid, { to });
    return this.submit(cid);
  }

  async submit(cid: string): Promise<void> {
    const message = this.sent.get(cid);
    assert.ok(message);
    const reply = await this.#ask({ type: 'send', to: message.to, cid, body: `this is ${cid}` });
    if (reply === undefined) return;
    assert.equal(reply.code, 200, JSON.stringify(reply));
    message.n = reply.data.n;
    if (reply.data.duplicate) this.duplicates++;
  }

  /** Throws the first error found in an event. */
  verify(): void {
    if (this.#fault) throw this.#fault;
  }

  async #ask(frame: object): Promise<Body | undefined> {
    if (!this.isOpen) return undefined;
    const id = randomUUID();
    const reply = new Promise<Body | undefined>((resolve) => this.#replied.set(id, resolve));
    this.#ws?.send(JSON.stringify({ ...frame, id }));
    return reply;
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

async function join(server: ServerProcess, username: string): Promise<Joined> {
  const { status, body } = await server.post('/api/register', { username, password: 'secret' });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** The users write to each other in pairs. */
function partnerOf(devices: readonly Device[], i: number): Device {
  const partner = devices[i % 2 === 0 ? i + 1 : i - 1];
  assert.ok(partner);
  return partner;
}

async function enterAll(devices: readonly Device[], { url }: ServerProcess): Promise<void> {
  const waiting = [...devices];
  const enterNext = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await next.enter(url);
  };
  await Promise.all(Array.from({ length: ENTERING_AT_ONCE }, enterNext));
}

/** Sends one message after the other, until the server is killed. */
async function keepWriting(device: Device, to: string): Promise<void> {
  let nextAt = performance.now() + (randomInt(GROUPS) / GROUPS) * EVERY_MS;
  for (;;) {
    await delay(Math.max(0, nextAt - performance.now()));
    if (!device.isOpen) return;
    await device.write(to);
    nextAt += EVERY_MS;
  }
}

/** Checks that every device received everything in order, and no message twice. */
async function verifyDevices(server: ServerProcess, devices: readonly Device[]): Promise<void> {
  for (const device of devices) {
    for (let head = -1; device.seq < head || head < 0; await delay(5))
      head = (await server.get('/api/sync', device.person.token)).body.data.seq;
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

/** Checks that the acknowledged messages are the stored ones, each under its number. @returns how many messages there are */
async function verifyConversation(
  server: ServerProcess,
  { person }: Device,
  peer: Joined,
  writers: readonly Device[],
): Promise<number> {
  const items: Body[] = [];
  for (let more = true; more; ) {
    const path = `/api/messages?peer=${peer.id}&after=${items.length}&limit=100`;
    const { status, body } = await server.get(path, person.token);
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

/** Checks that after the restart the device was sent pushes for all messages that were not seen. */
async function verifyPush(
  t: TestContext,
  received: () => readonly { text: string | undefined }[],
  count: number,
): Promise<void> {
  assert.ok(count > 0);
  const expected = count === 1 ? 'New message' : `${count} new messages`;
  const last = () => JSON.parse(received().at(-1)?.text ?? '{}').notification?.body;
  await t.waitFor(() => assert.equal(last(), expected), { interval: 20, timeout: 60_000 });
}
