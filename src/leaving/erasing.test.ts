import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase, onEachDeployment, type TestDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { type Person, startService } from '../../test/harness.ts';
import { restoreUser } from '../accounts/account-status.ts';
import { settleReceipts } from '../chat/settle-receipts.ts';
import type { Db } from '../db/db.ts';
import { eraseDueAccounts } from './due-deletions.ts';
import { finishErasures } from './erasures.ts';
import { deleteUser } from './remove-user.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const GRACE_MS = 30 * DAY_MS;

async function start(t: TestContext, database: TestDatabase, env: Record<string, string> = {}) {
  const clock = new ManualClock();
  const service = await startService(t, database, {
    world: clock.world,
    env: { RATE_LIMIT_MESSAGES: 'off', TOKEN_TTL: '90d', ...env },
  });
  const { db } = service.services;
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];
  const post = async (person: Person, path: string, body: object) => service.post(path, body, person);
  let cid = 0;
  return {
    clock,
    service,
    db,
    alice,
    bob,
    post,
    ask: async (person: Person = alice) => {
      const { status, body } = await post(person, '/api/account/delete', {});
      assert.equal(status, 200, body.error);
    },
    /** What the job of each node does, all at once. */
    erase: () =>
      Promise.all(service.nodes.map(({ services }) => eraseDueAccounts(services, clock.world.now()))),
    send: async (from: Person, to: Person, more: object = {}) => {
      const sent = await post(from, '/api/messages', { to: to.id, cid: `c${++cid}`, body: 'hi', ...more });
      assert.equal(sent.status, 200, sent.body.error);
      return sent.body.data.n as number;
    },
    userOf: ({ id }: Person) =>
      db.get<{ username: string; username_key: string; status: string; password_hash: string }>`
        select username, username_key, status, password_hash from users where id = ${id}`,
    erasedLines: () =>
      service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'account erased'),
  };
}

onEachDeployment('Erasing accounts', (database) => {
  test('an account is erased when its time has come, not before, and once', async (t) => {
    const { clock, service, alice, bob, ask, erase, userOf, erasedLines } = await start(t, database);
    const profileOf = async () => {
      const answers = await Promise.all(
        service.nodes.map((node) => node.get(`/api/user/profile/${alice.id}`)),
      );
      return answers.map(({ status }) => status);
    };
    assert.ok(
      (await profileOf()).every((status) => status === 200),
      'each node remembers it',
    );
    await ask();
    clock.add(GRACE_MS - 1);
    await erase();
    assert.equal((await userOf(alice))?.username, 'alice');
    clock.add(-DAY_MS); // the clock was set back
    await erase();
    clock.add(DAY_MS);
    await erase();
    assert.equal((await userOf(alice))?.username, 'alice');

    clock.add(1);
    await erase();
    assert.deepEqual(
      { ...(await userOf(alice)), username_key: '' },
      { username: '', username_key: '', status: 'deleted', password_hash: '' },
    );
    assert.deepEqual(
      erasedLines().map(({ level, time, ...fields }) => fields),
      [{ userId: alice.id, msg: 'account erased' }],
    );
    assert.deepEqual(new Set(await profileOf()), new Set([404]));
    const { body } = await service.post('/api/login', alice);
    assert.equal(body.error, 'unknown_user');
    const { data } = (await service.get('/api/users', bob)).body;
    assert.deepEqual(
      data.map(({ id }: Person) => id),
      [bob.id],
    );
  });

  test('what peers do later comes to nothing for an erased user', async (t) => {
    const { service, db, alice, bob, post, ask, send } = await start(t, database, { DELETION_GRACE: '0' });
    for (let i = 0; i < 4; i++) await send(i % 2 ? bob : alice, i % 2 ? alice : bob);
    await post(bob, '/api/friends/request', { userId: alice.id });
    await ask();
    const sides = () => db.all`
      select user_id, n, received, read, disclosed_read, unread from conversations order by user_id`;
    const [{ seq = 0 } = {}] = await db.all<{ seq: number }>`
      select seq from inbox_heads where user_id = ${alice.id}`;
    const before = await sides();
    await settleReceipts(db, [{ userId: bob.id, peers: [[alice.id, 3]], settles: 4 }], 1);
    const marked = await post(bob, '/api/messages/mark', { peer: alice.id, read: 3 });
    assert.equal(marked.status, 200, marked.body.error);
    const unsent = await post(bob, '/api/messages/unsend', { peer: alice.id, n: 4 });
    assert.equal(unsent.status, 200, unsent.body.error);
    for (const [path, body] of [
      ['/api/messages/react', { peer: alice.id, n: 1, emoji: '👍' }],
      ['/api/friends/request', { userId: alice.id }],
      ['/api/friends/cancel', { userId: alice.id }],
    ] as const)
      assert.equal((await post(bob, path, body)).body.error, 'not_accepting', path);
    const late = { userId: alice.id, peers: [[bob.id, 4]], settles: 4 } as const;
    await settleReceipts(db, [late], 1);

    assert.deepEqual(await db.all`select seq from inbox where user_id = ${alice.id}`, []);
    assert.deepEqual(await db.all`select seq, closed from inbox_heads where user_id = ${alice.id}`, [
      { seq, closed: 1 },
    ]);
    assert.notDeepEqual(await sides(), before, 'the marks of the peer rise');
    const left = await db.all`
      select user_id from friends union all select blocker_id from blocks union all select user_id from last_seen
      where user_id = ${alice.id}`;
    assert.deepEqual(left, []);
    const { data } = (await service.get(`/api/messages?peer=${alice.id}`, bob)).body;
    assert.equal((data.items ?? data).length, 4);
  });

  test('of an account that is kept at the due time, one comes first and the other is told', async (t) => {
    for (let round = 0; round < 4; round++) {
      const { clock, service, alice, ask, erase, userOf, erasedLines } = await start(t, database);
      await ask();
      const { ticket } = (await service.post('/api/login', alice)).body;
      clock.add(GRACE_MS);
      const tickets = await service.services.db.run`update tickets set expires_at = ${clock.world.now() + 1}`;
      assert.equal(tickets, 1);
      const keep = () => service.post('/api/account/keep', { ticket });
      const [kept] =
        round % 2 ? await Promise.all([keep(), erase()]) : (await Promise.all([erase(), keep()])).reverse();
      const { status, body } = kept as Awaited<ReturnType<typeof keep>>;
      const isErased = (await userOf(alice))?.username === '';
      assert.deepEqual([status, body.error], isErased ? [400, 'ticket_invalid'] : [200, undefined]);
      assert.equal(erasedLines().length, isErased ? 1 : 0);
      await erase();
      assert.equal((await userOf(alice))?.username === '', isErased);
    }
  });
});

onEachDatabase('Erasing accounts', (database) => {
  test('the row of an account that was restored, as by an earlier version, is only removed', async (t) => {
    const { clock, db, alice, ask, erase, userOf } = await start(t, database);
    await ask();
    const rows = await db.all<{ user_id: string; asked_at: number; due_at: number }>`select * from deletions`;
    await db.transaction((tx) => restoreUser(tx, alice.id));
    for (const { user_id, asked_at, due_at } of rows)
      await db.run`insert into deletions (user_id, asked_at, due_at) values (${user_id}, ${asked_at}, ${due_at})`;
    clock.add(GRACE_MS);
    await erase();
    assert.deepEqual(await db.all`select * from deletions`, []);
    assert.equal((await userOf(alice))?.status, 'active');
  });

  test('of a deletion that was undone and asked for again after the job has looked, only the new time counts', async (t) => {
    const { clock, service, db, alice, ask, erase, userOf } = await start(t, database);
    await ask();
    clock.add(GRACE_MS);
    const racing = {
      ...{ kind: db.kind, get: db.get.bind(db), run: db.run.bind(db), transaction: db.transaction.bind(db) },
      async all(...query: Parameters<Db['all']>) {
        const rows = await db.all(...query);
        await db.run`update deletions set due_at = ${clock.world.now() + 1}`;
        return rows;
      },
    } as Db;
    await eraseDueAccounts({ db: racing, events: service.services.events }, clock.world.now());
    assert.equal((await userOf(alice))?.username, 'alice');
    clock.add(1);
    await erase();
    assert.equal((await userOf(alice))?.username, '');
  });

  test('an account that an earlier version erased keeps its name until it is deleted again', async (t) => {
    const { service, db, alice, bob, send, ask, userOf } = await start(t, database, { DELETION_GRACE: '0' });
    await send(alice, bob);
    await db.run`update users set status = 'deleted', password_hash = '' where id = ${alice.id}`;
    const { body } = await service.post('/api/register', { username: 'Alice', password: 'a password' });
    assert.equal(body.error, 'username_taken');
    await ask(bob);
    await finishErasures(db, 1);
    assert.deepEqual(await db.all`select n from messages union all select n from conversations`, []);
    assert.equal((await userOf(alice))?.username, 'alice');
    for (let i = 0; i < 2; i++) await db.transaction((tx) => deleteUser(tx, alice.id));
    const { username, username_key: held = '' } = (await userOf(alice)) ?? {};
    assert.deepEqual([username, held.slice(0, 5), held.length], ['', 'HELD:', 48]);
    const again = await service.post('/api/register', { username: 'Alice', password: 'a password' });
    assert.equal(again.body.error, 'username_taken');
  });

  test('the job runs at the start, for accounts that became due while no server ran', async (t) => {
    const { clock, service, alice, ask } = await start(t, database);
    await ask();
    clock.add(GRACE_MS);
    const { db } = (await service.restart()).services;
    await eventually(async () => {
      const row = await db.get<{ username: string }>`select username from users where id = ${alice.id}`;
      return row?.username === '';
    });
  });

  test('a log of another account names the erased user by id alone, and others by their present name', async (t) => {
    const { service, db, alice, bob, post, ask } = await start(t, database, { DELETION_GRACE: '0' });
    const carol = await service.join('carol');
    for (const { id } of [alice, carol]) await post(bob, '/api/user/block', { blockedId: id });
    // As an earlier version stored it.
    const stored = JSON.stringify({ user: carol.id, username: 'an old name' });
    await db.run`update account_log set data = ${stored} where data like ${`%${carol.id}%`}`;
    const blocked = async () => {
      const { items } = (await service.get('/api/account/log', bob)).body.data;
      const entries = items.filter(({ what }: { what: string }) => what === 'blocked');
      return entries.map(({ detail }: { detail: object }) => detail).reverse();
    };
    const ofCarol = { user: carol.id, username: 'carol' };
    assert.deepEqual(await blocked(), [{ user: alice.id, username: 'alice' }, ofCarol]);
    await ask();
    assert.deepEqual(await blocked(), [{ user: alice.id }, ofCarol]);
    const rows = await db.all<{ data: string }>`select data from account_log where user_id = ${bob.id}`;
    assert.ok(!rows.some(({ data }) => data.includes('alice')));
  });
});
