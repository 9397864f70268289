import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { runCommand } from '../commands.ts';
import { onEachDatabase } from '../databases.ts';
import { Device, partnerOf, verifyConversation, verifyDevices } from '../devices.ts';
import { type ServerProcess, settingsOf, startServer } from '../processes.ts';
import { startPushService } from '../push-service.ts';

/** On each of the two databases, so twenty in total. */
const KILLS = 10;
/** Each writes a message every 333 ms, which all together are 210 a second, and stays below the limit of 30 in 10 s. */
const WRITERS = 70;
const EVERY_MS = 333;
/** Users write in this many groups, each group at one moment, so that a kill hits several messages. */
const GROUPS = 7;
/** Kills while messages are changed, and how many are at once. */
const CHANGE_KILLS = 3;
const CHANGED_AT_ONCE = 20;
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
      await verifyDevices(server.get, devices);
      assert.ok(devices.every(({ errors }) => errors === 0));

      const sent = devices.reduce((sum, device) => sum + device.sent.size, 0);
      const again = devices.reduce((sum, device) => sum + device.duplicates, 0);
      t.diagnostic(
        `${KILLS} kills: ${sent} messages, ${Math.round((sent / writingMs) * 1000)} a second; the answers of ${again} were lost`,
      );

      for (const [i, device] of devices.entries()) {
        const peer = partnerOf(devices, i);
        if (i % 2 === 0) await verifyConversation(server.get, device, peer.person, [device, peer]);
      }
      for (const [i, { person, subscription }] of away.entries()) {
        const writer = devices[i];
        assert.ok(writer);
        const count = await verifyConversation(server.get, writer, person, [writer]);
        await verifyPush(t, () => pushService.received(subscription.endpoint), count);
      }
    } finally {
      await server.kill();
    }
  });
});

onEachDatabase('kill -9 while people change messages', (database) => {
  test('every answered change is there for both, and a repeat of one whose answer was lost is stored once', async (t) => {
    const data = await database.create(t);
    const settings = settingsOf(data, { RATE_LIMIT_MESSAGES: 'off' });
    let server = await startServer(settings);
    let lost = 0;
    try {
      const [alice, bob] = [await join(server, 'alice'), await join(server, 'bob')];
      const acts = ['unsend', 'edit', 'react'];
      const changes = Array.from({ length: CHANGE_KILLS * CHANGED_AT_ONCE }, (_, i) => ({
        act: acts[i % acts.length],
        body: { peer: bob.id, n: i + 1, body: 'new', emoji: '👍' },
      }));
      const sent = changes.map(({ body }) =>
        server.post('/api/messages', { to: bob.id, cid: `${body.n}`, body: 'old' }, alice.token),
      );
      for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
      const ask = ({ act, body }: (typeof changes)[0]) =>
        server.post(`/api/messages/${act}`, body, alice.token).then(
          ({ status }) => status === 200,
          () => false,
        );
      const readBoth = async () => {
        const pages = [];
        for (const [own, peer] of [
          [alice, bob],
          [bob, alice],
        ] as const) {
          const path = `/api/messages?peer=${peer.id}&limit=100`;
          pages.push((await server.get(path, own.token)).body.data);
        }
        assert.deepEqual(pages[0], pages[1]);
        return pages[0];
      };
      for (let round = 0; round < CHANGE_KILLS; round++) {
        const own = changes.slice(round * CHANGED_AT_ONCE, (round + 1) * CHANGED_AT_ONCE);
        const asked = own.map(ask);
        await Promise.race(asked);
        await server.kill();
        const answered = await Promise.all(asked);
        lost += answered.filter((isAnswered) => !isAnswered).length;
        server = await startServer(settings);
        const { items } = await readBoth();
        for (const [i, { act, body }] of own.entries()) {
          if (!answered[i]) continue;
          const { body: text, unsentAt, editedAt, reactions } = items[body.n - 1];
          if (act === 'unsend') assert.deepEqual([text, unsentAt > 0], ['', true]);
          else if (act === 'edit') assert.deepEqual([text, editedAt > 0], ['new', true]);
          else assert.deepEqual(reactions, { [alice.id]: '👍' });
        }
        assert.ok((await Promise.all(own.map(ask))).every((isAnswered) => isAnswered));
        assert.equal((await readBoth()).revision, (round + 1) * CHANGED_AT_ONCE);
      }
      for (const { token } of [alice, bob])
        assert.equal((await server.get('/api/conversations', token)).body.seq, 2 * changes.length);
      const { code, output } = await runCommand(settings, ['check']);
      assert.equal(code, 0, output);
    } finally {
      await server.kill();
    }
    t.diagnostic(`${CHANGE_KILLS} kills: the answers of ${lost} changes were lost`);
    assert.ok(lost > 0);
  });
});

interface Joined {
  readonly id: string;
  readonly token: string;
}

async function join(server: ServerProcess, username: string): Promise<Joined> {
  const { status, body } = await server.post('/api/register', { username, password: 'secret' });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

async function enterAll(devices: readonly Device[], { url }: ServerProcess): Promise<void> {
  const waiting = [...devices];
  const enterNext = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      await next.enter(url);
      // What was not acknowledged is sent again.
      for (const [cid, { n }] of next.sent) if (n === undefined) await next.submit(cid);
    }
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
