import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDeployment } from '../../test/databases.ts';
import type { Body } from '../../test/harness.ts';
import { sendMessage } from '../../test/messages.ts';
import { startSockets, type TestSocket } from '../../test/sockets.ts';
import { trimInboxes } from '../inbox/trim.ts';

onEachDeployment('the log over the socket', (database) => {
  async function startTwo(t: TestContext) {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    let cid = 0;
    const nextNode = () => (service.nodes[cid % service.nodes.length] ?? service).services;
    const sender = await service.services.accounts.authentication.identify(bob.token);
    assert.ok(sender);
    // By the rule itself, which knows no limit of messages in a time.
    const write = (body: string) =>
      sendMessage(nextNode(), sender, { to: alice.id, cid: `m${++cid}`, body }, clock.world.now());
    const open = async (fields: object = {}) => {
      const socket = await service.connect();
      const { data } = await socket.hello({ token: alice.token, ...fields });
      await service.settled(); // else another node finds the device after some 100 ms only
      return { socket, ...data };
    };
    return { clock, service, alice, bob, write, open };
  }

  /** The numbers of the events that came and were not asked for yet. */
  const numbers = (socket: TestSocket) =>
    socket.unread.filter(({ type }) => type === 'event').map(({ seq }) => seq);
  const upTo = async (socket: TestSocket, seq: number): Promise<Body[]> => {
    const events: Body[] = [];
    while (events.at(-1)?.seq !== seq) events.push(await socket.first(({ type }) => type === 'event'));
    return events;
  };

  test('a device without a position gets no past events, then each event as it happens', async (t) => {
    const { clock, write, open, bob } = await startTwo(t);
    await write('before');
    const { socket, seq, resumed, epoch } = await open();
    assert.deepEqual([seq, resumed, typeof epoch], [1, false, 'string']);
    assert.deepEqual(numbers(socket), []);
    await write('now');
    const event = await socket.next();
    const { at, ...rest } = event;
    assert.equal(at, clock.world.now());
    assert.deepEqual(rest, {
      type: 'event',
      seq: 2,
      event: 'message',
      data: { peer: bob.id, n: 2, from: bob.id, cid: 'm2', body: 'now' },
    });
  });

  test('a device that reconnects gets what it missed, in order, once, and then live', async (t) => {
    const { write, open } = await startTwo(t);
    const first = await open();
    for (const body of ['1', '2']) await write(body);
    await upTo(first.socket, 2);
    first.socket.ws.terminate();
    for (let i = 3; i <= 8; i++) await write(String(i));
    const back = await open({ epoch: first.epoch, seq: 2 });
    assert.deepEqual([back.seq, back.resumed], [8, true]);
    assert.deepEqual(numbers(back.socket), [3, 4, 5, 6, 7, 8]);
    const again = await open({ epoch: first.epoch, seq: 8 });
    assert.deepEqual([again.seq, again.resumed], [8, true]);
    assert.deepEqual(numbers(again.socket), []);
  });

  test('seq 0 gets all events that are kept, also when the first ones were trimmed', async (t) => {
    const { service, alice, write, open } = await startTwo(t);
    const empty = await open({ seq: 0 });
    assert.deepEqual([empty.seq, empty.resumed], [0, true]);
    for (let i = 1; i <= 5; i++) await write(String(i));
    assert.deepEqual(numbers((await open({ seq: 0 })).socket), [1, 2, 3, 4, 5]);
    await service.services.db.run`delete from inbox where user_id = ${alice.id} and seq <= 2`;
    const trimmed = await open({ seq: 0 });
    assert.equal(trimmed.resumed, true);
    assert.deepEqual(numbers(trimmed.socket), [3, 4, 5]);
  });

  test('a position of another epoch, trimmed, or ahead of the head is void: resumed false, and only what is new', async (t) => {
    const { service, alice, write, open } = await startTwo(t);
    for (let i = 1; i <= 5; i++) await write(String(i));
    const { epoch } = await open();
    await service.services.db.run`delete from inbox where user_id = ${alice.id} and seq <= 3`;
    for (const position of [
      { epoch: 'other', seq: 4 },
      { epoch: 'other', seq: 0 },
      { epoch, seq: 2 },
      { epoch, seq: 6 },
      { epoch, seq: Number.MAX_SAFE_INTEGER },
      { seq: 4 },
      { epoch },
    ]) {
      const { socket, seq, resumed } = await open(position);
      assert.deepEqual([seq, resumed], [5, false], JSON.stringify(position));
      assert.deepEqual(numbers(socket), []);
      socket.ws.terminate();
    }
    assert.equal((await open({ epoch, seq: 3 })).resumed, true, 'the next one, 4, is still there');
    const { socket } = await open({ epoch, seq: 6 });
    await write('6');
    assert.equal((await socket.next()).seq, 6);
  });

  test('events older than 7 days or beyond 5,000 are removed, and no device gets a gap', async (t) => {
    const { clock, service, alice, write, open } = await startTwo(t);
    for (let i = 1; i <= 4; i++) await write(String(i));
    const { epoch, socket } = await open();
    const day = 24 * 60 * 60 * 1000;
    await service.services.db
      .run`update inbox set at = ${clock.world.now() - 8 * day} where user_id = ${alice.id} and seq <= 2`;
    await trimInboxes(service.services.db, clock.world.now());
    assert.equal((await open({ epoch, seq: 1 })).resumed, false);
    assert.deepEqual(numbers((await open({ epoch, seq: 2 })).socket), [3, 4]);
    await write('5');
    assert.equal((await socket.next()).seq, 5);
  });

  test('a device whose next event was trimmed from the log is closed instead of getting a gap', async (t) => {
    const { service, alice, write, open } = await startTwo(t);
    const { socket } = await open();
    await write('1');
    assert.equal((await socket.next()).seq, 1);
    const { db } = service.services;
    // Written behind the back of the service, as if its hints were lost; then the sweep finds them, but not all.
    await db.run`update inbox_heads set seq = 4 where user_id = ${alice.id}`;
    for (const seq of [3, 4])
      await db.run`insert into inbox (user_id, seq, at, event, data) values (${alice.id}, ${seq}, 1, 'profile', '{}')`;
    for (const { services } of service.nodes) await services.inbox.delivery.compare();
    assert.deepEqual(await socket.ended, { code: 4008, reason: 'too_far_behind' });
  });

  test('a device that needs an event whose message is missing is closed, and its position is void', async (t) => {
    const { service, alice, write, open } = await startTwo(t);
    for (let i = 1; i <= 4; i++) await write(String(i));
    const { epoch } = await open();
    await service.services.db.run`delete from messages where n = 3`;
    const socket = await service.connect();
    const { data } = await socket.ask({ type: 'hello', token: alice.token, epoch, seq: 1 });
    assert.equal(data.resumed, true);
    assert.deepEqual(await socket.ended, { code: 4008, reason: 'too_far_behind' });
    assert.deepEqual(numbers(socket), [2]);
    assert.equal((await open({ epoch, seq: 2 })).resumed, false);
    assert.deepEqual(numbers((await open({ epoch, seq: 3 })).socket), [4]);
  });

  test('an event whose hint was lost comes within 5 s of the service’s clock, by the sweep', async (t) => {
    const { clock, service, alice, open } = await startTwo(t);
    const { socket } = await open();
    const { db } = service.services;
    await db.run`update inbox_heads set seq = 2 where user_id = ${alice.id}`;
    for (const seq of [1, 2])
      await db.run`insert into inbox (user_id, seq, at, event, data) values (${alice.id}, ${seq}, 1, 'profile', '{}')`;
    await clock.advance(5_000);
    assert.deepEqual(
      (await upTo(socket, 2)).map(({ seq }) => seq),
      [1, 2],
    );
  });

  test('after `catchUp` a device has what was committed before it, without any hint', async (t) => {
    const { service, alice, open } = await startTwo(t);
    const { socket } = await open();
    const { db, inbox } = service.services;
    await inbox.delivery.catchUp(alice.id);
    await db.run`update inbox_heads set seq = 2 where user_id = ${alice.id}`;
    for (const seq of [1, 2])
      await db.run`insert into inbox (user_id, seq, at, event, data) values (${alice.id}, ${seq}, 1, 'profile', '{}')`;
    await inbox.delivery.catchUp(alice.id);
    await socket.roundTrip();
    assert.deepEqual(
      socket.unread.map((event: Body) => event.seq),
      [1, 2],
    );
  });

  test('all devices of a user get the same events, the sender’s too', async (t) => {
    const { service, alice, bob, open } = await startTwo(t);
    const [phone, laptop] = [await open(), await open()];
    const bobs = await service.enter(bob);
    const sent = await bobs.ask({ type: 'send', to: alice.id, cid: 'c', body: 'hi' });
    assert.deepEqual(Object.keys(sent.data).sort(), ['at', 'duplicate', 'n', 'peer']);
    const one = await phone.socket.next();
    assert.deepEqual(await laptop.socket.next(), one);
    const own = await bobs.next();
    assert.deepEqual(own.data, { ...one.data, peer: alice.id });
    await laptop.socket.ask({ type: 'mark', peer: bob.id, read: 1 });
    const marked = await phone.socket.next();
    assert.deepEqual(marked.data, { peer: bob.id, by: alice.id, received: 1, read: 1 });
  });

  test('the user’s own profile, settings and ended sessions are events; without a change there is none', async (t) => {
    const { service, alice, open } = await startTwo(t);
    const { socket } = await open();
    const { token } = alice;
    const updated = await service.post('/api/user/profile', { bio: 'here' }, { token });
    const profile = await socket.next();
    assert.deepEqual([profile.event, profile.data], ['profile', updated.body.data]);
    await service.post('/api/user/profile', {}, { token });
    await service.post('/api/user/settings', {}, { token });
    await service.post('/api/user/settings', { dndEnabled: true }, { token });
    const settings = await socket.next();
    assert.deepEqual([settings.seq, settings.event], [2, 'settings']);
    assert.deepEqual(settings.data, { push_enabled: 1, dnd_enabled: 1, push_preview: 'sender' });
    const other = await service.logIn(alice);
    await service.post('/api/logout', {}, { token: other.token });
    const sessions = await socket.next();
    assert.deepEqual([sessions.seq, sessions.event, sessions.data.ended.length], [3, 'sessions', 1]);
  });

  test('with many writers and broken connections each device gets every event once, in order', async (t) => {
    const { service, alice, write, open } = await startTwo(t);
    const total = 120;
    const seen: number[] = [];
    let epoch = (await open()).epoch;
    const writing = (async () => {
      for (let i = 0; i < total; i += 4) await Promise.all([1, 2, 3, 4].map((k) => write(`${i + k}`)));
    })();
    for (let breaks = 0; (seen.at(-1) ?? 0) < total; breaks++) {
      const socket = await service.connect();
      socket.send({ type: 'hello', id: '1', token: alice.token, epoch, seq: seen.at(-1) ?? 0 });
      const reply = await socket.first(({ type }) => type === 'reply');
      assert.equal(reply.data.resumed, true);
      epoch = reply.data.epoch;
      const taken = 1 + (breaks % 7);
      for (let i = 0; i < taken && (seen.at(-1) ?? 0) < total; i++)
        seen.push((await socket.first(({ type }) => type === 'event')).seq);
      socket.ws.terminate();
    }
    await writing;
    assert.deepEqual(
      seen,
      Array.from({ length: total }, (_, i) => i + 1),
    );
  });

  test('an ack only raises, and only to what was written; the peer gets one receipt for many messages', async (t) => {
    const { service, alice, bob, write, open } = await startTwo(t);
    const bobs = await service.enter(bob);
    const { socket } = await open();
    for (let i = 1; i <= 5; i++) await write(String(i));
    await upTo(socket, 5);
    const received = async () => {
      const { body } = await service.get('/api/conversations', { token: bob.token });
      return body.data[0].received;
    };
    assert.equal((await socket.ask({ type: 'ack', seq: 4 })).code, 200);
    await service.flush();
    assert.equal(await received(), 4);
    assert.equal((await socket.ask({ type: 'ack', seq: 2 })).code, 200);
    assert.equal((await socket.ask({ type: 'ack', seq: 4_000_000 })).code, 200);
    await service.flush();
    assert.equal(await received(), 5);
    await service.settled();
    await bobs.ask({ type: 'sync' });
    const marks = bobs.unread.filter(({ event }) => event === 'marked').map(({ data }) => data);
    assert.deepEqual(marks, [
      { peer: alice.id, by: alice.id, received: 4, read: 0 },
      { peer: alice.id, by: alice.id, received: 5, read: 0 },
    ]);
    await write('6');
    await upTo(socket, 8); // 6 and 7 are the marks
    await service.flush();
    assert.equal(await received(), 5, 'not acknowledged in advance');
    await socket.ask({ type: 'ack', seq: 8 });
    await service.flush();
    assert.equal(await received(), 6);
    // What was settled once is not settled again after a restart, nor lowered.
    const restarted = await service.restart();
    for (const { services } of restarted.nodes) await services.chat.deliveryReceipts.flush();
    const { body } = await restarted.get('/api/conversations', { token: bob.token });
    assert.equal(body.data[0].received, 6);
  });
});
