import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDeployment, type TestDatabase } from '../../test/databases.ts';
import { type Person, startService } from '../../test/harness.ts';
import { addCrowd } from '../../test/people.ts';
import { upload } from '../../test/picturing.ts';
import { removeConversation } from '../chat/keeping/remove-conversation.ts';
import { removePictures } from '../pictures/remove-pictures.ts';
import { finishErasures } from './erasures.ts';

async function start(t: TestContext, database: TestDatabase) {
  const off = { RATE_LIMIT_MESSAGES: 'off', RATE_LIMIT_PICTURES: 'off', DELETION_GRACE: '0' };
  const service = await startService(t, database, { env: off });
  const { db, clock } = service.services;
  const [alice, bob, carol] = [
    await service.join('alice'),
    await service.join('bob'),
    await service.join('carol'),
  ];
  let cid = 0;
  return {
    service,
    db,
    alice,
    bob,
    carol,
    send: async (from: Person, to: Person, more: object = {}) => {
      const sent = await service.post(
        '/api/messages',
        { to: to.id, cid: `c${++cid}`, body: 'hi', ...more },
        from,
      );
      assert.equal(sent.status, 200, sent.body.error);
    },
    /** Stores a conversation of so many messages. */
    async converse(one: Person, other: Person, count: number) {
      const [low, high] = [one.id, other.id].sort();
      await db.run`
        insert into messages (low_id, high_id, n, sender_id, cid, body, at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
        select ${low ?? ''}, ${high ?? ''}, n, ${one.id}, 'of ' || ${other.id} || cast(n as text), 'hi', 1 from numbers`;
      for (const [userId, peerId] of [
        [one.id, other.id],
        [other.id, one.id],
      ])
        await db.run`
          insert into conversations (user_id, peer_id, n, last_at) values (${userId ?? ''}, ${peerId ?? ''}, ${count}, 1)`;
    },
    erase: async (person: Person) =>
      assert.equal((await service.post('/api/account/delete', {}, person)).status, 200),
    finish: (stopping?: AbortSignal) => finishErasures(db, clock.now(), stopping),
    count: async () => {
      const row = await db.get<Record<'messages' | 'sides' | 'erasures', number>>`
        select (select count(*) from messages) as messages, (select count(*) from conversations) as sides,
          (select count(*) from erasures) as erasures`;
      return [row?.messages, row?.sides, row?.erasures];
    },
  };
}

onEachDeployment('Conversations of erased users', (database) => {
  test('are removed when both are erased, with pictures and all that belongs to both sides', async (t) => {
    const { service, db, alice, bob, carol, send, erase, finish, count } = await start(t, database);
    const shown = await upload(service, alice);
    await send(alice, bob, { picture: shown.id });
    for (let i = 0; i < 3; i++) await send(bob, alice);
    for (const [from, to] of [
      [alice, carol],
      [carol, bob],
    ] as const)
      await send(from, to);
    await service.post('/api/conversations/settings', { peer: alice.id, pinned: 1 }, bob);
    await db.run`
      insert into message_requests (user_id, peer_id, state, messages, at) values (${bob.id}, ${alice.id}, 'declined', 0, 1)`;
    await erase(alice);
    await finish();
    assert.deepEqual(await count(), [6, 6, 0], 'the peers live');
    assert.equal((await service.get(`/api/pictures/${shown.id}`, bob)).status, 200);

    await erase(bob);
    await finish();
    assert.deepEqual(await count(), [2, 4, 0]);
    await removePictures(db, service.services.clock.now());
    const left = await db.all`
      select id from picture_pieces union all select user_id from conversation_settings
      union all select user_id from message_requests`;
    assert.deepEqual(left, []);
    for (const peer of [alice, bob]) {
      const { data } = (await service.get(`/api/messages?peer=${peer.id}`, carol)).body;
      assert.equal((data.items ?? data).length, 1, 'a living peer keeps them');
    }
  });

  test('go in batches, and the work goes on where it was stopped', async (t) => {
    const { db, alice, bob, carol, converse, erase, finish, count } = await start(t, database);
    for (const [one, other] of [
      [alice, bob],
      [bob, carol],
      [alice, carol],
    ] as const)
      await converse(one, other, 450);
    // Living peers before Bob and Carol, more than one look finds.
    for (const id of await addCrowd(db, 401))
      await db.run`insert into conversations (user_id, peer_id, n) values (${alice.id}, ${id}, 1)`;
    const withCrowd = ([messages, sides = 0, erasures]: (number | undefined)[]) => [
      messages,
      sides - 401,
      erasures,
    ];
    await Promise.all([alice, bob].map(erase));
    let asked = 0;
    /** Asked before the user and before each batch; the first two find living peers alone. */
    const stopping = {
      get aborted() {
        return ++asked > 5;
      },
    } as AbortSignal;
    await finish(stopping);
    assert.deepEqual(withCrowd(await count()), [3 * 450 - 2 * 200, 6, 2]);
    await finish();
    assert.deepEqual(withCrowd(await count()), [2 * 450, 4, 0]);
    await erase(carol);
    await finish();
    assert.deepEqual(withCrowd(await count()), [0, 0, 0]);
  });

  test('keep both sides while messages are left, also when two batches are removed at once', async (t) => {
    const { db, alice, bob, converse, count } = await start(t, database);
    await converse(alice, bob, 450);
    const remove = () => db.transaction((tx) => removeConversation(tx, alice.id, bob.id, 100, 1));
    for (let isDone = false; !isDone; ) {
      isDone = (await Promise.all([remove(), remove()])).some(Boolean);
      const [messages = 0, sides] = await count();
      assert.deepEqual([isDone, sides], messages > 0 ? [false, 2] : [true, 0]);
    }
  });

  test('go when several nodes do it at once, and other work is done between', async (t) => {
    const { service, alice, bob, carol, converse, send, erase, finish, count } = await start(t, database);
    const dora = await service.join('dora');
    await converse(alice, bob, 3_000);
    await Promise.all([alice, bob].map(erase));
    let isDone = false;
    const working = Promise.all([finish(), finish(), finish()]).then(() => {
      isDone = true;
    });
    await send(carol, dora);
    assert.ok(!isDone, 'the message did not wait for the end');
    await working;
    assert.deepEqual(await count(), [1, 2, 0]);
  });
});
