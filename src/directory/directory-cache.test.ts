import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEachDatabase, type TestDatabase } from '../../test/databases.ts';
import { OWN_IDS } from '../../test/ids.ts';
import { addCrowd, addUser } from '../../test/people.ts';
import { PRESENT } from '../../test/present.ts';
import type { Db } from '../db/db.ts';
import { Events } from '../events/hints.ts';
import { OnlineUsers } from '../presence/online-users.ts';
import { DirectoryCache } from './directory-cache.ts';
import type { DirectoryEntry } from './schemas.ts';

onEachDatabase('the directory cache', (database) => {
  async function start(t: Parameters<TestDatabase['open']>[0], count: number, maxBytes?: number) {
    const db = await database.open(t);
    const ids = await addCrowd(db, count);
    const [presence, events] = [new OnlineUsers(), new Events()];
    const hooks: { afterRead?: ((read: number) => Promise<void> | void) | undefined } = {};
    let reads = 0;
    const watched: Db = Object.create(db, {
      all: {
        async value(...parts: Parameters<Db['all']>) {
          const rows = await db.all(...parts);
          await hooks.afterRead?.(++reads);
          return rows;
        },
      },
    });
    const directory = new DirectoryCache(watched, presence, events, maxBytes);
    return {
      db,
      ids,
      presence,
      events,
      hooks,
      directory,
      /** How many reads of the database `act` caused. */
      async readsOf(act: () => Promise<unknown>): Promise<number> {
        hooks.afterRead = undefined;
        let count = 0;
        hooks.afterRead = () => {
          count++;
        };
        await act();
        return count;
      },
      list: (showsOnline = true) => listOf(directory, showsOnline),
      listIds: async () => (await listOf(directory)).map((one) => one.id),
      async change(
        id: string,
        set: { bio?: string; status?: string; who?: string; listed?: number },
      ): Promise<void> {
        const { bio = null, status = null, who = null, listed = null } = set;
        await db.run`
          update users set bio = coalesce(${bio}, bio), status = coalesce(${status}, status),
            who_presence = coalesce(${who}, who_presence), is_listed = coalesce(${listed}, is_listed) where id = ${id}`;
        events.publish({ type: 'user-changed', userId: id });
      },
    };
  }

  async function listOf(directory: DirectoryCache, showsOnline = true): Promise<DirectoryEntry[]> {
    const parts: Buffer[] = [];
    for await (const bytes of directory.elements(showsOnline)) parts.push(Buffer.from(bytes));
    return JSON.parse(`[${Buffer.concat(parts)}]`);
  }

  test('every user is listed, by id, at any size of the directory', async (t) => {
    for (const count of [0, 1, 499, 500, 501, 1000, 1001]) {
      const { ids, listIds } = await start(t, count);
      assert.deepEqual(await listIds(), ids, `${count} users`);
      assert.deepEqual(await listIds(), ids, `${count} users, cached`);
    }
  });

  test('full pieces are cached: a second list reads only the users after them', async (t) => {
    const { readsOf, list, change, ids } = await start(t, 1200);
    assert.equal(await readsOf(list), 3);
    assert.equal(await readsOf(list), 1);
    await change(ids[700] ?? '', { bio: 'b' });
    assert.ok((await readsOf(list)) > 1);
    assert.equal(await readsOf(list), 1);
  });

  test('a changed, a deleted, a restored and a new user are in the next list', async (t) => {
    const { db, events, ids, list, listIds, change } = await start(t, 1200);
    await list();
    for (const i of [0, 499, 500, 999, 1000, 1199]) {
      const id = ids[i] ?? '';
      await change(id, { bio: `${'ü'.repeat(i)} "quoted" \u2028` });
      assert.equal((await list())[i]?.bio, `${'ü'.repeat(i)} "quoted" \u2028`);
      await change(id, { status: 'deleted' });
      assert.deepEqual(
        await listIds(),
        ids.filter((one) => one !== id),
      );
      await change(id, { status: 'suspended' });
      assert.deepEqual(await listIds(), ids);
    }
    const dave = await addUser(db, 'dave');
    assert.deepEqual(await listIds(), [...ids, dave]);
    const between = `${ids[300]}`.replace(/.$/, 'x');
    await addUser(db, 'erin', { id: between });
    events.publish({ type: 'user-changed', userId: between });
    assert.deepEqual(await listIds(), [...ids, between, dave].sort());
  });

  test('however many users come between others, none of the parts that are read grows with them', async (t) => {
    const { db, ids, list, listIds, directory, events, readsOf } = await start(t, 600);
    assert.deepEqual(await listIds(), ids);
    await db.run`
      insert into users (id, username, username_key, password_hash, nickname, nickname_key, created_at)
      select id || ':' || n, username || ':' || n, username || ':' || n, '!', '', '', 1
      from users cross join (select '1' as n union all select '2' union all select '3' union all select '4') as added`;
    events.publish({ type: 'external-change' });
    const sizes: number[] = [];
    for await (const bytes of directory.elements()) sizes.push(String(bytes).split('{"id":').length - 1);
    assert.ok(Math.max(...sizes) < 1000, sizes.join());
    const all = ids.flatMap((id) => [id, ...['1', '2', '3', '4'].map((n) => `${id}:${n}`)]);
    assert.deepEqual(await listIds(), all);
    assert.equal(await readsOf(list), 1);
  });

  test('an online user is online in the next list, and only that user', async (t) => {
    const { ids, list, presence, change, readsOf } = await start(t, 1100);
    const online = async () => (await list()).filter((one) => one.isOnline === 1).map((one) => one.id);
    assert.deepEqual(await online(), []);
    const some = [0, 1, 498, 499, 500, 999, 1000, 1099].map((i) => ids[i] ?? '');
    for (const id of some) presence.add(id, PRESENT);
    assert.deepEqual(await online(), some);
    presence.add('unknown', PRESENT);
    presence.add(some[0] ?? '', PRESENT);
    presence.remove(some[0] ?? '', PRESENT);
    assert.deepEqual(await online(), some);
    await change(ids[3] ?? '', { bio: 'longer than before' });
    assert.deepEqual(await online(), some);
    assert.equal(await readsOf(list), 1);
    for (const id of some) presence.remove(id, PRESENT);
    assert.deepEqual(await online(), []);
    assert.equal(await readsOf(list), 1);
  });

  test('an id that begins with that of another user is another user', async (t) => {
    // 500 users make a piece, which has all but two of these.
    const { db, list, presence, events } = await start(t, 502 - OWN_IDS.length);
    for (const [at, id] of OWN_IDS.entries()) await addUser(db, `own${at}`, { id });
    events.publish({ type: 'external-change' });
    const online = async () => (await list()).filter((one) => one.isOnline === 1).map((one) => one.id);
    assert.deepEqual(await online(), []);
    for (const id of [...OWN_IDS, 'elsewhere', '5', 'auth0']) {
      presence.add(id, PRESENT);
      assert.deepEqual(
        await online(),
        OWN_IDS.filter((own) => own === id),
        id,
      );
      presence.remove(id, PRESENT);
      assert.deepEqual(await online(), [], id);
    }
  });

  test('who hides their presence is offline in the list, and everyone to a caller who does; both are ready', async (t) => {
    const { ids, list, presence, change, readsOf } = await start(t, 1100);
    const online = async () => (await list()).filter((one) => one.isOnline === 1).map((one) => one.id);
    const [hiding = '', other = '', last = ''] = [ids[3], ids[700], ids[1099]];
    for (const id of [hiding, other, last]) presence.add(id, PRESENT);
    assert.deepEqual(await online(), [hiding, other, last]);
    await change(hiding, { who: 'friends' });
    assert.deepEqual(await online(), [other, last]);
    presence.remove(hiding, PRESENT);
    presence.add(hiding, PRESENT);
    assert.deepEqual(await online(), [other, last]);
    const shown = await list();
    assert.equal(
      await readsOf(async () => {
        for (let i = 0; i < 2; i++)
          assert.deepEqual(
            await list(false),
            shown.map((one) => ({ ...one, isOnline: 0 })),
          );
      }),
      2,
      'the users behind the full pieces',
    );
    presence.remove(other, PRESENT);
    assert.deepEqual(await online(), [last]);
    await change(other, { bio: 'new' });
    assert.equal((await list(false))[700]?.bio, 'new');
    await change(hiding, { who: 'everyone' });
    assert.deepEqual(await online(), [hiding, last]);
  });

  test('the copies for callers who hide make room for what all others get', async (t) => {
    const { db, ids, list, readsOf, change } = await start(t, 1000, 2_000_000);
    // Two pieces of 600 KB each, and the copy of one.
    await db.run`update users set bio = ${'b'.repeat(1000)}`;
    await list();
    await list(false);
    await db.run`update users set bio = ${'b'.repeat(1800)} where id > ${ids[499] ?? ''}`;
    await change(ids[500] ?? '', {});
    await list();
    assert.equal(await readsOf(list), 1, 'what follows the pieces');
  });

  test('an external change drops everything that was cached', async (t) => {
    const { db, ids, events, list, listIds } = await start(t, 1100);
    await list();
    await db.run`update users set status = 'deleted' where id = ${ids[5] ?? ''}`;
    events.publish({ type: 'external-change' });
    assert.deepEqual(await listIds(), ids.toSpliced(5, 1));
  });

  test('a list is complete whatever changes while it is read', async (t) => {
    const { ids, events, presence, hooks, listIds, directory } = await start(t, 1200);
    hooks.afterRead = (read) => {
      presence.add(`other${read}`, PRESENT);
      events.publish({ type: 'user-changed', userId: ids[read] ?? '' });
    };
    assert.deepEqual(await listIds(), ids);
    hooks.afterRead = () => events.publish({ type: 'external-change' });
    assert.deepEqual(await listIds(), ids);
    assert.deepEqual((await listOf(directory)).length, 1200);
  });

  test('what was read before a change is not cached after it', async (t) => {
    for (const type of ['user-changed', 'external-change'] as const) {
      const { db, ids, events, hooks, list } = await start(t, 600);
      const userId = ids[5] ?? '';
      hooks.afterRead = async (read) => {
        if (read > 1) return;
        await db.run`update users set bio = 'new' where id = ${userId}`;
        events.publish(type === 'user-changed' ? { type, userId } : { type });
      };
      await list();
      assert.equal((await list())[5]?.bio, 'new', type);
    }
  });

  test('two concurrent lists with a user deleted between them each have every other user once', async (t) => {
    const { ids, hooks, listIds, change } = await start(t, 1700);
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    hooks.afterRead = (read) => {
      if (read > 1) return;
      reached.resolve();
      return held.promise;
    };
    const first = listIds();
    // Otherwise the read of the second list may end first on another connection, and be the one that is held.
    await reached.promise;
    await change(ids[3] ?? '', { status: 'deleted' });
    const others = ids.toSpliced(3, 1);
    assert.deepEqual(await listIds(), others);
    held.resolve();
    assert.deepEqual(await first, ids, 'the first list has read the user already');
    assert.deepEqual(await listIds(), others);
  });

  test('against a plain model: after any changes, a list is correct', async (t) => {
    const { db, ids, presence, events, change, list, directory } = await start(t, 1100);
    const users = new Map(
      ids.map((id, i) => [id, { name: `crowd${i + 1}`, bio: '', shown: true, hides: false }]),
    );
    const online = new Set<string>();
    const expected = () =>
      [...users]
        .filter(([, user]) => user.shown)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, user]) => `${id} ${user.name} ${user.bio} ${online.has(id) && !user.hides ? 1 : 0}`);
    let added = 0;
    const pick = (n: number) => [...users.keys()][n % users.size] ?? '';
    const act = {
      async profile(n: number) {
        const id = pick(n);
        const bio = 'ä'.repeat(n % 50);
        await change(id, { bio });
        Object.assign(users.get(id) ?? {}, { bio });
      },
      async status(n: number) {
        const id = pick(n);
        const user = users.get(id);
        if (!user) return;
        user.shown = !user.shown;
        await change(id, { status: user.shown ? 'active' : 'deleted', listed: 1 });
      },
      async privacy(n: number) {
        const id = pick(n);
        const user = users.get(id);
        if (!user) return;
        user.hides = n % 3 === 0;
        user.shown = n % 5 > 0;
        await change(id, {
          who: user.hides ? 'nobody' : 'everyone',
          listed: Number(user.shown),
          status: 'active',
        });
      },
      async join() {
        const name = `joined${++added}`;
        const id = await addUser(db, name);
        events.publish({ type: 'user-changed', userId: id });
        users.set(id, { name, bio: '', shown: true, hides: false });
      },
      async presence(n: number) {
        const id = pick(n);
        if (online.delete(id)) return presence.remove(id, PRESENT);
        online.add(id);
        presence.add(id, PRESENT);
      },
      async external() {
        events.publish({ type: 'external-change' });
      },
      async list() {
        const shown = (await list()).map((one) => `${one.id} ${one.username} ${one.bio} ${one.isOnline}`);
        assert.deepEqual(shown, expected());
        const hidden = (await list(false)).map(
          (one) => `${one.id} ${one.username} ${one.bio} ${one.isOnline}`,
        );
        assert.deepEqual(
          hidden,
          expected().map((text) => text.replace(/.$/, '0')),
        );
      },
      /** A list during which users change; it has every user who was there all the time, once and in order. */
      async listDuringChanges() {
        const before = new Set([...users].filter(([, user]) => user.shown).map(([id]) => id));
        const elements = directory.elements();
        const parts: Buffer[] = [];
        const first = await elements.next();
        if (first.value) parts.push(Buffer.from(first.value));
        await act.status(added + 7);
        await act.list();
        for await (const bytes of elements) parts.push(Buffer.from(bytes));
        const shown = JSON.parse(`[${Buffer.concat(parts)}]`).map((one: DirectoryEntry) => one.id);
        assert.deepEqual(shown, [...new Set(shown)].sort());
        for (const id of before) if (users.get(id)?.shown) assert.ok(shown.includes(id), id);
      },
    };
    const step = fc.tuple(fc.constantFrom(...(Object.keys(act) as (keyof typeof act)[])), fc.nat(5000));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        for (const [name, n] of steps) await act[name](n);
        await act.list();
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });
});
