import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, onEachDeployment } from '../../test/databases.ts';
import type { Body } from '../../test/harness.ts';
import { startKeeping, UNCHANGED } from '../../test/keeping.ts';
import { PRESENT } from '../../test/present.ts';
import { startPushing } from '../../test/pushing.ts';
import { startSockets } from '../../test/sockets.ts';

const HOUR = 3_600_000;

const numbersOf = (messages: Body[]) => messages.map(({ n }) => n);

onEachDeployment('messages that a user deletes for themselves', (database) => {
  test('are gone from their history, list and unread count; the peer keeps them and learns nothing', async (t) => {
    const { alice, bob, send, clear, mark, history, entry, eventsOf, keptEventsOf } = await startKeeping(
      t,
      database,
    );
    for (const [from, to] of [
      [bob, alice],
      [bob, alice],
      [alice, bob],
      [bob, alice],
    ] as const)
      await send(from, to);
    await send(bob, alice, { replyTo: 1 });
    await mark(alice, bob, 1);
    const before = {
      events: await eventsOf(bob),
      history: await history(bob, alice),
      entry: await entry(bob, alice),
    };
    assert.equal((await entry(alice, bob)).unread, 3);

    const cleared = { peer: bob.id, ...UNCHANGED, clearedN: 2 };
    for (const n of [2, 2, 1]) {
      const { status, body } = await clear(alice, bob, n);
      assert.deepEqual([status, body.data], [200, cleared], `${n}`);
      assert.deepEqual(await keptEventsOf(alice), [cleared], 'an event for the first alone');
    }
    for (const [query, numbers, more] of [
      ['', [3, 4, 5], false],
      ['limit=2', [4, 5], true],
      ['limit=2&before=5', [3, 4], false],
      ['before=3', [], false],
      ['after=0', [3, 4, 5], false],
      ['after=0&limit=2', [3, 4], true],
    ] as const) {
      const page = await history(alice, bob, query);
      assert.deepEqual([numbersOf(page.items), page.more], [numbers, more], query);
      assert.deepEqual([page.clearedN, page.revision, page.quoted], [2, 0, []], query);
    }
    const own = await entry(alice, bob);
    assert.deepEqual([own.unread, own.ownRead, own.received, own.last.n, own.clearedN], [2, 1, 0, 5, 2]);
    assert.deepEqual(
      { events: await eventsOf(bob), history: await history(bob, alice), entry: await entry(bob, alice) },
      before,
    );
    assert.deepEqual(numbersOf(before.history.items), [1, 2, 3, 4, 5]);
    assert.deepEqual(numbersOf((await history(bob, alice, 'after=4')).quoted), [1]);
    assert.equal((await mark(alice, bob, 4)).status, 200);
    assert.equal((await entry(alice, bob)).unread, 1);
  });

  test('leave no conversation when none is left: not in lists, neither pinned, archived nor unread, until the next message', async (t) => {
    const { service, clock, alice, bob, carol, send, keep, clear, history, list, sync, entry, keptEventsOf } =
      await startKeeping(t, database);
    await send(carol, alice);
    for (let n = 1; n <= 3; n++) await send(bob, alice);
    const mutedUntil = clock.now + HOUR;
    await keep(alice, bob, { mutedUntil, pinned: 1, archived: 1, markedUnread: 1 });
    const device = await service.enter(alice);
    const { body } = await clear(alice, bob, Number.MAX_SAFE_INTEGER);
    const left = { peer: bob.id, ...UNCHANGED, mutedUntil, clearedN: 3 };
    assert.deepEqual(body.data, left);
    const { event, data } = await device.first(({ type }) => type === 'event');
    assert.deepEqual([event, data], ['conversation', left]);

    for (const page of [await list(alice), await sync(alice)]) {
      const conversations: Body[] = page.conversations ?? page.data;
      assert.deepEqual([conversations.map(({ peer }) => peer), page.pinned], [[carol.id], []]);
      assert.deepEqual(
        page.people.map(({ id }: Body) => id),
        [carol.id],
      );
    }
    assert.equal(await entry(alice, bob), undefined);
    assert.deepEqual(await history(alice, bob), {
      items: [],
      more: false,
      quoted: [],
      revision: 0,
      clearedN: 3,
    });
    const events = (await keptEventsOf(alice)).length;
    const refused = await keep(alice, bob, { pinned: 1 });
    assert.deepEqual([refused.status, refused.body.error], [404, 'conversation_not_found']);
    assert.deepEqual((await clear(alice, bob, 3)).body.data, left, 'a repeat');
    assert.equal((await keptEventsOf(alice)).length, events);

    await send(bob, alice);
    const { last, unread, ...rest } = await entry(alice, bob);
    assert.deepEqual([last.n, unread, rest.pinnedAt, rest.archived, rest.markedUnread], [4, 1, 0, 0, 0]);
    assert.deepEqual([rest.mutedUntil, rest.clearedN], [mutedUntil, 3]);
    assert.deepEqual(numbersOf((await history(alice, bob)).items), [4]);
    assert.equal((await list(alice)).data.length, 2);
  });

  test('are not counted again by a mark below them', async (t) => {
    const { alice, bob, send, clear, mark, entry } = await startKeeping(t, database);
    for (let n = 1; n <= 4; n++) await send(bob, alice);
    await clear(alice, bob, 3);
    assert.equal((await mark(alice, bob, 1)).body.data.read, 1);
    assert.equal((await entry(alice, bob)).unread, 1);
    await clear(alice, bob, 3);
    assert.equal((await entry(alice, bob)).unread, 1);
    assert.equal((await mark(alice, bob, 4)).body.data.read, 4);
    assert.equal((await entry(alice, bob)).unread, 0);
  });

  test('keep pin, archive and the mark "unread" while one message is left', async (t) => {
    const { alice, bob, send, keep, clear } = await startKeeping(t, database);
    for (let n = 1; n <= 2; n++) await send(bob, alice);
    const { body } = await keep(alice, bob, { pinned: 1, archived: 1, markedUnread: 1 });
    assert.deepEqual((await clear(alice, bob, 1)).body.data, { ...body.data, clearedN: 1 });
  });

  test('are not quoted, neither to those who come to that page later', async (t) => {
    const { alice, bob, send, clear, history } = await startKeeping(t, database);
    for (let n = 1; n <= 3; n++) await send(bob, alice);
    await send(bob, alice, { replyTo: 1 });
    await send(alice, bob, { replyTo: 3 });
    const quotedBy = async (query: string) => numbersOf((await history(alice, bob, query)).quoted);
    assert.deepEqual([await quotedBy('after=3'), await quotedBy('')], [[1, 3], []]);
    await clear(alice, bob, 2);
    assert.deepEqual([await quotedBy('after=3'), await quotedBy('')], [[3], []]);
    assert.equal((await history(alice, bob, 'after=3')).items[0].replyTo, 1, 'the number stays');
  });

  test('leave full pages of the list', async (t) => {
    const { service, alice, bob, carol, send, clear, list } = await startKeeping(t, database);
    const dora = await service.join('dora');
    for (const peer of [bob, carol, dora]) await send(peer, alice);
    await clear(alice, carol, 1);
    const first = await list(alice, 'limit=2');
    assert.deepEqual([first.data.length, first.next], [2, undefined]);
    const one = await list(alice, 'limit=1');
    assert.deepEqual((await list(alice, `limit=1&after=${one.next}`)).data[0].peer, bob.id);
  });
});

onEachDatabase('pushes about messages that the user deletes for themselves', (database) => {
  async function start(...args: [Parameters<typeof startPushing>[0], typeof database]) {
    const pushing = await startPushing(...args);
    const clear = async (n: number) => {
      const body = { peer: pushing.alice.id, n };
      const { status } = await pushing.service.post('/api/conversations/clear', body, {
        token: pushing.bob.token,
      });
      assert.equal(status, 200);
    };
    return { ...pushing, clear };
  }

  test('end as seen with the last unread message, and not before', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, pass, outcomes, clear } = await start(
      t,
      database,
    );
    const phone = await subscribe(bob);
    service.services.presence.online.add(bob.id, PRESENT);
    for (let i = 0; i < 3; i++) await write(alice, bob);
    await clear(2);
    await pass(10_000);
    assert.equal(pushService.received(phone.endpoint).length, 1);
    assert.match(pushService.received(phone.endpoint)[0]?.text ?? '', /"body":"New message"/);
    await write(alice, bob);
    await clear(99);
    await pass(10_000);
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
    assert.deepEqual(await outcomes(bob), ['seen', 'accepted']);
  });

  test('that wait end too, in their entry of the log', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass, outcomes, clear } = await start(
      t,
      database,
    );
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 500 });
    await writeAndPush(alice, bob);
    assert.deepEqual(await outcomes(bob), ['waiting']);
    await clear(1);
    await pass(60_000);
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
    assert.deepEqual(await outcomes(bob), ['seen']);
  });

  test('over a socket, the log has the name of that device', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const desk = await service.connect();
    await desk.hello({ token: bob.token, device: 'Firefox on Linux' });
    await service.post('/api/messages', { to: bob.id, cid: '1', body: 'hello' }, { token: alice.token });
    await desk.first((frame) => frame.event === 'message');
    assert.equal((await desk.ask({ type: 'clear', peer: alice.id, n: 1 })).code, 200);
    const { body } = await service.get('/api/push/log', { token: bob.token });
    assert.deepEqual(
      body.data.map((entry: Body) => [entry.outcome, entry.detail]),
      [['seen', 'Firefox on Linux']],
    );
  });
});
