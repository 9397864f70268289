import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onPostgres } from '../../../test/databases.ts';
import { disposeAfter } from '../../../test/dispose-after.ts';
import { eventually } from '../../../test/eventually.ts';
import { connectPostgres } from '../../../test/postgres-client.ts';
import { databaseUrl, startCluster, templateDatabase } from '../../../test/postgres-cluster.ts';
import { openProxy } from '../../../test/postgres-proxy.ts';
import { createUrl, namesOf, write } from '../../../test/postgres-rows.ts';
import { readAddress } from './address.ts';
import { isUnavailable } from './errors.ts';
import { openPostgres } from './postgres.ts';

/** One address with the hosts of both. */
function join(first: string, second: string): string {
  return first.replace(/(@[^/]+)/, `$1,${new URL(second).host}`);
}

test('an address names several hosts, settings of pg and settings of PostgreSQL', () => {
  const { servers, takesWrites, name } = readAddress(
    'postgres://me:p%40ss@a:5432,b/chat?sslmode=require&search_path=one two&options=-c%20work_mem=1MB&target_session_attrs=read-write',
    { lock_timeout: 3_000 },
  );
  assert.equal(name, 'a:5432,b/chat');
  assert.equal(takesWrites, true);
  assert.deepEqual(
    servers.map(({ connectionString }) => connectionString),
    [
      'postgres://me:p%40ss@a:5432/chat?sslmode=require&uselibpqcompat=true',
      'postgres://me:p%40ss@b/chat?sslmode=require&uselibpqcompat=true',
    ],
  );
  assert.equal(servers[1]?.options, '-c lock_timeout=3000 -c search_path=one\\ two -c work_mem=1MB');
  assert.equal(readAddress('postgresql:///chat', {}).takesWrites, false);
  assert.equal(readAddress('postgresql://a/chat?target_session_attrs=read-write', {}).takesWrites, true);
  assert.throws(
    () => readAddress('postgres://a/chat?target_session_attrs=standby', {}),
    /target_session_attrs in DATABASE_URL is "standby"; it can be "read-write" or "any"/,
  );
});

onPostgres('several PostgreSQL servers', (database) => {
  test('when the first host refuses connections the second is used', async (t) => {
    const url = await createUrl(t, database);
    const first = await openProxy(t, url);
    await using db = await openPostgres({ url: join(first.url, url) });
    await write(db, 'a');
    await first.cut();
    await Promise.allSettled([namesOf(db), write(db, 'lost with its connection')]);
    assert.equal(await write(db, 'b'), 1);
    assert.equal(await db.transaction((tx) => write(tx, 'c')), 1);
  });

  test('the server that takes writes is used, also after a standby is promoted', async (t) => {
    const primary = await startCluster();
    t.after(() => primary.stop());
    const standby = await startCluster({ standbyOf: primary.url });
    t.after(() => standby.stop());
    const [main, other] = [primary, standby].map(({ url }) => databaseUrl(url, templateDatabase));
    assert(main && other);
    await assert.rejects(
      openPostgres({ url: `${other}?target_session_attrs=read-write` }),
      (error) => isUnavailable(error) && /is a standby/.test(String(error)),
    );
    await using db = await openPostgres({ url: join(other, main) });
    await write(db, 'before');
    await using sql = await connectPostgres(other);
    while ((await sql.rows(`select name from service where name = 'before'`)).length === 0);

    await primary.stop();
    await sql.rows('select pg_promote()');
    const store = (name: string): Promise<number> => write(db, name).catch(() => store(name));
    await store('after');
    await db.transaction((tx) => write(tx, 'in a transaction'));
    assert.deepEqual(await namesOf(db), ['after', 'before', 'in a transaction']);
  });

  /** A primary, a standby, a database that finds both, and a transaction that stays open on the primary. */
  async function startBoth(t: TestContext) {
    const primary = await startCluster();
    t.after(() => primary.stop());
    const standby = await startCluster({ standbyOf: primary.url });
    t.after(() => standby.stop());
    const [main = '', other = ''] = [primary, standby].map(({ url }) => databaseUrl(url, templateDatabase));
    const proxy = await openProxy(t, main);
    const db = await openPostgres({ url: join(proxy.url, other), poolSize: 2 });
    disposeAfter(t, db);
    const sql = await connectPostgres(other);
    disposeAfter(t, sql);
    const isOpen = Promise.withResolvers<void>();
    const early = db.transaction(async (tx) => {
      for (;;) {
        await tx.get`select pg_sleep(0.02)`;
        isOpen.resolve();
      }
    });
    early.catch(() => {});
    await isOpen.promise;
    return { db, main, standby, proxy, early, promote: () => sql.rows('select pg_promote()') };
  }

  test('a promoted server serves no one before it is decided what it lacks, and the earlier one no one after it', async (t) => {
    const { db, proxy, early, promote } = await startBoth(t);
    const decisions: string[] = [];
    const decided = Promise.withResolvers<void>();
    const before = db.watchPromotions(async (timeline, transaction) => {
      decisions.push(timeline);
      if (decisions.length === 1) throw new Error('not now');
      await transaction((tx) => write(tx, 'by the decision'));
      await decided.promise;
    });
    proxy.refuse();
    await promote();
    let isServed = false;
    const store = (): Promise<number> => write(db, 'after').catch(store);
    const storing = store().then(() => {
      isServed = true;
    });
    await assert.rejects(early, /a server of timeline 00000002 has taken over/);
    await eventually(() => decisions.length === 2);
    await assert.rejects(
      db.transaction((tx) => write(tx, 'too early')),
      { message: 'no connection to the database within 2.5 s' },
    );
    await assert.rejects(namesOf(db), { message: 'no connection to the database within 2.5 s' });
    assert.equal(isServed, false);
    decided.resolve();
    await storing;
    assert.deepEqual(await namesOf(db), ['after', 'by the decision']);
    assert.deepEqual([before, decisions], ['00000001', ['00000002', '00000002']]);
  });

  test('a server of an earlier timeline that is back serves no one, also if it was asked before the decision', async (t) => {
    const { db, main, standby, proxy, early, promote } = await startBoth(t);
    const decisions: string[] = [];
    const decided = Promise.withResolvers<void>();
    db.watchPromotions(async (timeline) => {
      decisions.push(timeline);
      await decided.promise;
    });
    proxy.refuse();
    await promote();
    const store = (name: string): Promise<number> => write(db, name).catch(() => store(name));
    const first = store('first');
    await assert.rejects(early);
    await eventually(() => decisions.length === 1);
    await proxy.restore();
    const { count } = proxy.packets;
    const second = store('second');
    await eventually(() => proxy.packets.count > count + 2);
    decided.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(decisions, ['00000002']);

    await standby.stop();
    for (let tries = 0; tries < 3; tries++) await assert.rejects(write(db, 'too late'), isUnavailable);
    assert.deepEqual(decisions, ['00000002']);
    await using old = await connectPostgres(main);
    const written = await old.rows(`select name from service where name in ('first', 'second', 'too late')`);
    assert.deepEqual(written, []);
  });
});
