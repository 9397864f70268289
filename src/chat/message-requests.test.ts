import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDeployment } from '../../test/databases.ts';
import type { Body, Person } from '../../test/harness.ts';
import { startSockets } from '../../test/sockets.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The answer of a refusal, or 'ok'. */
const wordOf = (answer: { body: Body }): string => answer.body.error ?? 'ok';

onEachDeployment('message requests', (database) => {
  /** Alice takes messages of strangers as requests; Bob and Carol are strangers. */
  async function start(t: TestContext) {
    const clock = { now: Date.now() };
    const service = await startSockets(t, database, {
      env: { TOKEN_TTL: '180d' },
      world: { now: () => clock.now },
    });
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    const { db } = service.services;
    const take = async (who: string, { id }: Person = alice) =>
      void (await db.run`update users set who_messages = ${who} where id = ${id}`);
    await take('requests');
    let cids = 0;
    const send = (from: Person, to: Person, cid = `c${++cids}`) =>
      service.post('/api/messages', { to: to.id, cid, body: cid }, { token: from.token });
    const answer = (person: Person, peer: Person, act: string) =>
      service.post('/api/conversations/request', { peer: peer.id, act }, { token: person.token });
    const list = async (person: Person, query = '') =>
      (await service.get(`/api/conversations?${query}`, { token: person.token })).body.data;
    const sync = async (person: Person) =>
      (await service.get('/api/sync', { token: person.token })).body.data;
    const block = (person: Person, other: Person, act = 'block') =>
      service.post(`/api/user/${act}`, { blockedId: other.id }, { token: person.token });
    /** What the user's devices got, without times. */
    const eventsOf = async ({ id }: Person) =>
      (
        await db.all<{ event: string; data: string }>`
        select event, data from inbox where user_id = ${id} order by seq`
      ).map(({ event, data }) => {
        const { peer, n, request, state, by, received, read } = JSON.parse(data);
        if (event === 'message') return `${n}${request === 1 ? ' request' : ''}`;
        if (event === 'message_request') return `${nameOf(peer)} ${state}`;
        return event === 'marked' ? `${nameOf(by)} received ${received} read ${read}` : event;
      });
    const nameOf = (id: string) => [alice, bob, carol].find((one) => one.id === id)?.username;
    return { service, db, clock, alice, bob, carol, take, send, answer, list, sync, block, eventsOf };
  }

  test('a message of a stranger waits: listed apart, not counted, not rung; the sender sees one tick', async (t) => {
    const { service, db, alice, bob, send, list, sync, eventsOf } = await start(t);
    const phone = await service.enter(alice, { node: 0 });
    const his = await service.enter(bob, { node: 1 });
    await service.settled();
    const watched = await his.ask({ type: 'watch', userIds: [alice.id] });
    assert.equal(watched.data[0].online, 1);
    assert.equal(wordOf(await send(bob, alice)), 'ok');
    const { data } = await phone.first(({ event }) => event === 'message');
    assert.equal(data.request, 1);
    phone.send({ type: 'ack', seq: 1 });
    await phone.ask({ type: 'mark', peer: bob.id, read: 1 });
    await service.flush();
    const hidden = await his.first(({ type }) => type === 'presence');
    assert.deepEqual(hidden.users, [{ id: alice.id, online: 0, idle: 0, lastSeen: 0 }]);
    assert.equal((await his.ask({ type: 'watch', userIds: [alice.id] })).data[0].online, 0);
    await his.ask({ type: 'typing', to: alice.id });
    assert.equal(wordOf(await send(bob, alice)), 'ok');
    await phone.first(({ event, data }) => event === 'message' && data.n === 2);
    assert.equal(phone.unread.filter(({ type }) => type === 'typing').length, 0);

    assert.deepEqual(await list(alice), []);
    assert.deepEqual(await list(alice, `peer=${bob.id}`), []);
    const [request] = await list(alice, 'list=requests');
    assert.deepEqual([request.peer, request.last.n, request.unread], [bob.id, 2, 0]);
    assert.equal((await list(alice, `list=requests&peer=${bob.id}`)).length, 1);
    assert.deepEqual(await list(bob, 'list=requests'), []);
    const [his1] = await list(bob);
    assert.deepEqual([his1.received, his1.read], [0, 0]);
    const snapshot = await sync(alice);
    assert.deepEqual([snapshot.conversations, snapshot.messageRequests, snapshot.people], [[], 1, []]);
    assert.equal((await sync(bob)).messageRequests, 0);
    assert.deepEqual(await db.all`select * from push_pending`, []);
    const log = (await service.get('/api/push/log', { token: alice.token })).body.data;
    assert.deepEqual(
      log.map((entry: Body) => [entry.outcome, entry.peer]),
      [
        ['request', bob.id],
        ['request', bob.id],
      ],
    );
    assert.deepEqual(await eventsOf(bob), ['1', '2']);
  });

  test('accepting shows unread and receipts, and rings nothing; declining hides for 30 days', async (t) => {
    const { service, db, clock, alice, bob, carol, send, answer, list, sync, eventsOf } = await start(t);
    for (const stranger of [bob, carol]) await send(stranger, alice, 'first');
    const phone = await service.enter(alice, { node: 0 });
    const his = await service.enter(bob, { node: 1 });
    await service.settled();
    phone.send({ type: 'ack', seq: 2 });
    await phone.ask({ type: 'ping' });
    await service.flush();
    await his.ask({ type: 'watch', userIds: [alice.id] });
    assert.equal(wordOf(await answer(alice, alice, 'accept')), 'no_request');
    assert.equal(
      (await phone.ask({ type: 'message_request', peer: 'no-one', act: 'accept' })).error,
      'no_request',
    );
    const accepted = await phone.ask({ type: 'message_request', peer: bob.id, act: 'accept' });
    assert.deepEqual(accepted.data, { peer: bob.id, state: 'accepted' });
    const { data: marked } = await his.first(({ event }) => event === 'marked');
    assert.deepEqual(marked, { peer: alice.id, by: alice.id, received: 1, read: 0 });
    await service.flush();
    assert.equal((await his.first(({ type }) => type === 'presence')).users[0].online, 1);
    assert.deepEqual(
      (await list(alice)).map((one: Body) => [one.peer, one.unread]),
      [[bob.id, 1]],
    );
    assert.deepEqual(await db.all`select * from push_pending`, []);
    assert.equal(wordOf(await answer(alice, bob, 'accept')), 'no_request');

    assert.equal(wordOf(await answer(alice, carol, 'decline')), 'ok');
    assert.equal(wordOf(await answer(alice, carol, 'accept')), 'no_request');
    assert.deepEqual([(await sync(alice)).messageRequests, await list(alice, 'list=requests')], [0, []]);
    assert.equal(wordOf(await send(carol, alice)), 'not_accepting');
    assert.equal(
      (await send(carol, alice, 'first')).body.data.duplicate,
      true,
      'a repeat is answered as stored',
    );
    clock.now += 30 * DAY_MS;
    assert.equal(wordOf(await send(carol, alice)), 'ok');
    assert.equal((await sync(alice)).messageRequests, 1);
    assert.deepEqual(await eventsOf(carol), ['1', '2']);
  });
});
