import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Clock } from '../clocks.ts';
import { onEachDatabase, type TestDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Body, Person } from '../harness.ts';
import { type PushService, type SubscriptionJson, startPushService } from '../push-service.ts';
import { type SocketService, startSockets, type TestSocket } from '../sockets.ts';

/** Only catches a hang: a message or a push takes some milliseconds, and up to 2 s on a busy machine. */
const HANG_MS = 20_000;
const MAX_GROWTH_BYTES = 100 * 1024 * 1024;

onEachDatabase('while others go wrong', (database) => {
  test('a client that stops reading delays no other, is closed with 4008, and resumes where it was', async (t) => {
    const { service, clock, alice, bob, bystanders } = await startFaults(t, database, { isStill: true });
    const [stuck, working] = [await service.connect(), await service.enter(alice)];
    const writers = [await service.enter(bob)];
    for (const name of ['erin', 'frank']) writers.push(await service.enter(await service.join(name)));
    const { data: welcome } = await stuck.hello({ token: alice.token });
    stuck.ws.pause();
    const before = process.memoryUsage.rss();
    const body = '🚪'.repeat(4_000); // the largest allowed: 16 kB
    for (let n = 1; n <= 150; n++) {
      const writer = writers[n % 3] ?? working;
      const reply = await writer.ask({ type: 'send', to: alice.id, cid: `c${n}`, body });
      assert.equal(reply.code, 200, JSON.stringify(reply));
      for (const device of [working, writer]) assert.equal((await device.first(isMessage)).data.cid, `c${n}`);
      if (n % 10 === 0) await bystanders.chat();
      // Slowly enough to reach no limit, and within the 25 s until the first ping and the 30 s of a slow reader.
      clock.add(150);
    }
    const growth = process.memoryUsage.rss() - before;
    assert.ok(growth < MAX_GROWTH_BYTES, `${growth} bytes`);

    working.send({ type: 'bye' });
    await working.ended;
    // After each leap of the clock the heartbeat first checks what has arrived.
    const leaps = setInterval(() => clock.add(30_000), 1_200);
    t.after(() => clearInterval(leaps));
    await eventually(async () => (await service.isOnline(alice)) === 0, 60_000);
    clearInterval(leaps);
    stuck.ws.resume();
    assert.deepEqual(await stuck.ended, { code: 4008, reason: 'no_progress' });
    const had = stuck.unread.filter(isMessage).length;
    assert.ok(had < 150, 'it was not written to without end');

    const again = await service.connect();
    const { epoch, seq } = welcome;
    await again.hello({ token: alice.token, epoch, seq: seq + had });
    assert.deepEqual(
      again.unread.filter(isMessage).map(({ data }) => data.cid),
      Array.from({ length: 150 - had }, (_, i) => `c${had + 1 + i}`),
    );
    t.diagnostic(`others waited ${bystanders.slowestMs()} ms at most, memory grew by ${growth >> 20} MB`);
  });

  test('a user who never acknowledges gets a push after 5 s, a user who acknowledges does not', async (t) => {
    const { service, clock, alice, bob, bystanders, pushService, subscribe } = await startFaults(t, database);
    const { endpoint } = await subscribe(alice);
    const [alices, bobs] = [await service.enter(alice), await service.enter(bob)];
    const write = async (cid: string) => {
      await bobs.ask({ type: 'send', to: alice.id, cid, body: 'hello' });
      return await alices.first(isMessage);
    };
    await write('never acknowledged');
    clock.add(4_000);
    await service.pushes.runDue();
    assert.equal(pushService.attempts(endpoint).length, 0);
    clock.add(1_001);
    await service.pushes.runDue();
    assert.equal(pushService.received(endpoint).length, 1);

    clock.add(60_000);
    const { seq } = await write('acknowledged');
    await alices.ask({ type: 'ack', seq });
    clock.add(60_000);
    await service.pushes.runDue();
    assert.equal(pushService.received(endpoint).length, 1);
    await bystanders.chat();
  });

  test('no half-open connection of 300 is left after two heartbeats, and what they missed is pushed', async (t) => {
    const { service, clock, alice, bob, bystanders, pushService, subscribe } = await startFaults(t, database);
    const { endpoint } = await subscribe(alice);
    const people = [alice];
    for (let i = 1; i < 30; i++) people.push(await service.join(`person${i}`));
    const gone: TestSocket[] = [];
    t.after(() => {
      for (const { ws } of gone) ws.terminate();
    });
    for (let i = 0; i < 300; i++) {
      const socket = await service.enter(people[i % 30] ?? alice, { autoPong: false });
      socket.ws.pause(); // neither reads nor closes
      gone.push(socket);
    }
    const bobs = await service.enter(bob);
    let isPinged = false;
    bobs.ws.on('ping', () => {
      isPinged = true;
    });
    for (let n = 1; n <= 20; n++) {
      await bobs.ask({ type: 'send', to: alice.id, cid: `c${n}`, body: 'are you there?' });
      await bystanders.chat();
      clock.add(400);
    }
    assert.equal(service.services.presence.online.onlineIds().length, 33);

    // Pinged after 25 s, given up 15 s later; Bob connected last, so when Bob is pinged all others are.
    clock.add(25_000);
    await eventually(() => isPinged, HANG_MS);
    clock.add(15_000);
    await eventually(() => service.services.presence.online.onlineIds().length === 3, HANG_MS);
    await eventually(async () => (await connectionsOf(service)) === 3, HANG_MS);
    await bystanders.chat();
    await service.pushes.runDue();
    const { notification } = JSON.parse(pushService.received(endpoint).at(-1)?.text ?? '{}');
    assert.equal(notification.body, '20 new messages');
    t.diagnostic(`others waited ${bystanders.slowestMs()} ms at most`);
  });

  test('a push service that hangs delays neither chat nor other push services, and gets its pushes later', async (t) => {
    const { service, clock, alice, bob, bystanders, pushService, subscribe } = await startFaults(t, database);
    const hanging = await startPushService({ now: clock.world.now });
    t.after(() => hanging[Symbol.asyncDispose]());
    const { endpoint } = await subscribe(alice);
    const held: string[] = [];
    const bobs = await service.enter(bob);
    for (let i = 0; i < 24; i++) {
      const person = await service.join(`person${i}`);
      const { endpoint } = await subscribe(person, hanging);
      hanging.answerAlways(endpoint, 'hang');
      held.push(endpoint);
      const reply = await bobs.ask({ type: 'send', to: person.id, cid: `c${i}`, body: 'hello' });
      assert.equal(reply.code, 200, JSON.stringify(reply));
    }
    await eventually(() => hanging.requests > 0, HANG_MS);
    const startedAt = performance.now();
    await bobs.ask({ type: 'send', to: alice.id, cid: 'not held up', body: 'hello' });
    await pushService.next(endpoint, HANG_MS);
    const pushedMs = performance.now() - startedAt;
    for (let i = 0; i < 10; i++) await bystanders.chat();
    assert.ok(hanging.mostAtOnce <= 16, `${hanging.mostAtOnce} at once`);
    assert.deepEqual(
      held.flatMap((endpoint) => hanging.received(endpoint)),
      [],
    );

    for (const endpoint of held) hanging.answerAlways(endpoint, undefined);
    await service.pushes.runDue(); // the hanging requests reach their deadline
    clock.add(3_600_000);
    await service.pushes.runDue();
    for (const endpoint of held) assert.ok(hanging.received(endpoint).length >= 1);
    t.diagnostic(
      `others waited ${bystanders.slowestMs()} ms at most, and ${pushedMs.toFixed()} ms for a push`,
    );
  });
});

/** Two users who meet the fault, and two bystanders. */
async function startFaults(t: TestContext, database: TestDatabase, time: { isStill?: boolean } = {}) {
  const clock = new Clock(time);
  const pushService = await startPushService({ now: clock.world.now ?? Date.now });
  t.after(() => pushService[Symbol.asyncDispose]());
  const service = await startSockets(t, database, {
    env: { PUSH_ALLOW_PRIVATE: '1' },
    world: { ...clock.world, pushDeadlineMs: 1_500 },
  });
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];
  async function subscribe(person: Person, at: PushService = pushService): Promise<SubscriptionJson> {
    const subscription = at.subscribe(service.services.push.vapidKeys.publicKey);
    const body = { userId: person.id, subscription };
    const { status } = await service.post('/api/push/subscribe', body, { token: person.token });
    assert.equal(status, 200);
    return subscription;
  }
  return { service, clock, alice, bob, bystanders: await startBystanders(service), pushService, subscribe };
}

async function startBystanders(service: SocketService) {
  const [carol, dave] = [await service.join('carol'), await service.join('dave')];
  const [carols, daves] = [await service.enter(carol), await service.enter(dave)];
  let count = 0;
  let slowestMs = 0;
  const send = async (from: TestSocket, by: TestSocket, to: Person) => {
    const startedAt = performance.now();
    const cid = `bystander ${++count}`;
    const [reply] = await Promise.all([
      from.ask({ type: 'send', to: to.id, cid, body: 'all is well' }),
      by.first((frame) => isMessage(frame) && frame.data.cid === cid),
    ]);
    assert.equal(reply.code, 200, JSON.stringify(reply));
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  };
  return {
    /** A message each way. */
    chat: async () => {
      await send(carols, daves, dave);
      await send(daves, carols, carol);
      assert.ok(slowestMs < HANG_MS, `${slowestMs} ms`);
    },
    slowestMs: () => Math.round(slowestMs),
  };
}

function isMessage({ type, event }: Body): boolean {
  return type === 'event' && event === 'message';
}

function connectionsOf({ app }: SocketService): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
}
