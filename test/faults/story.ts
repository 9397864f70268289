import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import type { Answer, Body, Person } from '../harness.ts';
import { settled } from '../nodes.ts';
import type { SocketService, TestSocket } from '../sockets.ts';

const WRITERS = 4;
/** Below the limit of 30 messages in 10 s. */
const EVERY_MS = 350;
const RETRY_MS = 50;
/** Without Redis a node reads every 500 ms what ended on others; one that cannot read for 3 s believes nothing. */
const ENDED_MS = 3_000;
/** Presence is right again, and every message has arrived. */
const HEALED_MS = 30_000;

/** A device that connects again to the next node whenever its connection ends, and keeps every event that it received. */
class Device {
  readonly person: Person;
  readonly events: Body[] = [];
  socket: TestSocket | undefined;
  readonly #service: SocketService;
  #node: number;
  #epoch = '';
  #hasLeft = false;
  readonly #receiving: Promise<void>;

  constructor(service: SocketService, person: Person, node: number) {
    this.#service = service;
    this.person = person;
    this.#node = node;
    this.#receiving = this.#receive();
  }

  get seq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.socket?.ws.terminate();
    await this.#receiving;
  }

  async #receive(): Promise<void> {
    while (!this.#hasLeft) {
      try {
        const socket = await this.#service.connect({ node: this.#node });
        this.socket = socket;
        const position = { seq: this.seq, ...(this.#epoch && { epoch: this.#epoch }) };
        const { data } = await socket.hello({ token: this.person.token, ...position });
        this.#epoch = data.epoch;
        for (;;) this.events.push(await socket.first(({ type }) => type === 'event'));
      } catch {
        this.#node++;
        await delay(RETRY_MS);
      }
    }
  }
}

/**
 * Users with devices on different nodes who write to each other while something goes wrong. Then: nothing that was acknowledged is
 * lost or stored twice, no number is missing, blocks and ended sessions hold, and presence is right.
 */
export class FaultStory {
  readonly #service: SocketService;
  readonly #people: readonly Person[];
  readonly #devices: readonly Device[];
  readonly #acknowledged = new Map<string, Body>();
  #failed = 0;
  #isWriting = true;
  readonly #writing: Promise<unknown>;
  #count = 0;

  static async start(t: TestContext, service: SocketService): Promise<FaultStory> {
    const people: Person[] = [];
    for (let i = 0; i < WRITERS; i++) people.push(await service.join(`writer${i}`));
    const story = new FaultStory(service, people);
    t.after(() => story.#leave());
    await eventually(() => story.#devices.every(({ socket }) => socket));
    return story;
  }

  private constructor(service: SocketService, people: readonly Person[]) {
    this.#service = service;
    this.#people = people;
    this.#devices = people.flatMap((person, i) => [
      new Device(service, person, i),
      new Device(service, person, i + 1),
    ]);
    this.#writing = Promise.all(people.map((person, i) => this.#write(person, i)));
  }

  /** A user blocks another on one node, and is blocked by them at that moment on all nodes. */
  async block(): Promise<void> {
    const [blocker, blocked] = [await this.#newPerson(), await this.#newPerson()];
    const devices = await Promise.all(
      this.#service.nodes.map((_, node) => this.#service.enter(blocker, { node })),
    );
    const writer = await this.#service.enter(blocked);
    for (const device of devices) await device.ask({ type: 'watch', userIds: [blocked.id] });
    const body = { blockedId: blocked.id };
    const answer = await this.#service.post('/api/user/block', body, { token: blocker.token });
    assert.equal(answer.status, 200, answer.text);
    for (const node of this.#service.nodes) {
      const message = { to: blocker.id, cid: crypto.randomUUID(), body: 'x' };
      assert.equal((await node.post('/api/messages', message, { token: blocked.token })).status, 403);
    }
    await writer.ask({ type: 'typing', to: blocker.id });
    await writer.ask({ type: 'view', visible: false });
    for (const device of devices) {
      const { data } = await device.ask({ type: 'watch', userIds: [blocked.id] });
      assert.deepEqual(data, [{ id: blocked.id, online: 0, idle: 0, lastSeen: 0 }]);
    }
    await this.#service.flush();
    for (const device of devices) {
      await eventually(() => device.unread.some(({ event }) => event === 'block'), HEALED_MS);
      const after = device.unread.slice(device.unread.findIndex(({ event }) => event === 'block') + 1);
      assert.deepEqual(after, [], 'nothing comes through');
      device.ws.terminate();
    }
    writer.ws.terminate();
  }

  /** A session ends on one node: then no node takes its token, and its sockets are closed on all. */
  async endSession(): Promise<void> {
    const { nodes } = this.#service;
    const person = await this.#newPerson();
    const sockets = await Promise.all(nodes.map((_, node) => this.#service.enter(person, { node })));
    for (const node of nodes)
      assert.equal((await node.get('/api/sessions', { token: person.token })).status, 200);
    const answer = await this.#service.post('/api/logout', {}, { token: person.token });
    assert.equal(answer.status, 200, answer.text);
    for (const node of nodes)
      await eventually(
        async () => (await node.get('/api/sessions', { token: person.token })).status === 401,
        ENDED_MS,
      );
    for (const socket of sockets) assert.equal((await socket.ended).code, 4409);
  }

  /** One device ends its connection, and another user connects. */
  async comeAndGo(): Promise<void> {
    await this.#service.enter(await this.#newPerson());
    const leaving = await this.#service.enter(await this.#newPerson());
    leaving.ws.close();
    await leaving.ended;
  }

  /** Waits until another message was acknowledged after this call on each writer's behalf. */
  async flow(): Promise<void> {
    const count = this.#acknowledged.size + WRITERS;
    await eventually(() => this.#acknowledged.size >= count, HEALED_MS);
  }

  /** Waits until each device has received everything that is stored now. */
  async delivered(): Promise<void> {
    const { db } = this.#service.services;
    const heads = await db.all<{ user_id: string; seq: number }>`select user_id, seq from inbox_heads`;
    for (const device of this.#devices) {
      const { seq } = heads.find(({ user_id }) => user_id === device.person.id) ?? assert.fail();
      await eventually(() => device.seq >= seq, HEALED_MS);
    }
  }

  /** Waits until every node shows the presence of all again. */
  async healed(): Promise<void> {
    await this.comeAndGo();
    await settled(this.#service.nodes, HEALED_MS);
  }

  /** Ends the writing and compares what devices received with what was acknowledged. */
  async verify(t: TestContext): Promise<void> {
    await this.flow();
    this.#isWriting = false;
    await this.#writing;
    await this.delivered();
    for (const { events } of this.#devices)
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, i) => i + 1),
      );
    await this.#verifyMessages();
    t.diagnostic(`${this.#acknowledged.size} messages acknowledged, ${this.#failed} attempts failed`);
  }

  async #verifyMessages(): Promise<void> {
    const rows = await this.#service.services.db.all<{
      low_id: string;
      high_id: string;
      n: number;
      cid: string;
    }>`select low_id, high_id, n, cid from messages order by low_id, high_id, n`;
    const counts = new Map<string, number>();
    for (const { low_id, high_id, n } of rows) {
      const pair = `${low_id} ${high_id}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
      assert.equal(n, counts.get(pair), 'no gap in a conversation');
    }
    const stored = rows.map(({ cid }) => cid).sort();
    assert.deepEqual(
      stored,
      [...this.#acknowledged.keys()].sort(),
      'each acknowledged message is stored once',
    );
    for (const { n, cid } of rows) assert.equal(this.#acknowledged.get(cid).n, n);
    for (const [cid, { to }] of this.#acknowledged)
      for (const { person, events } of this.#devices) {
        const times = events.filter((event) => event.data.cid === cid).length;
        assert.equal(times, person.id === to || cid.startsWith(person.id) ? 1 : 0, cid);
      }
  }

  async #write(person: Person, at: number): Promise<void> {
    await delay((EVERY_MS * at) / WRITERS);
    for (let i = 1; this.#isWriting; i++) {
      const to = this.#people[(at + 1 + (i % (WRITERS - 1))) % WRITERS] ?? assert.fail();
      const message = { to: to.id, cid: `${person.id} ${i}`, body: 'hello' };
      for (;;) {
        const { status, body, text }: Answer = await this.#service.post('/api/messages', message, person);
        if (status === 200) {
          this.#acknowledged.set(message.cid, { ...body.data, to: to.id });
          break;
        }
        assert.ok(status === 500 || body.error === 'overloaded', text);
        this.#failed++;
        await delay(RETRY_MS);
      }
      await delay(EVERY_MS);
    }
  }

  #newPerson(): Promise<Person> {
    return this.#service.join(`guest${++this.#count}`);
  }

  async #leave(): Promise<void> {
    this.#isWriting = false;
    await Promise.all(this.#devices.map((device) => device.leave()));
    await this.#writing.catch(() => {});
  }
}
