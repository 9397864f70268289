import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, onEachDeployment, onPostgres } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import type { Answer, Body, Person } from '../../test/harness.ts';
import { startKeeping, UNCHANGED } from '../../test/keeping.ts';
import { countLockWaits, lockElsewhere } from '../../test/locked-inbox.ts';
import { readHead } from '../inbox/inbox.ts';
import { setConversation } from './keeping/keep-conversation.ts';

const HOUR = 3_600_000;
const UNKNOWN = { id: '00000000-0000-7000-8000-000000000000' } as Person;

const wordOf = ({ status, body }: Answer) => [status, body.error];
const peersOf = (entries: Body[]) => entries.map(({ peer }) => peer);

onEachDeployment('the settings of a conversation', (database) => {
  test('are answered, and appended to the log of the caller alone, all six fields each time; the same again changes nothing', async (t) => {
    const { clock, alice, bob, send, keep, entry, eventsOf, keptEventsOf } = await startKeeping(t, database);
    await send(bob, alice);
    const far = clock.now + HOUR;
    let expected = { peer: bob.id, ...UNCHANGED };
    const events: object[] = [];
    for (const [body, changes] of [
      [{ mutedUntil: far }, { mutedUntil: far }],
      [{ pinned: 1 }, { pinnedAt: clock.now }],
      [{ archived: 1 }, { archived: 1 }],
      [{ markedUnread: 1 }, { markedUnread: 1 }],
      [{ mutedUntil: 8_640_000_000_000_000 }, { mutedUntil: 8_640_000_000_000_000 }],
      [
        { mutedUntil: 0, pinned: 0, archived: 0, markedUnread: 0 },
        { mutedUntil: 0, pinnedAt: 0, archived: 0, markedUnread: 0 },
      ],
      [
        { mutedUntil: far, pinned: 1, archived: 1, markedUnread: 1 },
        { mutedUntil: far, pinnedAt: clock.now, archived: 1, markedUnread: 1 },
      ],
    ] as const) {
      expected = { ...expected, ...changes };
      events.push(expected);
      for (const time of ['first', 'second']) {
        const answer = await keep(alice, bob, body);
        assert.deepEqual([answer.status, answer.body.data], [200, expected], JSON.stringify(body));
        assert.deepEqual(await keptEventsOf(alice), events, `${time} ${JSON.stringify(body)}`);
      }
      const { last: _, unread, received, read, ownRead, revision, ...settings } = await entry(alice, bob);
      assert.deepEqual(settings, expected);
      assert.deepEqual([unread, received, read, ownRead, revision], [1, 0, 0, 0, 0]);
    }
    assert.deepEqual(
      (await eventsOf(bob)).map(({ event }) => event),
      ['message'],
    );
    assert.deepEqual(await keptEventsOf(bob), []);
    const { archived, pinnedAt } = await entry(bob, alice);
    assert.deepEqual([archived, pinnedAt], [0, 0]);
  });

  test('reach each device of the caller', async (t) => {
    const { service, alice, bob, send } = await startKeeping(t, database);
    await send(bob, alice);
    const devices = [
      await service.enter(alice),
      await service.enter(await service.logIn(alice)),
      await service.enter(bob),
    ] as const;
    const { data } = await devices[0].ask({ type: 'conversation', peer: bob.id, pinned: 1 });
    for (const device of devices.slice(0, 2)) {
      const { event, data: seen } = await device.first(({ type }) => type === 'event');
      assert.deepEqual([event, seen], ['conversation', data]);
    }
    await devices[2].roundTrip();
    assert.deepEqual(
      devices[2].unread.filter(({ type }) => type === 'event'),
      [],
    );
  });

  test('of what the caller has not are refused, and nothing is stored', async (t) => {
    const { db, alice, bob, carol, post, send, keep, clear, entry, keptEventsOf } = await startKeeping(
      t,
      database,
    );
    await post(alice, '/api/user/privacy', { messages: 'requests' });
    await send(bob, alice);
    await send(carol, alice);
    const decline = { peer: carol.id, act: 'decline' };
    assert.equal((await post(alice, '/api/conversations/request', decline)).status, 200);
    const refused: [person: Person, peer: Person, word: string][] = [
      [alice, UNKNOWN, 'user_not_found'],
      [alice, alice, 'conversation_not_found'],
      [bob, carol, 'conversation_not_found'],
      [alice, bob, 'conversation_not_found'],
      [alice, carol, 'conversation_not_found'],
    ];
    for (const [person, peer, word] of refused)
      for (const answer of [
        await keep(person, peer, { pinned: 1 }),
        await keep(person, peer, { pinned: 0 }),
        await clear(person, peer, 1),
      ])
        assert.deepEqual(wordOf(answer), [404, word], `${person.username} ${peer.username}`);
    for (const peer of [bob, carol, UNKNOWN])
      assert.deepEqual(wordOf(await keep(carol, peer, {})), [400, 'nothing_to_change']);
    assert.deepEqual(await db.all`select user_id from conversation_settings`, []);
    for (const person of [alice, bob, carol]) assert.deepEqual(await keptEventsOf(person), []);
    // The stranger has a conversation, while it waits and after it was declined.
    for (const stranger of [bob, carol]) {
      assert.equal((await keep(stranger, alice, { pinned: 1 })).status, 200);
      assert.ok((await entry(stranger, alice)).pinnedAt > 0);
    }
    await send(alice, bob);
    assert.equal((await keep(alice, bob, { pinned: 1 })).status, 200, 'accepted by an answer');
  });

  test('are as they were during a block and after the account of the peer was deleted', async (t) => {
    const { db, alice, bob, post, send, keep, list } = await startKeeping(t, database);
    await send(bob, alice);
    await post(alice, '/api/user/block', { blockedId: bob.id });
    assert.equal((await keep(alice, bob, { pinned: 1, archived: 1 })).status, 200);
    assert.equal((await keep(bob, alice, { archived: 1 })).status, 200);
    await db.run`update users set status = 'deleted' where id = ${bob.id}`;
    assert.equal((await keep(alice, bob, { archived: 0 })).status, 200);
    const { pinned } = await list(alice);
    assert.deepEqual([peersOf(pinned), pinned[0].archived], [[bob.id], 0]);
  });

  test('of five conversations may be a pin; they come whole, the latest pin first, wherever the list begins', async (t) => {
    const { service, clock, alice, bob, post, send, keep, list, sync, keptEventsOf } = await startKeeping(
      t,
      database,
    );
    const peers = [bob];
    for (const name of ['d', 'e', 'f', 'g', 'h', 'i']) peers.push(await service.join(name.repeat(3)));
    for (const peer of peers) {
      clock.now += 1_000;
      await send(peer, alice);
    }
    const [, second, third, , , , last] = peers as [Person, Person, Person, Person, Person, Person, Person];
    const latestFirst = peers.toReversed().map(({ id }) => id);
    const order: string[] = [];
    for (const peer of [third, bob, last, second]) {
      assert.equal((await keep(alice, peer, { pinned: 1 })).status, 200);
      order.unshift(peer.id);
    }
    clock.now -= HOUR;
    await keep(alice, peers[3] as Person, { pinned: 1 });
    order.unshift(peers[3]?.id ?? '');
    const check = async () => {
      const [all, first, snapshot] = [await list(alice), await list(alice, 'limit=1'), await sync(alice)];
      assert.deepEqual(peersOf(all.data), latestFirst, 'the list keeps its order');
      assert.deepEqual(peersOf(first.data), latestFirst.slice(0, 1), 'the pinned ones are beside the page');
      assert.deepEqual(peersOf(all.pinned), order);
      assert.deepEqual([first.pinned, snapshot.pinned], [all.pinned, all.pinned]);
      for (const pinned of all.pinned)
        assert.deepEqual(
          pinned,
          all.data.find(({ peer }: Body) => peer === pinned.peer),
        );
      for (const { people } of [all, first, snapshot])
        for (const id of order) assert.ok(people.some((one: Body) => one.id === id));
      const after = await list(alice, `limit=1&after=${first.next}`);
      for (const page of [after, await list(alice, `peer=${bob.id}`), await list(alice, 'list=requests')])
        assert.equal(page.pinned, undefined);
    };
    await check();
    const events = (await keptEventsOf(alice)).length;
    const sixth = peers[4] as Person;
    assert.deepEqual(wordOf(await keep(alice, sixth, { pinned: 1 })), [400, 'too_many_pins']);
    assert.deepEqual(wordOf(await keep(alice, sixth, { pinned: 1, archived: 1 })), [400, 'too_many_pins']);
    assert.equal((await keep(alice, third, { pinned: 1 })).status, 200, 'is pinned already');
    assert.equal((await keptEventsOf(alice)).length, events);
    await check();
    assert.equal((await keep(bob, alice, { pinned: 1 })).status, 200, 'the pins of others do not count');

    assert.equal((await keep(alice, bob, { pinned: 0 })).status, 200);
    assert.equal((await keep(alice, sixth, { pinned: 1 })).status, 200);
    order.splice(order.indexOf(bob.id), 1);
    order.unshift(sixth.id);
    await check();
    await post(alice, '/api/user/block', { blockedId: sixth.id });
    await check();
  });

  test('of an archived conversation: a message brings it back without a write, but not while it is muted', async (t) => {
    const { db, clock, alice, bob, send, keep, entry, keptEventsOf } = await startKeeping(t, database);
    await send(bob, alice);
    const archived = async () => (await entry(alice, bob)).archived;
    const stored = () => db.all`select * from conversation_settings`;
    await keep(alice, bob, { archived: 1 });
    const [rows, events] = [await stored(), await keptEventsOf(alice)];
    assert.equal(await archived(), 1);
    await send(alice, bob);
    assert.equal(await archived(), 0, 'brought back by any message, also by their own');
    assert.deepEqual([await stored(), await keptEventsOf(alice)], [rows, events]);

    const { body } = await keep(alice, bob, { mutedUntil: clock.now + HOUR });
    assert.deepEqual([body.data.archived, await archived()], [0, 0], 'a mute does not archive it again');
    await keep(alice, bob, { archived: 1 });
    await send(bob, alice);
    assert.equal(await archived(), 1);
    clock.now += HOUR;
    assert.equal(await archived(), 0, 'the mute is over');
    clock.now -= HOUR;
    assert.equal(await archived(), 1);
    assert.equal((await keep(alice, bob, { mutedUntil: 0 })).body.data.archived, 0);

    await keep(alice, bob, { mutedUntil: clock.now + HOUR, archived: 1 });
    await send(bob, alice);
    const both = await keep(alice, bob, { mutedUntil: 0, archived: 1 });
    assert.deepEqual([both.body.data.archived, await archived()], [1, 1], 'both at once');
  });

  test('end as to the mark "unread" with a mark of any number', async (t) => {
    const { alice, bob, send, keep, mark, entry, eventsOf } = await startKeeping(t, database);
    await send(bob, alice);
    await send(bob, alice);
    const namesOf = async (person: Person) =>
      (await eventsOf(person)).slice(2).map(({ event, data }) => [event, data]);
    const expected: unknown[] = [];
    const kept = {
      peer: bob.id,
      ...UNCHANGED,
      pinnedAt: (await keep(alice, bob, { pinned: 1 })).body.data.pinnedAt,
    };
    expected.push(['conversation', kept]);
    const marks = (n: number) => ({ peer: bob.id, by: alice.id, received: n, read: n });
    for (const [read, after, isHigher] of [
      [0, 0, false],
      [1, 1, true],
      [1, 1, false],
      [99, 2, true],
      [0, 2, false],
    ] as const) {
      await keep(alice, bob, { markedUnread: 1 });
      expected.push(['conversation', { ...kept, markedUnread: 1 }]);
      assert.equal((await entry(alice, bob)).markedUnread, 1);
      for (const time of ['first', 'second']) {
        const { body } = await mark(alice, bob, read);
        assert.deepEqual(body.data, { peer: bob.id, received: after, read: after }, time);
      }
      if (isHigher) expected.push(['marked', marks(after)]);
      expected.push(['conversation', kept]);
      assert.deepEqual(await namesOf(alice), expected, `${read}`);
      assert.equal((await entry(alice, bob)).markedUnread, 0);
    }
    assert.deepEqual(
      (await namesOf(bob)).map(([event]) => event),
      ['marked', 'marked'],
    );
  });

  test('count in the limit of messages, by frame and over HTTP', async (t) => {
    const env = { RATE_LIMIT_MESSAGES: '4/1m' };
    const { service, alice, bob, send, keep, clear } = await startKeeping(t, database, env);
    await send(bob, alice);
    const socket = await service.enter(alice);
    await send(alice, bob);
    const codes = [
      (await keep(alice, bob, { pinned: 1 })).status,
      (await socket.ask({ type: 'conversation', peer: bob.id, pinned: 1 })).code,
      (await clear(alice, UNKNOWN, 1)).status,
    ];
    assert.deepEqual(codes, [200, 200, 404]);
    for (const answer of [await keep(alice, bob, { pinned: 0 }), await clear(alice, bob, 1)])
      assert.deepEqual(wordOf(answer), [429, 'too_many_messages']);
    for (const frame of [
      { type: 'conversation', peer: bob.id, pinned: 0 },
      { type: 'clear', peer: bob.id, n: 1 },
    ])
      assert.equal((await socket.ask(frame)).error, 'too_many_messages');
    assert.equal((await keep(bob, alice, { pinned: 1 })).status, 200);
  });
});

onEachDatabase('settings that change nothing', (database) => {
  test('wait for no inbox that is locked elsewhere, nor do those that are refused', async (t) => {
    const { service, settings, alice, bob, send, keep, clear } = await startKeeping(t, database);
    await send(bob, alice);
    await keep(alice, bob, { pinned: 1 });
    const before = await readHead(service.services.db, alice.id);
    {
      await using _ = await lockElsewhere(settings, alice.id);
      assert.equal((await keep(alice, bob, { pinned: 1, archived: 0 })).status, 200);
      const answers = [
        await keep(alice, UNKNOWN, { pinned: 1 }),
        await clear(alice, UNKNOWN, 1),
        await keep(alice, alice, { pinned: 1 }),
      ];
      assert.deepEqual(answers.map(wordOf), [
        [404, 'user_not_found'],
        [404, 'user_not_found'],
        [404, 'conversation_not_found'],
      ]);
    }
    assert.equal(await readHead(service.services.db, alice.id), before);
  });

  test('are refused for a session that has ended', async (t) => {
    const { service, alice, bob, send, keptEventsOf } = await startKeeping(t, database);
    await send(bob, alice);
    await assert.rejects(
      setConversation(
        service.services,
        { userId: alice.id, sessionId: 'ended' },
        { peer: bob.id, pinned: 1 },
        1,
      ),
      { name: 'ServiceError', kind: 'unauthenticated' },
    );
    assert.deepEqual(await keptEventsOf(alice), []);
  });
});

onPostgres('settings beside locked inboxes', (database) => {
  test('are stored while the inbox of the peer is locked', async (t) => {
    const { settings, alice, bob, send, keep, clear, keptEventsOf } = await startKeeping(t, database);
    await send(bob, alice);
    await using _ = await lockElsewhere(settings, bob.id);
    assert.equal((await keep(alice, bob, { pinned: 1 })).status, 200);
    assert.equal((await clear(alice, bob, 1)).status, 200);
    assert.equal((await keptEventsOf(alice)).length, 2);
  });

  test('two devices that pin a fifth conversation at the same time: one is refused', async (t) => {
    const { service, settings, alice, send, keep, list } = await startKeeping(t, database);
    const peers: Person[] = [];
    for (const name of ['d', 'e', 'f', 'g', 'h', 'i']) peers.push(await service.join(name.repeat(3)));
    for (const peer of peers) await send(peer, alice);
    for (const peer of peers.slice(2)) await keep(alice, peer, { pinned: 1 });
    const lock = await lockElsewhere(settings, alice.id);
    const both = Promise.all(peers.slice(0, 2).map((peer) => keep(alice, peer, { pinned: 1 })));
    await eventually(async () => (await countLockWaits(settings)) === 2);
    await lock[Symbol.asyncDispose]();
    assert.deepEqual((await both).map(({ status }) => status).sort(), [200, 400]);
    assert.equal((await list(alice)).pinned.length, 5);
  });
});
