import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import type { Answer, Person } from '../../test/harness.ts';
import { addCrowd } from '../../test/people.ts';
import { startSockets } from '../../test/sockets.ts';

const HOUR_MS = 3_600_000;

onEachDatabase('friend limits', (database) => {
  async function start(t: TestContext) {
    const clock = { ms: 1_000 };
    const service = await startSockets(t, database, { world: { monotonicMs: () => clock.ms } });
    const action = (who: Person, op: string, userId: string) =>
      service.post(`/api/friends/${op}`, { userId }, { token: who.token });
    const word = async (who: Person, op: string, userId: string) => {
      const { body } = await action(who, op, userId);
      return body.code === 200 ? body.data.state : body.error;
    };
    const crowdOf = async (count: number) => {
      const ids = await addCrowd(service.services.db, count);
      await service.services.db.run`
        insert into inbox_heads (user_id) select id from users where username like 'crowd%'`;
      return ids;
    };
    const eventsOf = async ({ id }: Person) =>
      (await service.services.db.get<{ seq: number }>`select seq from inbox_heads where user_id = ${id}`)
        ?.seq;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    return { ...service, clock, action, word, crowdOf, eventsOf, alice, bob };
  }

  function assertRefused({ status, headers, body }: Answer, word: string, msg: string, retryAfter?: string) {
    assert.deepEqual(
      [status, body.code, body.error, body.msg, headers['retry-after']],
      [429, 429, word, msg, retryAfter],
    );
  }

  test('a user sends 30 requests in any hour, and a refused or repeated one does not count', async (t) => {
    const { clock, action, word, crowdOf, enter, alice } = await start(t);
    const crowd = await crowdOf(33);
    const [first = '', last = '', beyond = ''] = [crowd[0], crowd[30], crowd[31]];
    assert.equal(await word(alice, 'request', first), 'requested');
    clock.ms += 600_000;
    for (const id of crowd.slice(1, 30)) assert.equal(await word(alice, 'request', id), 'requested');
    for (let i = 0; i < 3; i++)
      assertRefused(
        await action(alice, 'request', last),
        'too_many_friend_requests',
        '发送好友申请过于频繁，请稍后再试',
        '3000',
      );
    assert.equal(await word(alice, 'request', first), 'requested', 'a repeat that changes nothing');
    const socket = await enter(alice);
    const reply = await socket.ask({ type: 'friend', op: 'request', userId: last });
    assert.deepEqual([reply.code, reply.error], [429, 'too_many_friend_requests']);
    clock.ms += HOUR_MS - 600_000;
    assert.equal(await word(alice, 'request', last), 'requested');
    assert.equal(await word(alice, 'request', beyond), 'too_many_friend_requests');
    assert.equal(await word(alice, 'cancel', last), 'none', 'a cancel is no request');
  });

  test('a user sends 6 requests and cancels an hour to one user, over HTTP and frames together', async (t) => {
    const { clock, action, word, enter, eventsOf, join, alice, bob } = await start(t);
    const carol = await join('carol');
    const socket = await enter(alice);
    const frame = async (op: string) => {
      const { data, error } = await socket.ask({ type: 'friend', op, userId: bob.id });
      return error ?? data.state;
    };
    const byHttp = (op: string) => word(alice, op, bob.id);
    assert.equal(await byHttp('cancel'), 'none', 'nothing to cancel');
    for (const step of [byHttp, frame, byHttp]) {
      assert.equal(await step('request'), 'requested');
      assert.equal(await step('cancel'), 'none');
    }
    assertRefused(
      await action(alice, 'request', bob.id),
      'too_many_requests_to_user',
      '对该用户的好友操作过于频繁，请稍后再试',
      '3600',
    );
    assert.equal(await frame('request'), 'too_many_requests_to_user');
    assert.deepEqual([await eventsOf(alice), await eventsOf(bob)], [6, 6]);
    assert.equal(await word(alice, 'request', carol.id), 'requested', 'another person');
    assert.equal(await word(bob, 'request', alice.id), 'requested', 'the other direction');
    assert.equal(await word(alice, 'decline', bob.id), 'none');
    clock.ms += HOUR_MS;
    assert.equal(await frame('request'), 'requested');
  });

  test('declining is never refused, and cycles of request and decline write 12 events an hour', async (t) => {
    const { word, eventsOf, alice, bob } = await start(t);
    for (let i = 0; i < 6; i++) {
      assert.equal(await word(bob, 'request', alice.id), 'requested');
      assert.equal(await word(alice, 'decline', bob.id), 'none');
    }
    assert.equal(await word(bob, 'request', alice.id), 'too_many_requests_to_user');
    assert.deepEqual([await eventsOf(alice), await eventsOf(bob)], [12, 12]);
    assert.equal(
      await word(alice, 'request', bob.id),
      'requested',
      'what the other did is not counted for a user',
    );
  });

  test('accepting and removing are never refused, and both together write 36 events an hour', async (t) => {
    const { word, eventsOf, alice, bob } = await start(t);
    for (const [asks, answers, answer] of [
      [alice, bob, 'accept'],
      [bob, alice, 'request'],
    ] as const)
      for (let i = 0; i < 6; i++) {
        assert.equal(await word(asks, 'request', answers.id), 'requested');
        assert.equal(await word(answers, answer, asks.id), 'friends');
        assert.equal(await word(i % 2 ? asks : answers, 'remove', i % 2 ? answers.id : asks.id), 'none');
      }
    for (const [asks, answers] of [
      [alice, bob],
      [bob, alice],
    ] as const)
      assert.equal(await word(asks, 'request', answers.id), 'too_many_requests_to_user');
    assert.deepEqual([await eventsOf(alice), await eventsOf(bob)], [36, 36]);
  });

  test('a user has 200 open requests of their own, however they were sent', async (t) => {
    const { services, action, word, crowdOf, alice, bob } = await start(t);
    const [left = '', refused = '', ...crowd] = await crowdOf(201);
    await services.db.transaction(async (tx) => {
      for (const id of crowd)
        await tx.run`insert into friends (user_id, peer_id, state, at) values (${alice.id}, ${id}, 'requested', 1), (${id}, ${alice.id}, 'asked', 1)`;
    });
    assert.equal(await word(bob, 'request', alice.id), 'requested', 'requests of others are not counted');
    const answers = await Promise.all([left, refused].map((id) => action(alice, 'request', id)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 429]);
    const second = answers.find(({ status }) => status === 429);
    assert.ok(second);
    assertRefused(second, 'too_many_open_requests', '待处理的好友申请已达200个，请先撤回一些');
    assert.equal(await word(alice, 'request', bob.id), 'friends', 'an acceptance opens nothing');
    const open = answers[0]?.status === 200 ? left : refused;
    assert.equal(await word(alice, 'request', open), 'requested', 'a repeat');
    assert.equal(await word(alice, 'cancel', crowd[0] ?? ''), 'none');
    assert.equal(await word(alice, 'request', open === left ? refused : left), 'requested');
  });
});
