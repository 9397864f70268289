import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { decodeJwt } from 'jose';
import { ManualClock } from '../../../test/clocks.ts';
import { runCommand } from '../../../test/commands.ts';
import { type DatabaseSettings, databaseEnv, onEachDatabase } from '../../../test/databases.ts';
import { eventually } from '../../../test/eventually.ts';
import { type Call, type Person, startService } from '../../../test/harness.ts';
import type { Db, Part, Queries } from '../../db/db.ts';
import { deleteUser } from '../../leaving/remove-user.ts';
import { insertUser } from '../accounts.ts';
import { endIdleSessions, endSurplusSessions } from '../sessions.ts';
import { openFailedSignIns } from './failed-sign-ins.ts';
import { cleanLog } from './log-retention.ts';
import type { AccountLogEntry, AccountLogPage } from './schemas.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PHONE = { headers: { 'user-agent': 'Phone' }, from: '203.0.113.7' };
const DESK = { headers: { 'user-agent': 'Desk' }, from: '2001:db8::5' };
const sessionOf = (token: string) => String(decodeJwt(token).sid);

interface SeenRow {
  readonly at: number;
}

/**
 * A database whose statements fail once `isAway` is true for the rows that they read or are given.
 *
 * @param seen gets the most rows that a statement has read, written or was given
 */
function watch(
  db: Db,
  seen: { most: number },
  isAway: (rows: readonly SeenRow[]) => boolean = () => false,
): Db {
  const look = (rows: readonly SeenRow[]) => {
    seen.most = Math.max(seen.most, rows.length);
    if (isAway(rows)) throw new Error('the database is away');
  };
  const watched: Queries = {
    get: (strings, ...parts) => db.get(strings, ...parts),
    async all<Row>(strings: TemplateStringsArray, ...parts: Part[]) {
      const rows = await db.all<Row & SeenRow>(strings, ...parts);
      look(rows.filter(({ at }) => at !== undefined));
      return rows;
    },
    async run(strings, ...parts) {
      for (const part of parts)
        if (part !== null && typeof part === 'object' && 'rows' in part)
          look(part.rows as unknown as SeenRow[]); // those of asTable
      const written = await db.run(strings, ...parts);
      seen.most = Math.max(seen.most, written);
      return written;
    },
  };
  return watched as Db; // what is tested uses nothing else
}

onEachDatabase('the account log', (database) => {
  async function start(t: TestContext, env: Record<string, string> = {}) {
    const clock = new ManualClock();
    let settings: DatabaseSettings | undefined;
    const service = await startService(t, database, {
      env: (_node, own) => {
        settings = own;
        return env;
      },
      world: clock.world,
    });
    const { post, services } = service;
    const alice = (await post('/api/register', { username: 'alice', password: 'password-of-alice' }, PHONE))
      .body.data as Person;
    const read = async (token = alice.token, query = ''): Promise<AccountLogPage> =>
      (await service.get(`/api/account/log${query}`, { token })).body.data;
    return {
      clock,
      service,
      post,
      services,
      db: services.db,
      alice,
      read,
      /** The entries without ids, times and notices, oldest first. */
      entries: async (token?: string) =>
        (await read(token)).items
          .map(({ id: _id, at: _at, detail: { notice: _notice, ...detail }, ...entry }) => ({
            ...entry,
            detail,
          }))
          .reverse(),
      logIn: async (password: string, call: Call = {}) =>
        (await post('/api/login', { username: 'alice', password }, call)).body.data?.token,
      /** A command of the operator, beside the service. */
      operate: async (...words: string[]) => {
        assert.ok(settings);
        const env = { ...databaseEnv(settings), PUBLIC_URL: 'https://chat.example.com', BCRYPT_COST: '4' };
        const { code, output, errors } = await runCommand(env, ['user', ...words]);
        assert.equal(code, 0, errors);
        return output;
      },
    };
  }

  test('has each act with its session, device and address', async (t) => {
    const { post, alice, entries, logIn, service } = await start(t);
    const bob = await service.join('bob');
    const phone = { session: sessionOf(alice.token), device: 'Phone', address: '203.0.113.7' };
    const deskToken = await logIn('password-of-alice', DESK);
    const desk = { session: sessionOf(deskToken), device: 'Desk', address: '2001:db8::5' };
    const as = { ...PHONE, token: alice.token };
    await post('/api/logout', {}, { ...DESK, token: deskToken });
    const [ended, other] = [
      await logIn('password-of-alice', DESK),
      await logIn('password-of-alice', DESK),
    ].map(sessionOf);
    await post('/api/sessions/end', { id: ended }, as);
    await post('/api/sessions/end', { others: true }, as);
    await post('/api/sessions/end', { others: true }, as);
    for (const act of ['block', 'block', 'unblock', 'unblock'])
      await post(`/api/user/${act}`, { blockedId: bob.id }, as);
    const passwords = { oldPassword: 'password-of-alice', newPassword: 'second password' };
    await post('/api/user/change-password', passwords, as);
    const user = { user: bob.id, username: 'bob' };
    assert.deepEqual(await entries(), [
      { ...phone, what: 'signed_up', detail: {} },
      { ...desk, what: 'signed_in', detail: {} },
      { ...desk, what: 'signed_out', detail: {} },
      { ...desk, session: ended, what: 'signed_in', detail: {} },
      { ...desk, session: other, what: 'signed_in', detail: {} },
      { ...phone, session: ended, what: 'session_ended', detail: { device: 'Desk' } },
      { ...phone, what: 'sessions_ended', detail: { n: 1 } },
      { ...phone, what: 'blocked', detail: user },
      { ...phone, what: 'unblocked', detail: user },
      { ...phone, what: 'password_changed', detail: { ended: 0 } },
    ]);
    const own = (await entries(bob.token)).map(({ what }) => what);
    assert.deepEqual(own, ['signed_up'], 'what others do is not in it');
  });

  test('has what commands of the operator did, and who set a password by their link', async (t) => {
    const { post, entries, logIn, operate } = await start(t);
    const token = /#(\S+)/.exec(await operate('link', 'alice'))?.[1];
    await post('/api/password-link', { token, newPassword: 'second password' }, DESK);
    const password = /is now (\S+),/.exec(await operate('password', 'alice'))?.[1] ?? '';
    await operate('suspend', 'alice', '--reason', 'spam', '--until', '2126-01-31T18:00:00Z');
    await operate('restore', 'alice');
    const none = { session: '', device: '', address: '' };
    const until = Date.UTC(2126, 0, 31, 18);
    const found = await entries(await logIn(password));
    assert.deepEqual(found.slice(1, -1), [
      { ...none, what: 'link_made', detail: { by: 'operator' } },
      { device: 'Desk', address: '2001:db8::5', session: '', what: 'password_reset', detail: { ended: 1 } },
      { ...none, what: 'password_changed', detail: { by: 'operator', ended: 0 } },
      { ...none, what: 'suspended', detail: { by: 'operator', reason: 'spam', until, ended: 0 } },
      { ...none, what: 'restored', detail: { by: 'operator' } },
    ]);
  });

  test('has the sessions that ended by themselves', async (t) => {
    const { alice, db, services, clock, entries, logIn } = await start(t);
    const { events } = services;
    for (let i = 0; i < 100; i++)
      await db.run`
        insert into sessions (id, user_id, device, created_at, used_at)
        values (${`s${100 + i}`}, ${alice.id}, 'Old', 1, ${clock.world.now() - 179 * DAY_MS - i})`;
    const token = await logIn('password-of-alice', DESK);
    await endSurplusSessions({ db, events }, alice.id, sessionOf(token), clock.world.now());
    clock.add(DAY_MS - 97);
    await endIdleSessions({ db, events }, clock.world.now());
    const ended = (await entries(token)).filter(({ what }) => what.includes('ended'));
    const none = { device: '', address: '' };
    assert.deepEqual(ended, [
      { ...none, session: '', what: 'sessions_ended', detail: { by: 'surplus', n: 2 } },
      { ...none, session: 's197', what: 'session_ended', detail: { by: 'idle', device: 'Old' } },
    ]);
  });

  test('is written in the transaction of the act: without the one, not the other', async (t) => {
    const { service, post, alice, db, entries } = await start(t);
    const bob = await service.join('bob');
    const call = { token: alice.token };
    assert.equal((await post('/api/sessions/end', { id: 'unknown' }, call)).status, 404);
    assert.equal((await entries()).length, 1);
    await db.changeSchema((tx) => tx.script('alter table account_log rename to hidden'));
    const acts = [
      await post('/api/register', { username: 'carol', password: 'password-of-carol' }),
      await post('/api/login', { username: 'alice', password: 'password-of-alice' }),
      await post('/api/user/block', { blockedId: bob.id }, call),
      await post('/api/logout', {}, call),
    ];
    assert.deepEqual(
      acts.map(({ status }) => status),
      [500, 500, 500, 500],
    );
    await db.changeSchema((tx) => tx.script('alter table hidden rename to account_log'));
    assert.equal((await entries()).length, 1, 'the session goes on');
    const stored = await Promise.all([db.all`select id from sessions`, db.all`select id from users`]);
    assert.deepEqual(
      stored.map((rows) => rows.length),
      [2, 2],
    );
    assert.deepEqual(await db.all`select blocked_id from blocks`, []);
  });

  test('has failed sign-ins once a minute for each address, with their number', async (t) => {
    const { clock, service, post, alice, entries, logIn } = await start(t);
    const guess = (from: string, device = 'Guesser') =>
      logIn('a guess', { from, headers: { 'user-agent': device } });
    for (const from of ['198.51.100.1', '198.51.100.1', '198.51.100.2']) await guess(from);
    await guess('2001:db8:0:1::1', 'First');
    await guess('2001:db8:0:1:ffff::2', 'Last');
    await post('/api/login', { username: 'nobody', password: 'a guess' });
    assert.equal((await entries()).length, 1, 'not yet');
    await clock.advance(MINUTE_MS);
    await eventually(async () => (await entries()).length === 4);
    const failures = async () => {
      const found = (await entries()).filter(({ what }) => what === 'sign_in_failed');
      return found
        .map(({ address, device, session, detail }) => [address, device, session, detail.n].join(' '))
        .sort();
    };
    const first = ['198.51.100.1 Guesser  2', '198.51.100.2 Guesser  1', '2001:db8:0:1:ffff::2 Last  2'];
    assert.deepEqual(await failures(), first);
    await guess('198.51.100.1');
    await clock.advance(MINUTE_MS);
    await eventually(async () => (await entries()).length === 5);
    assert.deepEqual(await failures(), ['198.51.100.1 Guesser  1', ...first]);
    // What was counted since then is written at the stop.
    await guess('198.51.100.3');
    const next = await service.restart();
    const { items } = (await next.get('/api/account/log?limit=1', { token: alice.token })).body.data;
    assert.deepEqual(
      [items[0].what, items[0].address, items[0].detail],
      ['sign_in_failed', '198.51.100.3', { n: 1 }],
    );
  });

  test('has no sign-in that a limit refused', async (t) => {
    const { clock, entries, logIn, post, service } = await start(t, { RATE_LIMIT_AUTH: '20/15m' });
    for (let i = 0; i < 30; i++) await logIn('a guess', { from: `198.51.100.${i}` });
    for (let i = 30; i < 33; i++) await logIn('a guess', { from: `198.51.100.${i}` });
    assert.equal(
      (await post('/api/login', { username: 'alice', password: 'x' }, { from: '198.51.100.99' })).status,
      429,
    );
    await clock.advance(MINUTE_MS);
    await service.services.accounts.failedSignIns.flush();
    await eventually(async () => (await entries()).length === 32);
  });

  test('is read in pages, newest first, and by no one else', async (t) => {
    const { service, alice, read, logIn } = await start(t);
    for (let i = 0; i < 6; i++)
      await logIn('password-of-alice', { headers: { 'user-agent': `device ${i}` } });
    const all = await read();
    assert.deepEqual(
      all.items.map(({ device }) => device),
      ['device 5', 'device 4', 'device 3', 'device 2', 'device 1', 'device 0', 'Phone'],
    );
    assert.equal(all.next, undefined);
    const pages: AccountLogEntry[] = [];
    let query = '?limit=3';
    for (const count of [3, 3, 1]) {
      const { items, next } = await read(alice.token, query);
      assert.equal(items.length, count);
      pages.push(...items);
      assert.equal(next === undefined, count === 1);
      query = `?limit=3&before=${next}`;
    }
    assert.deepEqual(pages, all.items);
    assert.equal((await read(alice.token, '?limit=7')).next, undefined, 'a full last page');
    for (const bad of ['limit=0', 'limit=101', 'limit=x', 'before='])
      assert.equal((await service.get(`/api/account/log?${bad}`, { token: alice.token })).status, 400, bad);
    assert.equal((await service.get('/api/account/log')).status, 401);
  });

  test('keeps 180 days, and of an address its network after 30', async (t) => {
    const { clock, db, logIn } = await start(t);
    const clean = async () => {
      await cleanLog(db, clock.world.now());
      await cleanLog(db, clock.world.now());
    };
    await logIn('password-of-alice', DESK);
    clock.add(1);
    await logIn('password-of-alice', { from: '::ffff:198.51.100.9' });
    const addresses = async () =>
      (
        await db.all<{ address: string }>`
      select address from account_log order by id`
      ).map(({ address }) => address);
    clock.add(30 * DAY_MS - 2);
    await clean();
    assert.deepEqual(await addresses(), ['203.0.113.7', '2001:db8::5', '198.51.100.9']);
    clock.add(1);
    await clean();
    assert.deepEqual(await addresses(), ['203.0.113.0/24', '2001:db8:0:0::/64', '198.51.100.9']);
    clock.add(1);
    await clean();
    assert.deepEqual(await addresses(), ['203.0.113.0/24', '2001:db8:0:0::/64', '198.51.100.0/24']);
    clock.add(150 * DAY_MS - 1);
    await clean();
    assert.deepEqual(await addresses(), ['198.51.100.0/24']);
    clock.add(1);
    await clean();
    assert.deepEqual(await addresses(), []);
  });

  test('goes on with its clean-up when the clock was set back', async (t) => {
    const { clock, db, logIn } = await start(t);
    const now = clock.world.now();
    await cleanLog(db, now + 1_000 * DAY_MS);
    assert.deepEqual(await db.all`select id from account_log`, []);
    await cleanLog(db, now);
    await logIn('password-of-alice', PHONE);
    await cleanLog(db, now + 31 * DAY_MS);
    assert.deepEqual(await db.all`select address from account_log`, [{ address: '203.0.113.0/24' }]);
  });

  const now = 1_700_000_000_000;

  /** A database with these users, without a service that cleans up too. */
  async function openUsers(t: TestContext, ...ids: string[]) {
    const db = await database.open(t);
    for (const id of ids)
      await db.transaction((tx) => insertUser(tx, { id, username: id, password_hash: 'x', created_at: now }));
    return db;
  }

  /** Stores entries of a user, one a millisecond if `stepMs` is 1. */
  const insert = (db: Db, userId: string, what: string, count: number, at: number, stepMs = 0) => db.run`
    insert into account_log (id, user_id, at, what)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select ${userId} || ${what} || cast(100000 + n as text), ${userId},
      cast(${at} as bigint) + n * cast(${stepMs} as bigint), ${what} from numbers`;

  test('keeps the newest 1,000 entries, at most 200 of them failures, which push nothing else out', async (t) => {
    const db = await openUsers(t, 'alice', 'bob', 'carol');
    for (const [id, others, failures] of [
      ['alice', 900, 300],
      ['bob', 700, 300],
      ['carol', 1_100, 50],
    ] as const) {
      await insert(db, id, 'blocked', others, now + 1);
      await insert(db, id, 'sign_in_failed', failures, now + 1);
    }
    const seen = { most: 0 };
    await cleanLog(watch(db, seen), now + 1);
    assert.ok(seen.most <= 200, `a statement read or wrote ${seen.most} entries`);
    const left = await db.all<{ user_id: string; what: string; n: number; first: string }>`
      select user_id, what, count(*) as n, min(id) as first from account_log group by user_id, what order by user_id, what`;
    const place = (id: string) => Number(id.slice(-6)) - 100_000;
    assert.deepEqual(
      left.map((row) => [row.user_id, row.what, row.n, place(row.first)]),
      [
        ['alice', 'blocked', 900, 1],
        ['alice', 'sign_in_failed', 100, 201],
        ['bob', 'blocked', 700, 1],
        ['bob', 'sign_in_failed', 200, 101],
        ['carol', 'blocked', 1_000, 101],
      ],
    );
  });

  test('goes on with its clean-up where a fault has stopped it', async (t) => {
    const db = await openUsers(t, 'alice');
    await cleanLog(db, now);
    await insert(db, 'alice', 'blocked', 900, now, 1);
    const stopped = watch(db, { most: 0 }, (entries) => entries.some(({ at }) => at > now + 450));
    await assert.rejects(cleanLog(stopped, now + 900), /the database is away/);
    let first = Number.POSITIVE_INFINITY;
    const next = watch(db, { most: 0 }, (entries) => {
      first = Math.min(first, ...entries.map(({ at }) => at));
      return false;
    });
    await cleanLog(next, now + 900);
    assert.ok(first >= now + 399, `began at ${first - now} ms`);
  });

  test('loses no failure when its database is away, and writes at most 200 at once', async (t) => {
    const db = await openUsers(t, 'alice');
    const seen = { most: 0 };
    let faults = 1;
    const failures = openFailedSignIns(
      watch(db, seen, (rows) => rows.length > 0 && faults-- === 0),
      () => now,
    );
    for (let i = 0; i < 450; i++) failures.count('alice', `address ${i}`, { address: `address ${i}` });
    await assert.rejects(failures.flush(), /the database is away/);
    failures.count('alice', 'address 449', { address: 'address 449' });
    await failures.flush();
    await failures.flush();
    const stored = await db.all<{ address: string; data: string }>`
      select address, data from account_log where what = 'sign_in_failed'`;
    assert.equal(new Set(stored.map(({ address }) => address)).size, 450);
    assert.deepEqual(
      stored.filter(({ data }) => data !== '{"n":1}'),
      [{ address: 'address 449', data: '{"n":2}' }],
    );
    assert.equal(stored.length, 450);
    assert.ok(seen.most <= 200, `a statement wrote ${seen.most} entries`);
  });

  test('goes with the account, and failures that are counted then are not written', async (t) => {
    const { alice, db, services, logIn, operate } = await start(t);
    await operate('suspend', 'alice', '--reason', 'spam');
    const { id } = alice;
    await db.run`
      insert into mail_jobs (id, kind, dedup, user_id, language, created_at, due_at)
      values ('job', 'new_sign_in', 'one', ${id}, 'en', 1, ${Number.MAX_SAFE_INTEGER})`;
    await logIn('a guess');
    await db.transaction((tx) => deleteUser(tx, id));
    await services.accounts.failedSignIns.flush();
    for (const rows of await Promise.all([
      db.all`select id from account_log where user_id = ${id}`,
      db.all`select user_id from suspensions`,
      db.all`select id from mail_jobs`,
      db.all`select user_id from emails`,
      db.all`select user_id from email_codes`,
    ]))
      assert.deepEqual(rows, []);
  });
});
