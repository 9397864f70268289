import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onPostgres, type TestDatabase } from '../../test/databases.ts';
import { type Answer, startService } from '../../test/harness.ts';
import { sendMessage } from '../../test/messages.ts';
import { startSockets } from '../../test/sockets.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { ServiceError } from '../errors.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { blockUser } from '../relations/block-user.ts';
import { editMessage, unsendMessage } from './change-message.ts';
import { readHistory } from './history.ts';

/** The service's clock: by the real one, the events of these tests would be old enough to be trimmed. */
const NOW = 10_000;

async function startThree(t: TestContext, database: TestDatabase) {
  const service = await startService(t, database, { world: { now: () => NOW } });
  const { services, join } = service;
  const [alice, bob, carol] = [await join('alice'), await join('bob'), await join('carol')];
  const asAlice = await services.accounts.authentication.identify(alice.token);
  assert(asAlice);
  const send = (to: string, cid: string, body: string, now = 1_000, replyTo?: number) =>
    sendMessage(services, asAlice, { to, cid, body, ...(replyTo && { replyTo }) }, now);
  const bodiesWith = async (peer: string) =>
    (await readHistory(services.db, alice.id, { peer })).items.map((one) => one.body);
  return { service, services, alice, bob, carol, asAlice, send, bodiesWith };
}

function refusedAs(kind: string, word: string) {
  return (error: unknown) => error instanceof ServiceError && error.kind === kind && error.word === word;
}
const cidUsed = refusedAs('invalid', 'cid_used');

onEachDatabase('a cid that is stored', (database) => {
  test('answers its stored number and time to a repeat', async (t) => {
    const { send, bob } = await startThree(t, database);
    await send(bob.id, 'first', 'one');
    await send(bob.id, 'second', 'two', 2_000);
    const repeat = { peer: bob.id, n: 1, at: 1_000, duplicate: true };
    assert.deepEqual(await send(bob.id, 'first', 'one', 3_000), repeat);
  });

  test('is refused for another recipient and for another body, and nothing is stored', async (t) => {
    const { services, send, alice, bob, carol, bodiesWith } = await startThree(t, database);
    await send(bob.id, 'c', 'hi');
    await assert.rejects(send(carol.id, 'c', 'hi'), cidUsed);
    await assert.rejects(send(bob.id, 'c', 'hi!'), cidUsed);
    await assert.rejects(send(carol.id, 'c', 'hi!'), cidUsed);
    await assert.rejects(send(alice.id, 'c', 'hi'), cidUsed, 'the sender is another recipient too');
    assert.deepEqual([await bodiesWith(bob.id), await bodiesWith(carol.id)], [['hi'], []]);
    assert.deepEqual(await readEvents(services.db, carol.id, 0, 10), []);
    assert.equal((await readEvents(services.db, alice.id, 0, 10)).length, 1);
    assert.equal((await send(carol.id, 'd', 'hi')).n, 1, 'the next message is stored');
  });

  test('compares bodies and cids code point by code point', async (t) => {
    const { send, bob, bodiesWith } = await startThree(t, database);
    const [composed, decomposed] = ['\u00e9', 'e\u0301'];
    const bodies = [composed, '\u{1f600} \ufeff\u200d', ' hi\r\n', 'hi', '\u0001'];
    for (const [i, body] of bodies.entries()) {
      await send(bob.id, `c${i}`, body);
      assert.equal((await send(bob.id, `c${i}`, body)).duplicate, true, JSON.stringify(body));
    }
    assert.deepEqual(await bodiesWith(bob.id), bodies);
    await assert.rejects(send(bob.id, 'c0', decomposed), cidUsed);
    await assert.rejects(send(bob.id, 'c2', 'hi'), cidUsed);
    await assert.rejects(send(bob.id, 'c3', 'HI'), cidUsed);
    assert.equal((await send(bob.id, composed, 'x')).duplicate, false);
    assert.equal((await send(bob.id, decomposed, 'y')).duplicate, false, 'another cid');
  });

  test('of an edited message is a repeat with the first and with the present text, and refused with any other', async (t) => {
    const { services, asAlice, send, bob, carol, bodiesWith } = await startThree(t, database);
    await send(bob.id, 'c', 'first');
    const edit = (body: string) => editMessage(services, asAlice, { peer: bob.id, n: 1, body }, NOW);
    const repeat = { peer: bob.id, n: 1, at: 1_000, duplicate: true };
    for (const body of ['second', 'third', 'first', 'second']) {
      await edit(body);
      for (const known of ['first', body]) assert.deepEqual(await send(bob.id, 'c', known), repeat);
      for (const other of ['third', 'fourth'])
        if (other !== body) await assert.rejects(send(bob.id, 'c', other), cidUsed);
      await assert.rejects(send(carol.id, 'c', body), cidUsed);
    }
    assert.deepEqual(await bodiesWith(bob.id), ['second']);
  });

  test('of an unsent message is a repeat with any text, for its recipient alone', async (t) => {
    const { services, asAlice, send, bob, carol, bodiesWith } = await startThree(t, database);
    await send(bob.id, 'reply', 'to nothing');
    await send(bob.id, 'c', 'first', 1_000, 1);
    await editMessage(services, asAlice, { peer: bob.id, n: 2, body: 'second' }, NOW);
    await unsendMessage(services, asAlice, { peer: bob.id, n: 2 }, NOW);
    const repeat = { peer: bob.id, n: 2, at: 1_000, duplicate: true };
    for (const body of ['first', 'second', 'other', 'x'.repeat(4_000)])
      for (const replyTo of [1, undefined, 7])
        assert.deepEqual(await send(bob.id, 'c', body, 2_000, replyTo), repeat);
    await assert.rejects(send(carol.id, 'c', 'first', 2_000, 1), cidUsed);
    assert.deepEqual(await bodiesWith(bob.id), ['to nothing', '']);
  });

  test('belongs to its sender: another user may use the same cid', async (t) => {
    const { services, send, alice, bob } = await startThree(t, database);
    await send(bob.id, 'c', 'hi');
    const asBob = await services.accounts.authentication.identify(bob.token);
    assert(asBob);
    const reply = await sendMessage(services, asBob, { to: alice.id, cid: 'c', body: 'hello' }, 2_000);
    assert.deepEqual([reply.n, reply.duplicate], [2, false]);
  });

  test('answers a repeat after a block in either direction, and refuses what is new', async (t) => {
    const { services, send, alice, bob, carol } = await startThree(t, database);
    await send(bob.id, 'to bob', 'hi');
    await send(carol.id, 'to carol', 'hi');
    await blockUser(services, bob.id, alice.id, 2_000);
    await blockUser(services, alice.id, carol.id, 2_000);
    for (const [peer, cid] of [
      [bob.id, 'to bob'],
      [carol.id, 'to carol'],
    ] as const) {
      assert.deepEqual(await send(peer, cid, 'hi'), { peer, n: 1, at: 1_000, duplicate: true });
      await assert.rejects(send(peer, cid, 'other'), cidUsed);
    }
    await assert.rejects(send(bob.id, 'new', 'hi'), refusedAs('forbidden', 'not_accepting'));
    await assert.rejects(send(carol.id, 'new', 'hi'), refusedAs('forbidden', 'unblock_first'));
  });

  for (const status of ['suspended', 'deleted'])
    test(`answers a repeat when the recipient is ${status}, and refuses what is new`, async (t) => {
      const { services, send, bob } = await startThree(t, database);
      await send(bob.id, 'c', 'hi');
      await services.db.run`update users set status = ${status} where id = ${bob.id}`;
      assert.deepEqual(await send(bob.id, 'c', 'hi'), { peer: bob.id, n: 1, at: 1_000, duplicate: true });
      await assert.rejects(send(bob.id, 'c', 'other'), cidUsed);
      await assert.rejects(send(bob.id, 'new', 'hi'), refusedAs('forbidden', 'not_accepting'));
    });

  test('is looked up before the recipient', async (t) => {
    const { services, send, alice, bob } = await startThree(t, database);
    await send(bob.id, 'c', 'hi');
    await assert.rejects(send('no one', 'c', 'hi'), cidUsed);
    await assert.rejects(send('no one', 'new', 'hi'), refusedAs('not-found', 'user_not_found'));
    await assert.rejects(send(alice.id, 'new', 'hi'), refusedAs('invalid', 'message_self'));
    await services.db.run`delete from inbox_heads where user_id = ${bob.id}`;
    assert.equal((await send(bob.id, 'c', 'hi')).duplicate, true);
    await assert.rejects(send(bob.id, 'new', 'hi'), refusedAs('not-found', 'user_not_found'));
  });

  test('is not looked up for a session that has ended', async (t) => {
    const { services, send, alice, asAlice, bob, carol } = await startThree(t, database);
    await send(bob.id, 'c', 'hi');
    await services.db.run`delete from sessions where id = ${asAlice.sessionId}`;
    for (const to of [bob.id, carol.id, alice.id, 'no one'])
      await assert.rejects(send(to, 'c', 'hi'), refusedAs('unauthenticated', 'unauthenticated'), to);
  });

  test('is stored once when it is sent to two recipients at the same time', async (t) => {
    const { send, bob, carol, bodiesWith } = await startThree(t, database);
    for (let i = 0; i < 20; i++) {
      const results = await Promise.allSettled([
        send(bob.id, `c${i}`, `${i}`),
        send(carol.id, `c${i}`, `${i}`),
      ]);
      const refused = results.filter((one) => one.status === 'rejected');
      assert.equal(refused.length, 1);
      assert.ok(cidUsed(refused[0]?.reason), String(refused[0]?.reason));
    }
    const stored = [...(await bodiesWith(bob.id)), ...(await bodiesWith(carol.id))];
    assert.deepEqual(
      stored.map(Number).toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => i),
    );
  });

  test('is refused alike over the socket and HTTP, and the next message is stored', async (t) => {
    const service = await startSockets(t, database, { world: { now: () => NOW } });
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    const socket = await service.enter(alice);
    const overSocket = (fields: object) => socket.ask({ type: 'send', ...fields });
    const overHttp = async (fields: object) =>
      (await service.post('/api/messages', fields, { token: alice.token })).body;
    const stored = await overSocket({ to: bob.id, cid: 'c', body: 'hi' });
    for (const send of [overSocket, overHttp]) {
      for (const other of [
        { to: carol.id, body: 'hi' },
        { to: bob.id, body: 'ho' },
      ]) {
        const { code, error, msg } = await send({ ...other, cid: 'c' });
        assert.deepEqual([code, error, msg], [400, 'cid_used', '该 cid 已用于另一条消息']);
      }
      const { code, data } = await send({ to: bob.id, cid: 'c', body: 'hi' });
      assert.deepEqual([code, data], [200, { ...stored.data, duplicate: true }]);
    }
    const unread = (await service.get('/api/conversations', { token: carol.token })) as Answer;
    assert.deepEqual(unread.body.data, []);
    assert.equal((await overSocket({ to: carol.id, cid: 'd', body: 'hi' })).code, 200);
  });
});

onPostgres('a cid that another writer stores without the lock', (database) => {
  for (const [name, body, outcome] of [
    ['a repeat gets its stored answer', 'hi', 'duplicate'],
    ['another body is refused', 'ho', 'cid_used'],
  ] as const)
    test(`is found although the first lookup did not find it: ${name}`, async (t) => {
      const { services, send, alice, bob, bodiesWith } = await startThree(t, database);
      const [low, high] = alice.id < bob.id ? [alice.id, bob.id] : [bob.id, alice.id];
      const { databaseUrl } = services.config;
      assert(databaseUrl);
      await using other = await openPostgres({ url: databaseUrl });
      let sent: Promise<unknown> | undefined;
      let isOver = false;
      await other.transaction(async (tx) => {
        await tx.run`
          insert into messages (low_id, high_id, n, sender_id, cid, body, at)
          values (${low}, ${high}, 99, ${alice.id}, 'c', 'hi', 500)`;
        sent ??= send(bob.id, 'c', body)
          .catch((error: unknown) => error)
          .finally(() => {
            isOver = true;
          });
        // Until the send has looked the cid up, found nothing, and waits to insert.
        while (!isOver) {
          await tx.get`select cast(pg_stat_clear_snapshot() as text) as cleared`;
          const waiting = await tx.get`
            select pid from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into messages%'`;
          if (waiting) return;
        }
      });
      const answer = await sent;
      if (outcome === 'duplicate')
        assert.deepEqual(answer, { peer: bob.id, n: 99, at: 500, duplicate: true });
      else assert.ok(cidUsed(answer), String(answer));
      assert.deepEqual(await bodiesWith(bob.id), ['hi']);
      assert.deepEqual(await readEvents(services.db, bob.id, 0, 10), []);
    });
});
