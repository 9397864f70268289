import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeKey } from '../api-key.ts';
import { onEachDeployment } from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Body, Person } from '../harness.ts';
import { type SocketService, startSockets, type TestSocket } from '../sockets.ts';

const PEOPLE = 3;
const DEVICES = 2;

const person = fc.nat(PEOPLE - 1);
const step = fc.record({
  act: fc.oneof(
    { weight: 6, arbitrary: fc.constant('send') },
    { weight: 3, arbitrary: fc.constantFrom('block', 'unblock') },
    { weight: 2, arbitrary: fc.constantFrom('request', 'accept', 'cancel', 'decline', 'remove') },
    { weight: 3, arbitrary: fc.constantFrom('typing', 'mark', 'ack', 'view') },
    { weight: 2, arbitrary: fc.constantFrom('gather', 'reconnect') },
  ),
  by: person,
  to: person,
  device: fc.nat(DEVICES - 1),
  /** By an API key, where a key can do it. */
  isByKey: fc.boolean(),
  isAwaited: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const CODES: Record<string, number> = { not_accepting: 403, unblock_first: 403 };

/** A request between two people, with the moments of its start and its answer. */
interface Done {
  readonly act: string;
  readonly by: number;
  readonly to: number;
  readonly startedAt: number;
  answeredAt: number;
  code: number;
}

/** One device over all its connections: everything that was written to it, in order. */
interface Device {
  socket: TestSocket;
  readonly heard: Body[];
  epoch: string;
}

class Story {
  readonly #service: SocketService;
  readonly #people: readonly Person[];
  readonly #devices: readonly (readonly Device[])[];
  readonly #key: { token: string };
  readonly done: Done[] = [];
  #clock = 0;

  constructor(
    service: SocketService,
    people: readonly Person[],
    devices: readonly (readonly Device[])[],
    key: { token: string },
  ) {
    this.#service = service;
    this.#key = key;
    this.#people = people;
    this.#devices = devices;
  }

  device(by: number, index: number): Device {
    return this.#devices[by]?.[index] ?? assert.fail();
  }

  id(index: number): string {
    return this.#people[index]?.id ?? assert.fail();
  }

  async take({ act, by, to, device: index, isByKey }: Step): Promise<void> {
    const device = this.device(by, index);
    const { socket } = device;
    if (act === 'gather') {
      await this.#service.flush();
    } else if (act === 'reconnect') {
      await this.#reconnect(by, device);
    } else if (act === 'view') {
      await socket.ask({ type: 'view', visible: to === 0 });
    } else if (act === 'ack') {
      await socket.ask({ type: 'ack', seq: Number.MAX_SAFE_INTEGER });
    } else if (by !== to) {
      await this.#between(socket, act, by, to, isByKey);
    }
  }

  async #between(socket: TestSocket, act: string, by: number, to: number, isByKey: boolean): Promise<void> {
    const userId = this.id(to);
    if (act === 'typing') await socket.ask({ type: 'typing', to: userId });
    else if (act === 'mark') await socket.ask({ type: 'mark', peer: userId, read: 1_000 });
    else {
      const done: Done = {
        act,
        by,
        to,
        startedAt: ++this.#clock,
        answeredAt: Number.POSITIVE_INFINITY,
        code: 0,
      };
      this.done.push(done);
      const asked = isByKey && this.#requestByKey(act, this.id(by), userId);
      done.code = (await (asked || this.#request(socket, act, by, userId))).code;
      done.answeredAt = ++this.#clock;
    }
  }

  async #request(socket: TestSocket, act: string, by: number, userId: string): Promise<Body> {
    if (act === 'send') return socket.ask({ type: 'send', to: userId, cid: crypto.randomUUID(), body: 'x' });
    if (act !== 'block' && act !== 'unblock') return socket.ask({ type: 'friend', op: act, userId });
    const { token } = this.#people[by] ?? assert.fail();
    const { body } = await this.#service.post(`/api/user/${act}`, { blockedId: userId }, { token });
    return body;
  }

  /** @returns `undefined` for what no key can do */
  #requestByKey(act: string, userId: string, peerId: string): Promise<Body> | undefined {
    const post = async (path: string, fields: object) =>
      (await this.#service.post(`/api/admin/${path}`, fields, this.#key)).body;
    if (act === 'send') {
      const message = { from: userId, to: peerId, cid: crypto.randomUUID(), body: 'x' };
      return post('messages', { messages: [message] }).then(({ data }) => ({
        code: data[0].error ? CODES[data[0].error] : 200,
      }));
    }
    if (act === 'block' || act === 'unblock') return post(act, { userId, blockedId: peerId });
    const isSet = act === 'request' || act === 'remove';
    return isSet ? post('friends/set', { userId, peerId, friends: act === 'request' }) : undefined;
  }

  async #reconnect(by: number, device: Device): Promise<void> {
    device.socket.ws.terminate();
    await device.socket.ended;
    collect(device);
    const seq = device.heard.findLast(({ type }) => type === 'event')?.seq ?? 0;
    device.socket = await this.#service.connect();
    await enter(this.#people, by, device, { epoch: device.epoch, seq });
  }

  async #isDelivered(): Promise<boolean> {
    const { db } = this.#service.services;
    const rows = await db.all<{ id: string; seq: number }>`select user_id as id, seq from inbox_heads`;
    const heads = new Map(rows.map(({ id, seq }) => [id, seq]));
    const deliveries = this.#service.nodes.map(({ services }) => services.inbox.delivery);
    for (const delivery of deliveries) await delivery.compare();
    return deliveries
      .flatMap((delivery) => [...delivery.cursors()])
      .every(({ device, cursor }) => cursor === heads.get(device.userId));
  }

  async end(): Promise<void> {
    await this.#service.flush();
    await this.#service.settled();
    // A hint between nodes may be lost, and what a device then misses is read some time after the comparison.
    await eventually(() => this.#isDelivered());
    for (const device of this.#devices.flat()) {
      await device.socket.ask({ type: 'sync' });
      collect(device);
      device.socket.ws.terminate();
    }
  }
}

function collect(device: Device): void {
  device.heard.push(
    ...device.socket.unread.filter(({ type }) => ['event', 'presence', 'typing'].includes(type)),
  );
}

async function enter(people: readonly Person[], by: number, device: Device, position: object): Promise<void> {
  const { data } = await device.socket.hello({ token: people[by]?.token ?? '', ...position });
  device.epoch = data.epoch;
  await device.socket.ask({ type: 'watch', userIds: people.map(({ id }) => id) });
}

/** The user from whom a frame comes: who wrote, marked, typed, requested, or is seen. */
function sources({ type, event, data, users, from }: Body): string[] {
  if (type === 'presence') return users.map(({ id }: Body) => id);
  if (type === 'typing') return [from];
  if (event === 'message') return [data.from];
  if (event === 'marked') return [data.by];
  return event === 'friend' ? [data.userId] : [];
}

function assertPromise(heard: readonly Body[], name: string): void {
  const blocked = new Set<string>();
  for (const frame of heard) {
    if (frame.event === 'block') blocked.add(frame.data.userId);
    else if (frame.event === 'unblock') blocked.delete(frame.data.userId);
    else
      for (const id of sources(frame)) assert.ok(!blocked.has(id), `${name} heard ${JSON.stringify(frame)}`);
  }
}

function assertGapless(heard: readonly Body[], name: string): void {
  const events = heard.filter(({ type }) => type === 'event');
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, i) => i + 1),
    name,
  );
  const last = new Map<string, number>();
  for (const { event, data } of events) {
    if (event !== 'message') continue;
    assert.equal(data.n, (last.get(data.peer) ?? 0) + 1, `${name} with ${data.peer}`);
    last.set(data.peer, data.n);
  }
}

/** Whether the whole request lies after an answered block whose unblock had not begun before the request ended. */
function isSurelyBlocked(done: readonly Done[], { by, to, startedAt, answeredAt }: Done): boolean {
  const ofPair = done.filter((one) => one.by === to && one.to === by);
  return ofPair.some(
    (block) =>
      block.act === 'block' &&
      block.answeredAt < startedAt &&
      ofPair.every(
        (lift) => lift.act !== 'unblock' || lift.answeredAt < block.startedAt || lift.startedAt > answeredAt,
      ),
  );
}

onEachDeployment('blocks in the middle of other requests', (database) => {
  test('in any order of requests nothing passes a block, and no seq is missing or repeated', async (t) => {
    const service = await startSockets(t, database);
    const key = await makeKey(service);
    let run = 0;
    let refusedCount = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 90 }), async (steps) => {
        run++;
        const people: Person[] = [];
        for (let i = 0; i < PEOPLE; i++) people.push(await service.join(`run${run}person${i}`));
        const devices: Device[][] = people.map(() => []);
        for (const [by, own] of devices.entries())
          for (let i = 0; i < DEVICES; i++) {
            // Of several nodes each person begins on two, and reconnects to any.
            const device: Device = { socket: await service.connect({ node: by + i }), heard: [], epoch: '' };
            await enter(people, by, device, { seq: 0 });
            own.push(device);
          }
        const story = new Story(service, people, devices, key);
        // Each device does one thing after the other; devices wait for each other only where a step says so.
        const underWay = new Map<string, Promise<void>>();
        for (const next of steps) {
          const key = `${next.by} ${next.device}`;
          const doing = (underWay.get(key) ?? Promise.resolve()).then(() => story.take(next));
          underWay.set(key, doing);
          if (next.isAwaited) await doing;
        }
        await Promise.all(underWay.values());
        await story.end();

        for (const [by, own] of devices.entries())
          for (const [i, { heard }] of own.entries()) {
            assertPromise(heard, `person ${by}, device ${i}`);
            assertGapless(heard, `person ${by}, device ${i}`);
          }
        for (const [first, second] of devices) {
          const events = (device: Device | undefined) => device?.heard.filter(({ type }) => type === 'event');
          assert.deepEqual(events(first), events(second), 'the devices of one person are in step');
        }
        for (const one of story.done) {
          if (one.act === 'block' || one.act === 'unblock') continue;
          if (!isSurelyBlocked(story.done, one)) continue;
          refusedCount++;
          assert.equal(one.code, 403, JSON.stringify(one));
        }
      }),
      { numRuns: database.kind === 'sqlite' ? 40 : 15, endOnFailure: true },
    );
    assert.ok(refusedCount > 0, 'some of it met a block');
    t.diagnostic(`${run} runs, ${refusedCount} requests surely behind a block`);
  });
});
