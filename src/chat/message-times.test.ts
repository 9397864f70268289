import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import type { Person } from '../../test/harness.ts';
import { startSockets } from '../../test/sockets.ts';

onEachDatabase('the times of messages while the clock is set back', (database) => {
  test('never run backwards within a conversation, and are the same in reply, event, history and snapshot', async (t) => {
    const start = Date.now();
    let now = start;
    const service = await startSockets(t, database, { world: { now: () => now } });
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    const sockets = new Map([
      [alice, await service.enter(alice)],
      [bob, await service.enter(bob)],
    ]);
    const on = (person: Person) => {
      const socket = sockets.get(person);
      assert(socket);
      return socket;
    };
    let cid = 0;
    const send = async (from: Person, to: Person, at: number) => {
      now = at;
      const message = { to: to.id, cid: `${++cid}`, body: 'x' };
      const { data } = await on(from).ask({ type: 'send', ...message });
      const { data: repeated } = await on(from).ask({ type: 'send', ...message });
      assert.deepEqual([repeated.at, repeated.duplicate], [data.at, true]);
      return data.at;
    };

    const replied = [
      await send(alice, bob, start + 5_000),
      await send(bob, alice, start + 1_000),
      await send(alice, bob, start + 2_000),
      await send(bob, alice, start + 6_000),
    ];
    const expected = [start + 5_000, start + 5_000, start + 5_000, start + 6_000];
    assert.deepEqual(replied, expected);
    assert.equal(
      await send(alice, carol, start + 3_000),
      start + 3_000,
      'each conversation has its own last time',
    );

    for (const [person, peer] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      const socket = on(person);
      const history = await socket.ask({ type: 'history', peer: peer.id });
      assert.deepEqual(
        history.data.items.map((one: { at: number }) => one.at),
        expected,
      );
      const events = socket.unread.filter(({ event, data }) => event === 'message' && data.peer === peer.id);
      assert.deepEqual(
        events.map(({ at }) => at),
        expected,
      );
      const rows = await service.services.db.all<{ last_at: number }>`
        select last_at from conversations where user_id = ${person.id} and peer_id = ${peer.id}`;
      assert.deepEqual(rows, [{ last_at: start + 6_000 }]);
      const { data } = await socket.ask({ type: 'sync' });
      assert.equal(data.conversations[0].last.at, start + 6_000, 'the latest conversation comes first');
    }
  });

  test('do not change when a push is decided: that follows the clock as it is', async (t) => {
    const start = Date.now();
    let now = start + 60_000;
    const service = await startSockets(t, database, { world: { now: () => now } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const socket = await service.enter(alice);
    await socket.ask({ type: 'send', to: bob.id, cid: '1', body: 'x' });
    await service.services.db.run`delete from push_pending`;
    now = start;
    const { data } = await socket.ask({ type: 'send', to: bob.id, cid: '2', body: 'x' });
    assert.equal(data.at, start + 60_000);
    const due = await service.services.db.all`select due_at from push_pending where user_id = ${bob.id}`;
    assert.deepEqual(due, [{ due_at: start }]);
  });
});
