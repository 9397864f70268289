import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { startKeeping } from '../keeping.ts';
import { everythingStored } from './stored.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

onEachDeployment('Bad input: how a conversation is kept', (database) => {
  test('each is refused with a word by frame and by HTTP, stores nothing, and the next call is served', async (t) => {
    const { service, db, alice, bob, send, post, entry, keep, clear } = await startKeeping(t, database);
    await send(bob, alice);
    await service.pushes.runDue();
    const settings = [
      ...[-1, 1.5, '1', 2 ** 53, 8_640_000_000_000_001, null, true].map((mutedUntil) => ({ mutedUntil })),
      ...['pinned', 'archived', 'markedUnread'].flatMap((flag) =>
        [true, false, -1, 0.5, 2, '1', '', null, [1]].map((value) => ({ [flag]: value })),
      ),
    ];
    const numbers = [0, -1, 1.5, '1', '', 2 ** 53, null, true, undefined];
    const peers = [
      ['', 400, 'invalid_field'],
      ['x'.repeat(101), 400, 'invalid_field'],
      [null, 400, 'invalid_field'],
      [undefined, 400, 'invalid_field'],
      [[bob.id], 400, 'invalid_field'],
      [UNKNOWN, 404, 'user_not_found'],
      ['__proto__', 404, 'user_not_found'],
      [alice.id, 404, 'conversation_not_found'],
    ] as const;
    const calls: [type: string, body: object, status: number, word: string][] = [
      ...settings.map((one): (typeof calls)[0] => [
        'conversation',
        { peer: bob.id, ...one },
        400,
        'invalid_field',
      ]),
      ['conversation', { peer: bob.id }, 400, 'nothing_to_change'],
      ['conversation', { peer: bob.id, clearedN: 1, pinnedAt: 1 }, 400, 'nothing_to_change'],
      ...numbers.map((n): (typeof calls)[0] => ['clear', { peer: bob.id, n }, 400, 'invalid_field']),
      ...peers.flatMap(([peer, status, word]): typeof calls => [
        ['conversation', { peer, pinned: 1 }, status, word],
        ['clear', { peer, n: 1 }, status, word],
      ]),
    ];
    /** A connection that ends writes when its user was last seen. */
    const stored = async () => ({ ...(await everythingStored(db)), last_seen: [] });
    const before = await stored();
    let socket = await service.enter(alice);
    for (const [i, [type, body, status, word]] of calls.entries()) {
      // The frames of a connection have a budget.
      if (i % 30 === 29) socket = await service.enter(alice);
      const path = `/api/conversations/${type === 'clear' ? 'clear' : 'settings'}`;
      const what = `${type} ${JSON.stringify(body)}`;
      const answer = await post(alice, path, body);
      assert.deepEqual([answer.status, answer.body.error], [status, word], what);
      const reply = await socket.ask({ type, ...body });
      assert.deepEqual([reply.code, reply.error], [status, word], what);
    }
    assert.deepEqual(await stored(), before);
    const limit = 8_640_000_000_000_000;
    assert.equal((await keep(alice, bob, { mutedUntil: limit, pinned: 1 })).status, 200);
    assert.equal((await entry(alice, bob)).mutedUntil, limit);
    assert.equal((await clear(alice, bob, Number.MAX_SAFE_INTEGER)).body.data.clearedN, 1);
  });
});
