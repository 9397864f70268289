import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onPostgres, type TestDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startService } from '../../test/harness.ts';
import { countLockWaits, lockElsewhere } from '../../test/locked-inbox.ts';
import { sendMessage } from '../../test/messages.ts';
import { readHead } from '../inbox/inbox.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { blockUser } from '../relations/block-user.ts';
import { editMessage, reactToMessage, unsendMessage } from './change-message.ts';
import { readHistory } from './history.ts';

/** Two users, of whom Alice has written two messages, and unsent the second. */
async function start(t: TestContext, database: TestDatabase) {
  const settings = await database.create(t);
  const { services, join } = await startService(t, { ...database, create: async () => settings });
  const { db, accounts } = services;
  const enter = async (name: string) => {
    const { token } = await join(name);
    return (await accounts.authentication.identify(token)) ?? assert.fail();
  };
  const [alice, bob] = [await enter('alice'), await enter('bob')];
  for (const cid of ['1', '2'])
    await sendMessage(services, alice, { to: bob.userId, cid, body: `text ${cid}` }, 1_000);
  const [peer, now] = [bob.userId, 2_000];
  const unsend = (n: number, by = alice) => unsendMessage(services, by, { peer, n }, now);
  const edit = (n: number, body: string, by = alice) => editMessage(services, by, { peer, n, body }, now);
  const react = (n: number, emoji: string, by = alice) =>
    reactToMessage(services, by, { peer, n, emoji }, now);
  await unsend(2);
  const heads = async () => [await readHead(db, alice.userId), await readHead(db, bob.userId)];
  return { settings, services, db, alice, bob, unsend, edit, react, heads };
}

const wordOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'ok',
    ({ word }) => word,
  );

onEachDatabase('changes of messages', (database) => {
  test('that are refused, or change nothing, wait for no inbox that is locked elsewhere', async (t) => {
    const { settings, services, alice, bob, unsend, edit, react, heads } = await start(t, database);
    const ended = { ...alice, sessionId: 'ended' };
    await react(1, '👍');
    const before = await heads();
    await using _ = await lockElsewhere(settings, bob.userId);
    assert.deepEqual(await unsend(2), { peer: bob.userId, n: 2, unsentAt: 2_000 });
    assert.deepEqual(await edit(1, 'text 1'), { peer: bob.userId, n: 1, editedAt: 0 });
    assert.deepEqual(await react(1, '👍'), { peer: bob.userId, n: 1, emoji: '👍' });
    for (const change of [unsend, (n: number) => edit(n, 'x'), (n: number) => react(n, '👍')])
      assert.equal(await wordOf(change(7)), 'message_not_found');
    assert.equal(await wordOf(edit(2, 'x')), 'message_unsent');
    assert.equal(await wordOf(react(1, 'x')), 'emoji_invalid');
    assert.equal(await wordOf(unsend(1, ended)), 'unauthenticated');
    const unknown = { peer: 'unknown', n: 1 };
    assert.equal(await wordOf(unsendMessage(services, alice, unknown, 2_000)), 'user_not_found');
    assert.equal(await wordOf(unsendMessage(services, ended, unknown, 2_000)), 'user_not_found');
    assert.deepEqual(await heads(), before);
  });

  test('of both users at once are all stored, and counted one by one on both sides', async (t) => {
    const { services, db, alice, bob, unsend, edit, react, heads } = await start(t, database);
    const before = await heads();
    const back = { peer: alice.userId, n: 1, emoji: '🎉' };
    await Promise.all([
      edit(1, 'new'),
      react(1, '👍'),
      reactToMessage(services, bob, back, 2_000),
      edit(1, 'newer'),
    ]);
    await unsend(1);
    for (const [own, i] of [
      [alice, 0],
      [bob, 1],
    ] as const) {
      const events = await readEvents(db, own.userId, before[i] ?? 0, 100);
      const revisions = events.map(({ data }) => 'revision' in data && data.revision);
      assert.deepEqual(revisions, [2, 3, 4, 5, 6]);
    }
    const { revision } = await readHistory(db, bob.userId, { peer: alice.userId });
    assert.equal(revision, 6);
  });
});

onPostgres('changes of messages that wait for a lock', (database) => {
  test('are judged again behind it', async (t) => {
    const all = await start(t, database);
    const { settings, services, db, alice, bob, unsend, edit, react, heads } = all;
    const before = await heads();
    const lock = await lockElsewhere(settings, bob.userId);
    const first = unsend(1);
    await eventually(async () => (await countLockWaits(settings)) === 1);
    const blocked = blockUser(services, bob.userId, alice.userId, 3_000);
    await eventually(async () => (await countLockWaits(settings)) === 2);
    const others = [unsend(1), wordOf(edit(1, 'new')), wordOf(react(1, '👍'))];
    await eventually(async () => (await countLockWaits(settings)) === 5);
    await lock[Symbol.asyncDispose]();
    await blocked;
    const unsent = { peer: bob.userId, n: 1, unsentAt: 2_000 };
    assert.deepEqual(await first, unsent);
    const [again, ...words] = await Promise.all(others);
    assert.deepEqual(again, unsent);
    for (const word of words)
      assert.ok(['not_accepting', 'message_unsent'].includes(String(word)), `${word}`);
    assert.deepEqual(await heads(), [(before[0] ?? 0) + 1, (before[1] ?? 0) + 2]);
    assert.equal((await readHistory(db, alice.userId, { peer: bob.userId })).revision, 2);
  });

  test('find that their session has ended meanwhile', async (t) => {
    const { settings, db, alice, bob, unsend, heads } = await start(t, database);
    const before = await heads();
    const lock = await lockElsewhere(settings, bob.userId);
    const late = wordOf(unsend(1));
    await eventually(async () => (await countLockWaits(settings)) === 1);
    await db.run`delete from sessions where id = ${alice.sessionId}`;
    await lock[Symbol.asyncDispose]();
    assert.equal(await late, 'unauthenticated');
    assert.deepEqual(await heads(), before);
  });
});
