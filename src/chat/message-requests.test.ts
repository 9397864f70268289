import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../../test/databases.ts';
import type { Body } from '../../test/harness.ts';
import { addCrowd } from '../../test/people.ts';
import { startRequests, wordOf } from '../../test/requesting.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { declineOldRequests } from '../relations/message-requests.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

onEachDeployment('message requests', (database) => {
  test('a message of a stranger waits: listed apart, not counted, not rung; the sender sees one tick', async (t) => {
    const { service, db, alice, bob, send, list, sync, eventsOf } = await startRequests(t, database);
    const phone = await service.enter(alice, { node: 0 });
    const his = await service.enter(bob, { node: 1 });
    await service.settled();
    await service.flush(); // else a later flush sends that Alice came online
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
    await phone.ask({ type: 'typing', to: bob.id });
    assert.equal(wordOf(await send(bob, alice)), 'ok');
    await phone.first(({ event, data }) => event === 'message' && data.n === 2);
    for (const { unread } of [phone, his])
      assert.equal(unread.filter(({ type }) => type === 'typing').length, 0);

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
      [['request', bob.id]],
    );
    assert.deepEqual(await eventsOf(bob), ['1', '2']);
  });

  test('accepting shows unread and receipts, and rings nothing; declining hides for 30 days', async (t) => {
    const { service, db, clock, alice, bob, carol, send, answer, list, sync, eventsOf } = await startRequests(
      t,
      database,
    );
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

    clock.now++;
    await send(carol, alice);
    assert.equal((await list(alice, 'limit=1'))[0].peer, bob.id, 'what waits takes no place of a page');
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
    assert.deepEqual(await eventsOf(carol), ['1', '2', '3']);
  });

  test('five messages wait, also of one batch; a sixth is refused; a batch may also answer', async (t) => {
    const { alice, bob, carol, take, send, sendAtOnce, requests, eventsOf } = await startRequests(
      t,
      database,
    );
    const six = Array.from({ length: 6 }, () => [bob, alice] as const);
    assert.deepEqual(await sendAtOnce(...six), [1, 2, 3, 4, 5, 'not_accepting']);
    assert.equal(wordOf(await send(bob, alice)), 'not_accepting');
    assert.deepEqual(await requests(), ['alice bob waiting 5']);
    await take('requests', carol);
    // Both are strangers to each other: the second message answers the first, and the third is an ordinary one.
    assert.deepEqual(await sendAtOnce([carol, alice], [alice, carol], [carol, alice]), [1, 2, 3]);
    assert.deepEqual(await requests(), ['alice bob waiting 5']);
    const waiting = [1, 2, 3, 4, 5].map((n) => `${n} request`);
    assert.deepEqual(await eventsOf(alice), [...waiting, '1 request', 'carol accepted', '2', '3']);
    assert.deepEqual(await eventsOf(carol), ['1', '2', '3']);
  });

  test('two strangers who write to each other at the same moment do not wait for each other', async (t) => {
    const { alice, bob, take, send, list, requests, eventsOf } = await startRequests(t, database);
    await take('requests', bob);
    const sent = await Promise.all([send(alice, bob), send(bob, alice)]);
    assert.deepEqual(sent.map(({ body }) => body.data.n).sort(), [1, 2]);
    assert.deepEqual(await requests(), []);
    for (const one of [alice, bob]) assert.equal((await list(one))[0].unread, 1);
    const events = [...(await eventsOf(alice)), ...(await eventsOf(bob))];
    assert.equal(events.filter((event) => event === '1 request').length, 1);
    assert.equal(events.filter((event) => event.endsWith('accepted')).length, 1);
  });

  test('friends: only a friend begins a conversation, and one that exists stays open', async (t) => {
    const { alice, bob, carol, take, send, answer, befriend, requests } = await startRequests(t, database);
    await send(bob, alice);
    await take('friends');
    assert.equal(wordOf(await send(bob, alice)), 'not_accepting', 'a request that waits is no conversation');
    assert.equal(wordOf(await answer(alice, bob, 'accept')), 'ok');
    assert.equal(wordOf(await send(bob, alice)), 'ok');
    assert.equal(wordOf(await send(carol, alice)), 'not_accepting');
    assert.equal(wordOf(await befriend(alice, carol)), 'ok');
    assert.equal(wordOf(await send(carol, alice)), 'not_accepting', 'not a friend yet');
    await take('requests');
    assert.equal(wordOf(await send(carol, alice)), 'ok', 'who was asked to be a friend does not wait');
    assert.deepEqual(await requests(), []);
    await befriend(carol, alice, 'accept');
    await take('friends');
    assert.equal(wordOf(await send(carol, alice)), 'ok');
    assert.deepEqual(await requests(), []);
  });

  test('of messages and a change of the setting at once, those before the change wait, and the rest is refused', async (t) => {
    const { service, alice, bob, carol, send, sendAtOnce, eventsOf } = await startRequests(t, database);
    const set = (messages: string) => service.post('/api/user/privacy', { messages }, { token: alice.token });
    const [sent] = await Promise.all([sendAtOnce([bob, alice], [carol, alice]), set('friends')]);
    const mine = await eventsOf(alice);
    const waiting = sent.filter((one) => one === 1).map(() => '1 request');
    assert.deepEqual(mine, [...waiting, 'privacy']);
    assert.equal(sent.filter((one) => one === 'not_accepting').length, 2 - waiting.length);
    for (const stranger of [bob, carol]) assert.equal(wordOf(await send(stranger, alice)), 'not_accepting');
  });

  test('asking for friendship, and accepting theirs, accepts what waits or was declined', async (t) => {
    const { clock, alice, bob, carol, send, answer, befriend, requests, eventsOf } = await startRequests(
      t,
      database,
    );
    for (const stranger of [bob, carol]) await send(stranger, alice);
    await answer(alice, carol, 'decline');
    assert.equal(wordOf(await befriend(carol, alice)), 'not_accepting', 'as after a block');
    clock.now += 30 * DAY_MS;
    for (const stranger of [bob, carol]) assert.equal(wordOf(await befriend(stranger, alice)), 'ok');
    assert.deepEqual(await requests(), ['alice bob waiting 1', 'alice carol declined 1'].sort());
    assert.deepEqual((await Promise.all([befriend(alice, bob), send(bob, alice)])).map(wordOf), ['ok', 'ok']);
    await befriend(alice, carol, 'accept');
    assert.deepEqual(await requests(), []);
    const mine = await eventsOf(alice);
    assert.deepEqual(
      mine.filter((event) => event.endsWith('accepted')),
      ['bob accepted', 'carol accepted'],
    );
    assert.equal(wordOf(await send(carol, alice)), 'ok');
  });

  test('a block declines, an unblock brings nothing back, and of a block and an answer at once one is first', async (t) => {
    const { alice, bob, carol, send, answer, block, list, sync, requests, eventsOf } = await startRequests(
      t,
      database,
    );
    await send(bob, alice);
    await block(alice, bob);
    assert.deepEqual(await requests(), ['alice bob declined 1']);
    await block(alice, bob, 'unblock');
    assert.deepEqual([await list(alice), (await sync(alice)).messageRequests], [[], 0]);
    assert.equal(wordOf(await send(bob, alice)), 'not_accepting');
    assert.deepEqual(await eventsOf(alice), ['1 request', 'block', 'bob declined', 'unblock']);
    await block(alice, bob);
    assert.equal((await eventsOf(alice)).at(-1), 'block', 'it is declined already');

    await send(carol, alice);
    const [answered, blocked] = (
      await Promise.all([answer(alice, carol, 'accept'), block(alice, carol)])
    ).map(wordOf);
    assert.equal(blocked, 'ok');
    const left = (await requests()).filter((row) => row.includes('carol'));
    assert.deepEqual(left, answered === 'ok' ? [] : ['alice carol declined 1']);
    assert.equal(wordOf(await send(carol, alice)), 'not_accepting');
    await block(alice, carol, 'unblock');
    assert.deepEqual(await eventsOf(carol), ['1']);
  });

  test('a stranger who blocks the user learns no receipt when they accept', async (t) => {
    const { db, alice, bob, send, answer, block, eventsOf } = await startRequests(t, database);
    await send(bob, alice);
    await db.run`update conversations set received = 1, read = 1 where user_id = ${alice.id}`;
    await block(bob, alice);
    assert.equal(wordOf(await answer(alice, bob, 'accept')), 'ok');
    assert.deepEqual(await eventsOf(bob), ['1', 'block']);
  });

  test('writing to them accepts: receipts come first, then the message; a device that resumes gets the same', async (t) => {
    const { service, alice, bob, send, list, sync, eventsOf } = await startRequests(t, database);
    await send(bob, alice);
    const phone = await service.enter(alice, { node: 0 });
    const { epoch, seq } = await sync(alice);
    phone.send({ type: 'ack', seq: 1 });
    await phone.ask({ type: 'mark', peer: bob.id, read: 1 });
    await service.flush();
    assert.deepEqual(await eventsOf(bob), ['1']);
    assert.equal((await phone.ask({ type: 'send', to: bob.id, cid: 'a1', body: 'hi' })).data.n, 2);
    assert.deepEqual(await eventsOf(bob), ['1', 'alice received 1 read 1', '2']);
    const old = await service.connect({ node: 1 });
    assert.equal((await old.hello({ token: alice.token, epoch, seq })).data.resumed, true);
    const got = old.unread.filter(({ type }) => type === 'event');
    assert.deepEqual(
      got.map(({ event, data }) => [event, data.state ?? data.n ?? data.read]),
      [
        ['marked', 1],
        ['message_request', 'accepted'],
        ['message', 2],
      ],
    );
    const after = await sync(alice);
    assert.deepEqual([after.messageRequests, after.conversations.length], [0, 1]);
    const [his] = await list(bob);
    assert.deepEqual([his.received, his.read, his.unread], [1, 1, 1]);
  });

  test('what waits for 90 days is declined, and 50 strangers wait at most', async (t) => {
    const { service, db, clock, alice, bob, carol, send, sync, requests, eventsOf } = await startRequests(
      t,
      database,
    );
    await send(bob, alice);
    clock.now += 90 * DAY_MS - 1;
    const decline = () =>
      Promise.all(
        service.nodes.map(({ services }) => declineOldRequests({ db, events: services.events }, clock.now)),
      );
    await decline();
    assert.deepEqual(await requests(), ['alice bob waiting 1']);
    clock.now++;
    await decline();
    assert.deepEqual(await requests(), ['alice bob declined 1']);
    assert.deepEqual(await eventsOf(alice), ['1 request', 'bob declined']);
    for (const id of await addCrowd(db, 50))
      await db.run`
        insert into message_requests (user_id, peer_id, state, messages, at) values (${alice.id}, ${id}, 'waiting', 1, ${clock.now})`;
    assert.equal(wordOf(await send(carol, alice)), 'not_accepting');
    await db.run`update users set status = 'suspended' where id = '00000000-0000-7000-8000-100000000001'`;
    assert.equal(wordOf(await send(carol, alice)), 'ok', 'one of them is suspended');
    assert.equal((await sync(alice)).messageRequests, 51);
  });

  test('a deletion ends what waits for the user, and the job declines what waits from them', async (t) => {
    const { service, db, clock, alice, bob, carol, take, send, list, requests, eventsOf } =
      await startRequests(t, database);
    await take('requests', bob);
    await send(carol, bob);
    await send(bob, alice);
    await db.transaction((tx) => deleteUser(tx, bob.id));
    assert.deepEqual(await requests(), ['alice bob waiting 1']);
    await Promise.all(
      service.nodes.map(({ services }) => declineOldRequests({ db, events: services.events }, clock.now)),
    );
    assert.deepEqual(await eventsOf(alice), ['1 request', 'bob declined']);
    assert.deepEqual([await list(alice), await list(alice, 'list=requests')], [[], []]);
  });

  test('the message of a friend accepts a request that a node of the version before left', async (t) => {
    const { db, alice, bob, send, befriend, requests, eventsOf } = await startRequests(t, database);
    await befriend(bob, alice);
    await befriend(alice, bob, 'accept');
    await db.run`
      insert into message_requests (user_id, peer_id, state, messages, at) values (${alice.id}, ${bob.id}, 'declined', 1, 0)`;
    assert.equal(wordOf(await send(bob, alice)), 'ok');
    assert.deepEqual(await requests(), []);
    assert.deepEqual((await eventsOf(alice)).slice(-2), ['bob accepted', '1']);
    assert.deepEqual((await eventsOf(bob)).at(-1), '1');
  });

  test('bad answers are refused, and store nothing', async (t) => {
    const { service, alice, bob, send, requests } = await startRequests(t, database);
    await send(bob, alice);
    const phone = await service.enter(alice);
    for (const [fields, word] of [
      [{}, 'invalid_field'],
      [{ peer: bob.id }, 'invalid_field'],
      [{ peer: bob.id, act: 'block' }, 'invalid_field'],
      [{ peer: bob.id, act: null }, 'invalid_field'],
      [{ peer: 5, act: 'accept' }, 'invalid_field'],
      [{ peer: 'x'.repeat(101), act: 'accept' }, 'invalid_field'],
      [{ peer: 'no-one', act: 'decline' }, 'no_request'],
    ] as const) {
      const answer = await service.post('/api/conversations/request', fields, { token: alice.token });
      assert.equal(wordOf(answer), word, JSON.stringify(fields));
      assert.equal((await phone.ask({ type: 'message_request', ...fields })).error, word);
    }
    assert.equal(
      wordOf(await service.get('/api/conversations?list=all', { token: alice.token })),
      'invalid_field',
    );
    assert.deepEqual(await requests(), ['alice bob waiting 1']);
  });
});
