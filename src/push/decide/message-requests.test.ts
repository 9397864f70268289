import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import type { Body, Person } from '../../../test/harness.ts';
import { notifications, type Pushing, startPushing } from '../../../test/pushing.ts';

/** Numbers from 0 to below 1 that a seed repeats. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

onEachDatabase('pushes and message requests', (database) => {
  async function start(t: Parameters<typeof startPushing>[0]) {
    const pushing = await startPushing(t, database);
    const { db } = pushing.service.services;
    await db.run`update users set who_messages = 'requests' where id = ${pushing.alice.id}`;
    const phone = await pushing.subscribe(pushing.alice);
    const post = (person: Person, path: string, body: object) =>
      pushing.service.post(path, body, { token: person.token });
    const wait = (peer: Person) =>
      db.run`
        insert into message_requests (user_id, peer_id, state, messages, at)
        values (${pushing.alice.id}, ${peer.id}, 'waiting', 1, ${pushing.now()})`;
    return { ...pushing, db, phone, post, wait };
  }

  test('what waits does not ring, whatever else would hold, nor does accepting; the next message does', async (t) => {
    const { db, pushService, alice, bob, phone, post, pass, writeAndPush, outcomes } = await start(t);
    await post(alice, '/api/user/settings', { pushEnabled: false });
    await writeAndPush(bob, alice);
    await post(alice, '/api/user/settings', { pushEnabled: true });
    await writeAndPush(bob, alice);
    assert.deepEqual(await outcomes(alice), ['request'], 'one entry for a request');
    await post(alice, '/api/conversations/request', { peer: bob.id, act: 'accept' });
    await pass(60_000);
    assert.deepEqual(notifications(pushService, phone), []);
    assert.deepEqual(await db.all`select * from push_pending`, []);
    await writeAndPush(bob, alice);
    assert.deepEqual(
      notifications(pushService, phone).map(({ body, app_badge }) => [body, app_badge]),
      [['3 new messages', undefined]],
    );
    assert.deepEqual(await outcomes(alice), ['accepted', 'request']);
  });

  test('a request is the reason before the switches, in the decision and directly before sending', async (t) => {
    const { db, pushService, alice, bob, phone, post, wait, pass, write, outcomes } = await start(t);
    const carol = await post(bob, '/api/messages', { to: alice.id, cid: 'c1', body: 'hi' });
    assert.equal(carol.status, 200);
    await post(alice, '/api/conversations/request', { peer: bob.id, act: 'accept' });
    pushService.answerNext(phone.endpoint, { status: 503 });
    await write(bob, alice);
    await pass(0);
    assert.deepEqual(await outcomes(alice), ['waiting', 'request']);
    await wait(bob);
    await pass(120_000);
    assert.deepEqual(await outcomes(alice), ['request', 'request']);
    assert.equal(notifications(pushService, phone).length, 0);
    // As a node of the version before stores it.
    await db.run`
      insert into push_pending (user_id, peer_id, first_seq, last_seq, count, due_at)
      values (${alice.id}, ${bob.id}, 1, 1, 1, 0)
      on conflict (user_id, peer_id) do update set count = 1, due_at = 0`;
    await post(alice, '/api/user/settings', { pushEnabled: false });
    await pass(10_000);
    assert.deepEqual(await outcomes(alice), ['request', 'request', 'request']);
  });

  for (const seed of [1, 2])
    test(`after any acts, list and badge count what is unread and does not wait (seed ${seed})`, async (t) => {
      await checkCounts(await start(t), randomFrom(seed));
    });
});

/** What the test expects of the conversation of a stranger. */
interface Expected {
  unread: number;
  last: number;
  waiting: number;
  state: 'none' | 'waiting' | 'declined' | 'open';
  isBlocked: boolean;
}

async function checkCounts(
  pushing: Pushing & { post: (person: Person, path: string, body: object) => Promise<{ body: Body }> },
  random: () => number,
): Promise<void> {
  const { service, pushService, alice, bob, post, pass, subscribe } = pushing;
  const friend = await service.join('friend');
  await post(alice, '/api/messages', { to: friend.id, cid: 'a0', body: 'hi' });
  const phone = await subscribe(alice);
  const strangers = [bob, await service.join('carol'), await service.join('dave')];
  const expected = new Map(
    strangers.map(({ id }): [string, Expected] => [
      id,
      { unread: 0, last: 0, waiting: 0, state: 'none', isBlocked: false },
    ]),
  );
  const list = async (query = ''): Promise<Body[]> =>
    (await service.get(`/api/conversations?${query}`, { token: alice.token })).body.data;
  let cids = 0;
  const acts: ((peer: Person, one: Expected) => Promise<void>)[] = [
    async (peer, one) => {
      const { body } = await post(peer, '/api/messages', { to: alice.id, cid: `${++cids}`, body: 'hi' });
      const isTaken = !one.isBlocked && one.state !== 'declined' && one.waiting < 5;
      assert.equal(body.error, isTaken ? undefined : 'not_accepting');
      if (!isTaken) return;
      one.last++;
      one.unread++;
      if (one.state === 'none') one.state = 'waiting';
      if (one.state === 'waiting') one.waiting++;
    },
    async (peer, one) => {
      const { body } = await post(alice, '/api/messages', { to: peer.id, cid: `${++cids}`, body: 'hi' });
      assert.equal(body.error, one.isBlocked ? 'unblock_first' : undefined);
      if (one.isBlocked) return;
      one.last++;
      Object.assign(one, { state: 'open', waiting: 0 });
    },
    async (peer, one) => {
      await post(alice, '/api/messages/mark', { peer: peer.id, read: one.last });
      one.unread = 0;
    },
    async (peer, one) => {
      const act = random() < 0.5 ? 'accept' : 'decline';
      const { body } = await post(alice, '/api/conversations/request', { peer: peer.id, act });
      assert.equal(body.error, one.state === 'waiting' ? undefined : 'no_request');
      if (one.state === 'waiting')
        Object.assign(one, { state: act === 'accept' ? 'open' : 'declined', waiting: 0 });
    },
    async (peer, one) => {
      await post(alice, `/api/user/${one.isBlocked ? 'unblock' : 'block'}`, { blockedId: peer.id });
      one.isBlocked = !one.isBlocked;
      if (one.state === 'waiting') Object.assign(one, { state: 'declined', waiting: 0 });
    },
  ];
  for (let i = 0; i < 40; i++) {
    const peer = strangers[Math.floor(random() * strangers.length)];
    const one = expected.get(peer?.id ?? '');
    if (!peer || !one) throw new Error('no such stranger');
    // Most acts are messages.
    await acts[Math.max(0, Math.floor(random() * (acts.length + 4)) - 4)]?.(peer, one);
    const listed = await list();
    const shown = listed.flatMap((row: Body) => (row.peer === friend.id ? [] : `${row.peer} ${row.unread}`));
    const open = [...expected].flatMap(([id, { state, unread, isBlocked }]) =>
      state === 'open' ? `${id} ${isBlocked ? 0 : unread}` : [],
    );
    assert.deepEqual(shown.sort(), open.sort(), `act ${i}`);
    const waiting = [...expected.values()].filter(({ state }) => state === 'waiting').length;
    assert.equal((await list('list=requests')).length, waiting, `act ${i}`);
  }
  await pass(10_000);
  await post(friend, '/api/messages', { to: alice.id, cid: 'f1', body: 'hi' });
  await pass(0);
  const counted = [...expected.values()].filter(({ state, isBlocked }) => state === 'open' && !isBlocked);
  const badge = JSON.parse(pushService.received(phone.endpoint).at(-1)?.text ?? '').app_badge;
  assert.equal(
    badge,
    counted.reduce((sum, { unread }) => sum + unread, 1),
  );
}
