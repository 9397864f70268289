import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { onEachDatabase, onEachDeployment, type TestDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import type { Answer, Body, Person, ServiceOptions } from '../../test/harness.ts';
import { notifications, startPushing } from '../../test/pushing.ts';
import { startSockets } from '../../test/sockets.ts';
import { eraseUser, suspendUser } from '../accounts/account-status.ts';
import { endRevokedKeys, revokeKey } from '../accounts/api-keys/api-keys.ts';
import { readLog } from '../accounts/log/read-log.ts';

const HOUR_MS = 3_600_000;

async function start(t: TestContext, database: TestDatabase, options: ServiceOptions = {}) {
  const service = await startSockets(t, database, options);
  const { db } = service.services;
  const key = await makeKey(service);
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];
  return {
    service,
    db,
    key,
    alice,
    bob,
    send: (messages: unknown, call = {}) =>
      service.post('/api/admin/messages', { messages }, { ...key, ...call }),
    bodies: () => db.all<{ body: string; n: number }>`select body, n from messages order by n`,
    /** The sessions that keys have opened. */
    ownSessions: () =>
      db.all<{ id: string; user_id: string; device: string }>`
        select sessions.id, sessions.user_id, sessions.device from sessions
        join api_key_sessions own on own.session_id = sessions.id order by sessions.user_id`,
  };
}

const message = (from: Person, to: Person, cid: string, body = cid) => ({
  from: from.id,
  to: to.id,
  cid,
  body,
});
const words = ({ body }: Answer) => body.data.map(({ error, n }: Body) => error ?? n);

onEachDeployment('messages by API key', (database) => {
  test('are answered in their order, and reach the devices of both users', async (t) => {
    const { service, alice, bob, send } = await start(t, database);
    const carol = await service.join('carol');
    const alices = await service.enter(alice, { node: 1 });
    const bobs = await service.enter(bob, { node: 2 });
    const answer = await send([
      message(alice, bob, 'a', 'first'),
      message(bob, alice, 'a', 'second'),
      message(carol, bob, 'c'),
      message(alice, bob, 'b', 'third'),
    ]);
    assert.deepEqual(words(answer), [1, 2, 1, 3]);
    const { at } = answer.body.data[0];
    assert.deepEqual(answer.body.data[0], { n: 1, at, duplicate: false });
    const heard = async (socket: typeof alices, peer: Person) => {
      const { data } = await socket.first(({ event, data }) => event === 'message' && data.peer === peer.id);
      return [data.n, data.from, data.cid, data.body];
    };
    for (const [socket, peer] of [
      [alices, bob],
      [bobs, alice],
    ] as const)
      for (const expected of [
        [1, alice.id, 'a', 'first'],
        [2, bob.id, 'a', 'second'],
        [3, alice.id, 'b', 'third'],
      ])
        assert.deepEqual(await heard(socket, peer), expected);
  });

  test('a repeat after a lost answer, and at once on other nodes, is a duplicate', async (t) => {
    const { service, key, alice, bob, send, bodies } = await start(t, database);
    const messages = Array.from({ length: 5 }, (_, i) => message(alice, bob, `c${i}`));
    const first = await send(messages);
    assert.deepEqual(words(first), [1, 2, 3, 4, 5]);
    const again = await send([...messages, message(alice, bob, 'new'), message(alice, bob, 'new')]);
    assert.deepEqual(words(again), [1, 2, 3, 4, 5, 6, 6]);
    assert.deepEqual(
      again.body.data.map(({ duplicate }: Body) => duplicate),
      [true, true, true, true, true, false, true],
    );
    assert.deepEqual(
      again.body.data.slice(0, 5).map(({ at }: Body) => at),
      first.body.data.map(({ at }: Body) => at),
    );
    const answers: Body[] = [];
    await Promise.all(
      Array.from({ length: 9 }, (_, i) => {
        const node = service.nodes[i % service.nodes.length] ?? service;
        const messages = [message(bob, alice, 'same'), message(alice, bob, `own${i}`)];
        // A message that waited 3 s for the users' logs is refused as overload, and sent again.
        return eventually(async () => {
          const { data } = (await node.post('/api/admin/messages', { messages }, key)).body;
          answers.push(...data.slice(0, 1).filter(({ n }: Body) => n !== undefined));
          return data.every(({ error }: Body) => error !== 'overloaded');
        });
      }),
    );
    assert.equal(new Set(answers.map(({ n }) => n)).size, 1);
    assert.equal(answers.filter(({ duplicate }) => !duplicate).length, 1);
    assert.deepEqual(
      (await bodies()).map(({ n }) => n),
      Array.from({ length: 16 }, (_, i) => i + 1),
    );
  });

  test('a key has one session for each sender, also of calls at once, which the user sees by its name', async (t) => {
    const { service, db, alice, bob, send, ownSessions } = await start(t, database);
    const other = await makeKey(service, 'notices');
    await service.post('/api/login', alice, { headers: { 'user-agent': 'API key crm' } });
    await Promise.all(Array.from({ length: 6 }, (_, i) => send([message(alice, bob, `${i}`)])));
    await send([message(alice, bob, 'x'), message(bob, alice, 'x')]);
    await send([message(alice, bob, 'y')], other);
    const own = (await ownSessions()).map(({ user_id, device }) => [user_id, device]);
    const expected = [
      [alice.id, 'API key crm'],
      [alice.id, 'API key notices'],
      [bob.id, 'API key crm'],
    ];
    assert.deepEqual(own.map(String).sort(), expected.map(String).sort());
    const listed = (await service.get('/api/sessions', alice)).body.data as Body[];
    assert.deepEqual(listed.map(({ device, address }) => [device, address]).slice(0, 2), [
      ['API key notices', ''],
      ['API key crm', ''],
    ]);
    assert.equal(listed.length, 4, 'that of the registration, and of a device that calls itself a key');
    const [entry] = (await readLog(db, alice.id, {})).items;
    assert.deepEqual(
      [entry?.what, entry?.device, entry?.detail],
      ['signed_in', 'API key notices', { by: 'key', key: 'notices' }],
    );
  });

  test('while a user ends the key’s sessions again and again, each message is stored once', async (t) => {
    const { service, alice, bob, send, ownSessions, bodies } = await start(t, database);
    let isSending = true;
    let ended = 0;
    const ending = async () => {
      while (isSending) {
        const { body } = await service.post('/api/sessions/end', { others: true }, alice);
        assert.equal(body.code, 200);
        ended++;
        await new Promise(setImmediate);
      }
    };
    const done = ending();
    const resent = new Map<string, number>();
    for (let i = 0; i < 12; i++) {
      const messages = Array.from({ length: 5 }, (_, j) => message(alice, bob, `${i}-${j}`));
      for (let left = messages; left.length > 0; ) {
        const { data } = (await send(left)).body;
        for (const { error } of data) if (error) assert.equal(error, 'overloaded');
        left = left.filter((_, place) => data[place].error);
        for (const { cid } of left) resent.set(cid, (resent.get(cid) ?? 0) + 1);
      }
    }
    isSending = false;
    await done;
    assert.ok(ended > 0);
    assert.equal((await bodies()).length, 60);
    await send([message(alice, bob, 'last')]);
    assert.deepEqual(
      (await ownSessions()).map(({ user_id }) => user_id),
      [alice.id],
    );
  });

  test('a session of the key that its user has ended is made anew, one that is there stays', async (t) => {
    const { service, alice, bob, send, ownSessions } = await start(t, database);
    await send([message(alice, bob, '1')]);
    const [first] = await ownSessions();
    await send([message(alice, bob, '2')]);
    assert.deepEqual(await ownSessions(), [first]);
    assert.equal((await service.post('/api/sessions/end', { id: first?.id }, alice)).status, 200);
    assert.deepEqual(await ownSessions(), []);
    assert.deepEqual(words(await send([message(alice, bob, '3')])), [3]);
    const [second] = await ownSessions();
    assert.ok(second && second.id !== first?.id);
  });

  test('the key’s sessions end with it, those of others stay', async (t) => {
    const { service, db, key, alice, bob, send, ownSessions } = await start(t, database);
    const other = await makeKey(service, 'notices');
    await send([message(alice, bob, '1'), message(bob, alice, '2')]);
    await send([message(alice, bob, '3')], other);
    assert.equal(await revokeKey(db, 'crm'), true);
    await endRevokedKeys(db, service.services.clock.now());
    assert.deepEqual(
      (await ownSessions()).map(({ device }) => device),
      ['API key notices'],
    );
    assert.deepEqual((await db.all`select id from sessions`).length, 3);
    for (const node of service.nodes) {
      await node.services.events.changes.read();
      const refused = await node.post('/api/admin/messages', { messages: [message(alice, bob, '4')] }, key);
      assert.deepEqual([refused.status, refused.body.error], [401, 'key_required']);
    }
    const [entry] = (await readLog(db, alice.id, {})).items;
    assert.equal(entry?.what, 'session_ended');
  });
});

onEachDatabase('messages by API key', (database) => {
  test('blocks and what the recipient accepts bind as for users, each message for itself', async (t) => {
    const { service, db, alice, bob, send, bodies } = await start(t, database);
    const [carol, dora, eve] = [
      await service.join('carol'),
      await service.join('dora'),
      await service.join('eve'),
    ];
    await service.post('/api/user/block', { blockedId: alice.id }, bob);
    await service.post('/api/user/privacy', { messages: 'friends' }, carol);
    await service.post('/api/user/privacy', { messages: 'requests' }, dora);
    await db.transaction((tx) => suspendUser(tx, eve.id));
    const answer = await send([
      message(alice, bob, '1'),
      message(bob, alice, '1'),
      message(alice, carol, '2'),
      message(alice, dora, '3'),
      message(alice, eve, '4'),
      message(alice, alice, '5'),
      { ...message(alice, bob, '6'), to: 'nobody' },
      { ...message(alice, bob, '6'), from: 'nobody' },
      message(eve, alice, '7'),
      message(alice, dora, '3', 'another text'),
    ]);
    assert.equal(answer.status, 200);
    assert.deepEqual(words(answer), [
      'not_accepting',
      'unblock_first',
      'not_accepting',
      1,
      'not_accepting',
      'message_self',
      'user_not_found',
      'user_not_found',
      'account_suspended',
      'cid_used',
    ]);
    assert.deepEqual(answer.body.data[0], { error: 'not_accepting', msg: '对方暂不接收' });
    assert.deepEqual(await bodies(), [{ body: '3', n: 1 }]);
    const waiting = await db.all<{ user_id: string }>`select user_id from message_requests`;
    assert.deepEqual(waiting, [{ user_id: dora.id }]);
    const english = await send([message(alice, bob, '1')], { headers: { 'accept-language': 'en' } });
    assert.deepEqual(english.body.data, [
      { error: 'not_accepting', msg: 'This user does not accept this at the moment' },
    ]);
  });

  test('a deleted user is not found, as sender and as recipient, also behind a block', async (t) => {
    const { service, db, alice, bob, send } = await start(t, database);
    const carol = await service.join('carol');
    await service.post('/api/user/block', { blockedId: alice.id }, bob);
    await service.post('/api/user/block', { blockedId: bob.id }, carol);
    await db.transaction((tx) => eraseUser(tx, bob.id));
    const answer = await send([message(alice, bob, '1'), message(bob, alice, '2'), message(carol, bob, '3')]);
    assert.deepEqual(words(answer), ['user_not_found', 'user_not_found', 'user_not_found']);
  });

  test('a suspended sender gets no session, and one that comes back gets a new one', async (t) => {
    const { db, alice, bob, send, ownSessions } = await start(t, database);
    await send([message(alice, bob, '1')]);
    await db.transaction((tx) => suspendUser(tx, alice.id));
    const answer = await send([message(alice, bob, '2'), message(bob, alice, '3')]);
    assert.deepEqual(words(answer), ['account_suspended', 'not_accepting']);
    assert.deepEqual(
      (await ownSessions()).map(({ user_id }) => user_id),
      [bob.id],
    );
    await db.run`update users set status = 'active' where id = ${alice.id}`;
    assert.deepEqual(words(await send([message(alice, bob, '2')])), [2]);
  });

  test('messages of one conversation wait for each other, those of others do not', async (t) => {
    const { service, alice, bob, send } = await start(t, database);
    const carol = await service.join('carol');
    const { messages } = service.services.chat;
    const story: string[] = [];
    const original = messages.send.bind(messages);
    for (const { services } of service.nodes)
      services.chat.messages.send = async (one) => {
        story.push(`${one.cid} begins`);
        const stored = await original(one);
        story.push(`${one.cid} is stored`);
        return stored;
      };
    const answer = await send([
      message(alice, bob, 'a1'),
      message(alice, carol, 'c1'),
      message(bob, alice, 'a2'),
      message(alice, alice, 'refused'),
      message(alice, bob, 'a3'),
    ]);
    assert.deepEqual(words(answer), [1, 1, 2, 'message_self', 3]);
    const ofPair = story.filter((entry) => entry.startsWith('a'));
    assert.deepEqual(
      ofPair,
      ['a1', 'a2', 'a3'].flatMap((cid) => [`${cid} begins`, `${cid} is stored`]),
    );
    assert.ok(story.indexOf('c1 begins') < story.indexOf('a1 is stored'), String(story));
  });

  test('no limit of a sender counts', async (t) => {
    const { alice, bob, send } = await start(t, database, { env: { RATE_LIMIT_MESSAGES: '1/1h' } });
    const hundred = Array.from({ length: 100 }, (_, i) => message(alice, bob, `${i}`));
    assert.deepEqual(
      words(await send(hundred)),
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
  });

  test('1 to 100 messages, in a body of at most 64 KiB', async (t) => {
    const { alice, bob, send, bodies } = await start(t, database);
    const many = (n: number, body = 'x') =>
      Array.from({ length: n }, (_, i) => message(alice, bob, `${i}`, body));
    for (const messages of [[], many(101), 'x', undefined, {}, [1], [[]], [null]]) {
      const { status, body } = await send(messages);
      assert.deepEqual([status, body.error], [400, 'invalid_field'], JSON.stringify(messages)?.slice(0, 40));
    }
    const large = await send(many(17, 'x'.repeat(4000)));
    assert.deepEqual([large.status, large.body.error], [400, 'body_too_large']);
    assert.deepEqual(await bodies(), []);
  });

  test('a message of another shape is refused alone', async (t) => {
    const { alice, bob, send, bodies } = await start(t, database);
    const good = message(alice, bob, '1');
    const answer = await send(
      [
        {},
        { ...good, body: '' },
        { ...good, body: 'x'.repeat(4001) },
        { ...good, cid: 7 },
        { ...good, from: undefined },
        good,
        { ...good, cid: '2', replyTo: 1, at: 5 },
      ],
      { headers: { 'accept-language': 'en' } },
    );
    assert.deepEqual(words(answer), [...Array(5).fill('invalid_field'), 1, 2]);
    assert.equal(answer.body.data[2].msg, 'body must have 1 to 4000 characters');
    assert.equal((await bodies()).length, 2);
  });

  test('the key’s session counts as used while it sends', async (t) => {
    let now = 1_790_000_000_000;
    const { service, db, alice, bob, send } = await start(t, database, { world: { now: () => now } });
    const usedAt = async () => {
      await service.services.accounts.authentication.flushUse();
      const row = await db.get<{ used_at: number }>`
        select used_at from sessions join api_key_sessions own on own.session_id = sessions.id`;
      return row?.used_at;
    };
    await send([message(alice, bob, '1')]);
    const first = now;
    now += HOUR_MS;
    await send([message(alice, bob, '2')]);
    assert.equal(await usedAt(), first, 'exact to the hour');
    now += 1;
    await send([message(alice, bob, '3')]);
    assert.equal(await usedAt(), now);
  });

  test('a message rings as one by its sender, and not on the sender’s devices', async (t) => {
    const { service, pushService, alice, bob, subscribe } = await startPushing(t, database);
    const [phone, own] = [await subscribe(bob), await subscribe(alice)];
    const key = await makeKey(service);
    await service.post('/api/admin/messages', { messages: [message(alice, bob, '1')] }, key);
    await service.pushes.runDue();
    assert.deepEqual(
      notifications(pushService, phone).map(({ title }) => title),
      ['alice'],
    );
    assert.deepEqual(pushService.attempts(own.endpoint), []);
  });

  test('the right `messages` is needed', async (t) => {
    const { service, alice, bob, send } = await start(t, database);
    const other = await makeKey(service, 'bot', ['users', 'sessions', 'relations']);
    for (const [call, expected] of [
      [other, [403, 'key_not_allowed']],
      [alice, [401, 'key_required']],
    ] as const) {
      const { status, body } = await send([message(alice, bob, '1')], { token: call.token });
      assert.deepEqual([status, body.error], expected);
    }
  });
});
