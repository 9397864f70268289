import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ROW_CHECKS } from '../../src/commands/checks/rows.ts';
import { everythingStored } from '../bad-input/stored.ts';
import { onEachDeployment } from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Body, Person } from '../harness.ts';
import { type SocketService, startSockets, type TestSocket } from '../sockets.ts';

const PEOPLE = 3;
const DEVICES = 2;
const EMOJI = ['👍', '❤️', '🎉', ''];

const step = fc.record({
  act: fc.oneof(
    { weight: 8, arbitrary: fc.constant('send') },
    { weight: 8, arbitrary: fc.constantFrom('edit', 'unsend', 'react') },
    { weight: 3, arbitrary: fc.constantFrom('mark', 'clear', 'ack', 'gather') },
    { weight: 2, arbitrary: fc.constantFrom('block', 'unblock', 'reconnect') },
  ),
  by: fc.nat(PEOPLE - 1),
  to: fc.nat(PEOPLE - 1),
  device: fc.nat(DEVICES - 1),
  /** Which message: one of those that the user has sent, or a number. */
  pick: fc.nat(9),
  isAwaited: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One device over all its connections, with the events that were written to it. */
interface Device {
  readonly person: Person;
  socket: TestSocket;
  epoch: string;
  readonly events: Body[];
}

class Story {
  readonly #service: SocketService;
  readonly #devices: readonly (readonly Device[])[];
  /** The numbers of a user's messages to another one. */
  readonly #sent = new Map<string, number[]>();
  readonly #done: Map<string, number>;

  /** @param done counts by their names the acts that were answered with 200 */
  constructor(service: SocketService, devices: readonly (readonly Device[])[], done: Map<string, number>) {
    this.#service = service;
    this.#devices = devices;
    this.#done = done;
  }

  device(by: number, index: number): Device {
    return this.#devices[by]?.[index] ?? assert.fail();
  }

  async take({ act, by, to, device: index, pick }: Step): Promise<void> {
    const device = this.device(by, index);
    const peer = this.device(to, 0).person.id;
    if (act === 'gather') await this.#service.flush();
    else if (act === 'ack') await device.socket.ask({ type: 'ack', seq: Number.MAX_SAFE_INTEGER });
    else if (act === 'reconnect') await this.#reconnect(device);
    else if (by !== to) {
      const answer = await this.#between(device, act, peer, pick);
      if (!answer) return;
      assert.ok([200, 400, 403, 404].includes(answer.code), JSON.stringify(answer));
      if (answer.code !== 200) return;
      this.#done.set(act, (this.#done.get(act) ?? 0) + 1);
      if (act === 'send') this.#sentTo(device, peer).push(answer.data.n);
    }
  }

  #sentTo({ person }: Device, peer: string): number[] {
    const key = `${person.id} ${peer}`;
    const sent = this.#sent.get(key) ?? [];
    this.#sent.set(key, sent);
    return sent;
  }

  async #between(device: Device, act: string, peer: string, pick: number): Promise<Body> {
    const { socket, person } = device;
    const sent = this.#sentTo(device, peer);
    const own = sent[pick % sent.length];
    // No text is said twice.
    const body = `said ${crypto.randomUUID()}`;
    switch (act) {
      case 'send': {
        const reply = pick < 3 ? { replyTo: pick + 1 } : {};
        return socket.ask({ type: 'send', to: peer, cid: crypto.randomUUID(), body, ...reply });
      }
      case 'edit':
        return own && socket.ask({ type: 'edit', peer, n: own, body });
      case 'unsend':
        return own && socket.ask({ type: 'unsend', peer, n: own });
      case 'react':
        return socket.ask({ type: 'react', peer, n: (pick >> 1) + 1, emoji: EMOJI[pick % EMOJI.length] });
      case 'mark':
        return socket.ask({ type: 'mark', peer, read: pick + 1 });
      case 'clear':
        return socket.ask({ type: 'clear', peer, n: (pick >> 1) + 1 });
      default:
        return (await this.#service.post(`/api/user/${act}`, { blockedId: peer }, { token: person.token }))
          .body;
    }
  }

  async #reconnect(device: Device): Promise<void> {
    device.socket.ws.terminate();
    await device.socket.ended;
    collect(device);
    const { epoch, events, person } = device;
    device.socket = await this.#service.connect();
    const seq = events.at(-1)?.seq ?? 0;
    const { data } = await device.socket.hello({ token: person.token, epoch, seq });
    assert.equal(data.resumed, true);
  }

  /** Waits until each device has the whole log of its user. */
  async end(): Promise<void> {
    await this.#service.flush();
    await this.#service.settled();
    const { db } = this.#service.services;
    const deliveries = this.#service.nodes.map(({ services }) => services.inbox.delivery);
    await eventually(async () => {
      const rows = await db.all<{ id: string; seq: number }>`select user_id as id, seq from inbox_heads`;
      const heads = new Map(rows.map(({ id, seq }) => [id, seq]));
      for (const delivery of deliveries) await delivery.compare();
      return deliveries
        .flatMap((delivery) => [...delivery.cursors()])
        .every(({ device, cursor }) => cursor === heads.get(device.userId));
    });
    for (const device of this.#devices.flat()) {
      await device.socket.ask({ type: 'ping' });
      collect(device);
    }
  }
}

function collect({ socket, events }: Device): void {
  events.push(...socket.unread.filter(({ type }) => type === 'event'));
}

/** What a device knows of a conversation by the events alone. */
interface Known {
  readonly messages: Map<number, Body>;
  revision: number;
  /** Whether a number of changes is missing, so that what it has may be out of date. */
  isOutdated: boolean;
  clearedN: number;
  ownRead: number;
}

/** The conversations by their peers, as a device makes them of its events. */
function fold({ person, events }: Device): Map<string, Known> {
  const all = new Map<string, Known>();
  const of = (peer: string) => {
    const known = all.get(peer) ?? {
      messages: new Map(),
      revision: 0,
      isOutdated: false,
      clearedN: 0,
      ownRead: 0,
    };
    all.set(peer, known);
    return known;
  };
  for (const { event, at, data } of events) {
    if (event === 'message') {
      const { peer, ...message } = data;
      of(peer).messages.set(message.n, { ...message, at });
    } else if (event === 'conversation') of(data.peer).clearedN = data.clearedN;
    else if (event === 'marked' && data.by === person.id) of(data.peer).ownRead = data.read;
    else if (event === 'unblock') {
      const known = of(data.userId);
      if (known.revision !== data.revision) known.isOutdated = true;
      known.revision = data.revision;
    } else if (['unsent', 'edited', 'reaction'].includes(event)) {
      const known = of(data.peer);
      if (data.revision !== known.revision + 1) known.isOutdated = true;
      known.revision = data.revision;
      const message = known.messages.get(data.n) ?? assert.fail('a change of an unknown message');
      known.messages.set(data.n, changed(message, event, at, data));
    }
  }
  return all;
}

function changed(message: Body, event: string, at: number, { by, body, emoji }: Body): Body {
  const { n, from, cid, at: sentAt } = message;
  if (event === 'unsent') return { n, from, cid, at: sentAt, body: '', unsentAt: at };
  // The page of the log had the message as it was later.
  if (message.unsentAt !== undefined) return message;
  if (event === 'edited') return { ...message, body, editedAt: at };
  const { reactions = {}, ...rest } = message;
  const { [by]: _before, ...others } = reactions;
  const now = emoji === '' ? others : { ...others, [by]: emoji };
  return { ...rest, ...(Object.keys(now).length > 0 && { reactions: now }) };
}

/** Checks that the log has nothing of a user between their block and its end. */
function assertNothingBlocked({ events }: Device, name: string): void {
  const blocked = new Set<string>();
  for (const { event, data } of events) {
    if (event === 'block') blocked.add(data.userId);
    else if (event === 'unblock') blocked.delete(data.userId);
    else assert.ok(!blocked.has(data.from ?? data.by), `${name} got ${event} ${JSON.stringify(data)}`);
  }
}

/** Compares what a device has by its events with what a new one reads. @returns how many conversations could be compared */
async function assertSynced(service: SocketService, device: Device, name: string): Promise<number> {
  const fresh = await service.enter(device.person);
  const { data } = await fresh.ask({ type: 'sync' });
  const blocked = new Set(data.blocks.map(({ id }: Body) => id));
  const wereBlocked = new Set(
    device.events.flatMap(({ event, data }) => (event === 'block' ? [data.userId] : [])),
  );
  let compared = 0;
  for (const [peer, known] of fold(device)) {
    const what = `${name} with ${peer}`;
    const { data: page } = await fresh.ask({ type: 'history', peer, limit: 100 });
    const entry = data.conversations.find((one: Body) => one.peer === peer);
    assert.equal(page.clearedN, known.clearedN, what);
    if (known.isOutdated || page.revision !== known.revision)
      assert.ok(wereBlocked.has(peer), `${what}: only those of a blocked user are missing`);
    else {
      compared++;
      const messages = [...known.messages.values()].filter(({ n }) => n > known.clearedN);
      assert.deepEqual(page.items, messages, what);
    }
    if (!entry) {
      assert.deepEqual(page.items, [], what);
      continue;
    }
    assert.deepEqual(
      [entry.revision, entry.clearedN, entry.ownRead, entry.last],
      [page.revision, page.clearedN, known.ownRead, page.items.at(-1)],
      what,
    );
    const unread = page.items.filter(
      ({ n, from, unsentAt }: Body) => from === peer && n > entry.ownRead && unsentAt === undefined,
    );
    assert.equal(entry.unread, blocked.has(peer) ? 0 : unread.length, what);
  }
  fresh.ws.terminate();
  return compared;
}

/** Checks the rows of all users as the command `check` does, that nothing rings without an unread message, and that no earlier text is left. */
async function assertStored({ services: { db } }: SocketService): Promise<void> {
  for (const [name, checks] of Object.entries(ROW_CHECKS))
    for (const check of checks) assert.deepEqual(await check(db, { after: '', upTo: '~' }), [], name);
  const ringing = await db.all`
    select pending.user_id from push_pending pending join conversations
      on conversations.user_id = pending.user_id and conversations.peer_id = pending.peer_id
    where pending.count > 0 and conversations.unread = 0`;
  assert.deepEqual(ringing, []);
  const rows = await db.all<{ body: string }>`select body from messages`;
  const present = new Set(rows.map(({ body }) => body));
  const stored = JSON.stringify(await everythingStored(db)).match(/said [0-9a-f-]{36}/g) ?? [];
  for (const text of stored) assert.ok(present.has(text), text);
}

onEachDeployment('messages that change while people write, mark, clear and block', (database) => {
  test('in any order: logs without gaps, exact counts, and every device has what a new one reads', async (t) => {
    const service = await startSockets(t, database, { env: { RATE_LIMIT_MESSAGES: 'off' } });
    const done = new Map<string, number>();
    let run = 0;
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 100 }), async (steps) => {
        run++;
        const devices: Device[][] = [];
        for (let by = 0; by < PEOPLE; by++) {
          const person = await service.join(`run${run}person${by}`);
          const own: Device[] = [];
          for (let i = 0; i < DEVICES; i++) {
            const socket = await service.connect({ node: by + i });
            const { data } = await socket.hello({ token: person.token, seq: 0 });
            own.push({ person, socket, epoch: data.epoch, events: [] });
          }
          devices.push(own);
        }
        const story = new Story(service, devices, done);
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
          for (const [i, device] of own.entries()) {
            const name = `person ${by}, device ${i}`;
            assert.deepEqual(
              device.events.map(({ seq }) => seq),
              device.events.map((_, place) => place + 1),
              name,
            );
            assertNothingBlocked(device, name);
            compared += await assertSynced(service, device, name);
          }
        await assertStored(service);
        for (const { socket } of devices.flat()) socket.ws.terminate();
      }),
      { numRuns: database.kind === 'sqlite' ? 30 : 10, endOnFailure: true },
    );
    const counts = ['send', 'edit', 'unsend', 'react', 'mark', 'clear', 'block'].map((act) => done.get(act));
    assert.ok(
      counts.every((count) => count),
      `some of everything was done: ${counts}`,
    );
    assert.ok(compared > run, `${compared} conversations were compared`);
    t.diagnostic(`${run} runs, ${counts} acts done, ${compared} conversations compared`);
  });
});
