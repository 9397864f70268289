import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type DatabaseSettings,
  onEachDatabase,
  onEachDeployment,
  onPostgres,
  type TestDatabase,
} from '../../test/databases.ts';
import { findFaults, openOf, runImport, toLines } from '../../test/imported.ts';
import { addUser } from '../../test/people.ts';
import { launchServer, settingsOf, startCommand, startServer } from '../../test/processes.ts';
import { getValue } from '../db/installation-values.ts';

const HOUR = 3_600_000;
const done = (imported: number, present = 0, refused = 0) =>
  `imported ${imported}, already there ${present}, refused ${refused}\n`;
const message = (id: string, from: string, to: string, at: number, more: object = {}) => ({
  message: { id, from, to, body: `text of ${id}`, at, ...more },
});

/** A database with users of these ids, and what reads from it. */
async function open(t: TestContext, database: TestDatabase, ...ids: string[]) {
  const data = await database.create(t);
  await withDb(data, async (db) => {
    for (const id of ids) await addUser(db, `name of ${id}`, { id });
  });
  const all = <Row extends object>(strings: TemplateStringsArray, ...parts: string[]) =>
    withDb(data, (db) => db.all<Row>(strings, ...parts));
  return { data, settings: settingsOf(data), all };
}

async function withDb<T>(
  data: DatabaseSettings,
  work: (db: Awaited<ReturnType<typeof openOf>>) => Promise<T>,
): Promise<T> {
  await using db = await openOf(data);
  return await work(db);
}

onEachDatabase('import of friendships, blocks and messages', (database) => {
  test('all are stored, a repeat changes nothing, and no event is written', async (t) => {
    const { data, settings, all } = await open(t, database, 'a', 'b', 'auth0|c');
    const lines = toLines(
      { friends: ['b', 'a'], at: 5 },
      { friends: ['auth0|c', 'a'] },
      { block: { by: 'a', of: 'b' }, at: 7 },
      { block: { by: 'a', of: 'auth0|c' }, at: 6 },
      message('m1', 'a', 'b', HOUR),
      message('m1', 'b', 'a', HOUR),
      message('m2', 'auth0|c', 'a', 9, { read: false }),
    );
    const before = Date.now();
    assert.deepEqual(await runImport(settings, lines), { code: 0, output: done(7), errors: '' });
    const stored = async () => ({
      friends: await all`select user_id, peer_id, state from friends order by 1, 2`,
      times: await all<{ at: number }>`select at from friends order by at`,
      blocks: await all`select blocker_id, blocked_id, created_at, position from blocks order by position`,
      messages: await all`select low_id, high_id, n, sender_id, cid, body, at from messages order by 1, 2, 3`,
      sides: await all`
        select user_id, peer_id, n, last_at, last_hour, received, read, disclosed_received, disclosed_read, unread
        from conversations order by 1, 2`,
    });
    const after = await stored();
    const friends = (user_id: string, peer_id: string) => ({ user_id, peer_id, state: 'friends' });
    assert.deepEqual(after.friends, [
      friends('a', 'auth0|c'),
      friends('a', 'b'),
      friends('auth0|c', 'a'),
      friends('b', 'a'),
    ]);
    assert.equal(after.times[0]?.at, 5);
    assert.ok((after.times[3]?.at ?? 0) >= before, 'without a time it is of now');
    // The times of a list of blocks never decrease.
    assert.deepEqual(after.blocks, [
      { blocker_id: 'a', blocked_id: 'b', created_at: 7, position: 1 },
      { blocker_id: 'a', blocked_id: 'auth0|c', created_at: 7, position: 2 },
    ]);
    const row = (high_id: string, n: number, sender_id: string, cid: string, at: number) => ({
      ...{ low_id: 'a', high_id, n, sender_id, cid },
      ...{ body: `text of ${cid}`, at },
    });
    assert.deepEqual(after.messages, [
      row('auth0|c', 1, 'auth0|c', 'm2', 9),
      row('b', 1, 'a', 'm1', HOUR),
      row('b', 2, 'b', 'm1', HOUR),
    ]);
    const side = (user_id: string, peer_id: string, n: number, last_at: number) => ({
      ...{ user_id, peer_id, n, last_at, last_hour: Math.floor(last_at / HOUR) },
      ...{ received: 0, read: 0, disclosed_received: 0, disclosed_read: 0, unread: 0 },
    });
    // What a has read of b is not disclosed, as a blocks b.
    assert.deepEqual(after.sides, [
      { ...side('a', 'auth0|c', 1, 9), unread: 1 },
      { ...side('a', 'b', 2, HOUR), received: 2, read: 2 },
      side('auth0|c', 'a', 1, 9),
      { ...side('b', 'a', 2, HOUR), received: 1, read: 1 },
    ]);
    assert.deepEqual(await all`select * from inbox`, []);
    assert.deepEqual(await all`select * from push_pending`, []);
    assert.deepEqual(await findFaults(data), []);

    assert.deepEqual(await runImport(settings, lines + lines), { code: 0, output: done(0, 14), errors: '' });
    assert.deepEqual(await stored(), after);
  });

  test('a message that follows an unread one is unread too, and read ones raise the marks that both show', async (t) => {
    const { data, settings, all } = await open(t, database, 'a', 'b', 'c');
    await withDb(data, (db) => db.run`update users set shows_read = 0 where id = 'c'`);
    const sideOf = async (userId: string, peerId: string) => {
      const [row] = await all`
        select n, received, read, disclosed_received, disclosed_read, unread from conversations
        where user_id = ${userId} and peer_id = ${peerId}`;
      return Object.values(row ?? {});
    };
    const first = toLines(
      message('1', 'a', 'b', 10),
      message('2', 'b', 'a', 11),
      message('3', 'a', 'b', 12),
      message('1', 'c', 'a', 10),
    );
    assert.equal((await runImport(settings, first)).output, done(4));
    assert.deepEqual(await sideOf('b', 'a'), [3, 3, 3, 3, 3, 0]);
    assert.deepEqual(await sideOf('a', 'b'), [3, 2, 2, 2, 2, 0]);
    assert.deepEqual(await sideOf('a', 'c'), [1, 1, 1, 1, 0, 0]);

    const next = toLines(
      message('4', 'a', 'b', 13, { read: false }),
      message('5', 'b', 'a', 14),
      message('6', 'a', 'b', 15, { read: true }),
    );
    assert.equal((await runImport(settings, next)).output, done(3));
    assert.deepEqual(await sideOf('b', 'a'), [6, 3, 3, 3, 3, 2]);
    assert.deepEqual(await sideOf('a', 'b'), [6, 5, 5, 5, 5, 0]);
    const later = toLines(message('7', 'a', 'b', 16, { read: true }));
    assert.equal((await runImport(settings, later)).output, done(1));
    assert.deepEqual(await sideOf('b', 'a'), [7, 3, 3, 3, 3, 3]);
    assert.deepEqual(await findFaults(data), []);
  });

  test('lines that cannot be true are refused, each with its reason, and the others are imported', async (t) => {
    const { data, settings } = await open(t, database, 'a', 'b', 'gone', 'constructor');
    await withDb(data, (db) => db.run`update users set status = 'deleted' where id = 'gone'`);
    const future = Date.now() + HOUR;
    const refused: [object, string][] = [
      [{ friends: ['a', 'a'] }, 'names one user twice'],
      [{ friends: ['a', 'toString'] }, 'there is no user "toString"'],
      [{ friends: ['a', 'A'] }, 'there is no user "A"'],
      [{ friends: ['gone', 'a'] }, 'user "gone" is deleted'],
      [{ friends: ['a', 'b'], at: future }, 'at is in the future'],
      [{ block: { by: 'a', of: 'a' } }, 'names one user twice'],
      [{ block: { by: 'a', of: 'c' } }, 'there is no user "c"'],
      [{ block: { by: 'gone', of: 'b' } }, 'user "gone" is deleted'],
      [{ block: { by: 'a', of: 'b' }, at: future }, 'at is in the future'],
      [message('1', 'a', 'a', 1), 'names one user twice'],
      [message('1', 'a', 'c', 1), 'there is no user "c"'],
      [message('1', 'c', 'a', 1), 'there is no user "c"'],
      [message('1', 'a', 'gone', 1), 'user "gone" is deleted'],
      [message('1', 'a', 'b', future), 'at is in the future'],
    ];
    const good = toLines(
      { friends: ['a', 'constructor'] },
      { block: { by: 'constructor', of: 'a' } },
      message('0', 'constructor', 'a', 0),
    );
    const ended = await runImport(settings, toLines(...refused.map(([line]) => line)) + good);
    assert.deepEqual(ended, {
      code: 1,
      output: done(3, 0, refused.length),
      errors: refused.map(([, reason], at) => `line ${at + 1}: ${reason}\n`).join(''),
    });
    assert.deepEqual(await findFaults(data), []);
  });

  test('messages stand by time within a conversation, and an id is looked up before anything else', async (t) => {
    const { data, settings, all } = await open(t, database, 'a', 'b', 'c');
    const lines = toLines(
      message('1', 'a', 'b', 20),
      message('2', 'b', 'a', 19),
      message('3', 'a', 'c', 1),
      message('1', 'a', 'b', 20, { body: 'another text' }),
      message('1', 'a', 'c', 20, { body: 'text of 1' }),
      message('1', 'a', 'b', 3),
      message('1', 'b', 'a', 20),
      message('x 1', 'a', 'b', 20),
      { message: { id: '1', from: 'a x', to: 'b', body: 'text of x 1', at: 20 } },
    );
    const reasons = [
      'line 2: at is earlier than the last message of the conversation\n',
      'line 4: id is used by another message of this sender\n',
      'line 5: id is used by another message of this sender\n',
      'line 9: there is no user "a x"\n',
    ].join('');
    assert.deepEqual(await runImport(settings, lines), { code: 1, output: done(4, 1, 4), errors: reasons });
    // The same when the others are stored already, and their users are deleted since.
    await withDb(data, (db) => db.run`update users set status = 'deleted' where id = 'b'`);
    const again = reasons.replace(/2: .*/, '2: user "b" is deleted');
    assert.deepEqual(await runImport(settings, lines), { code: 1, output: done(0, 5, 4), errors: again });
    assert.equal((await all`select 1 from messages`).length, 4);
    assert.deepEqual(await findFaults(data), []);
  });

  test('an edited message is known by its first text, and an unsent one by its id', async (t) => {
    const { data, settings } = await open(t, database);
    const ids: string[] = [];
    {
      await using server = await startServer(settings);
      const join = async (username: string) =>
        (await server.post('/api/register', { username, password: 'secret' })).body.data;
      const [alice, bob] = [await join('alice'), await join('bob')];
      ids.push(alice.id, bob.id);
      const send = async (cid: string) =>
        (await server.post('/api/messages', { to: bob.id, cid, body: `text of ${cid}` }, alice.token)).body
          .data.n;
      const [edited, unsent] = [await send('edited'), await send('unsent')];
      await server.post('/api/messages/edit', { peer: bob.id, n: edited, body: 'new' }, alice.token);
      assert.equal(
        (await server.post('/api/messages/unsend', { peer: bob.id, n: unsent }, alice.token)).status,
        200,
      );
    }
    const [alice = '', bob = ''] = ids;
    const lines = toLines(message('edited', alice, bob, 1), message('unsent', alice, bob, 1));
    assert.deepEqual(await runImport(settings, lines), { code: 0, output: done(0, 2), errors: '' });
    const later = toLines(message('later', alice, bob, Date.now()));
    assert.equal((await runImport(settings, later)).output, done(1));
    assert.deepEqual(await findFaults(data), []);
  });

  test('an open friend request becomes the friendship and ends a message request; a block ends the one and declines the other', async (t) => {
    const { data, settings, all } = await open(t, database, 'a', 'b', 'c', 'd');
    await withDb(data, async (db) => {
      await db.run`
        insert into friends (user_id, peer_id, state, at)
        values ('a', 'b', 'requested', 1), ('b', 'a', 'asked', 1), ('c', 'd', 'asked', 1), ('d', 'c', 'requested', 1)`;
      for (const [userId, peerId] of [
        ['a', 'b'],
        ['c', 'd'],
      ] as const) {
        const n = await db.run`
          insert into conversations (user_id, peer_id, n) values (${userId}, ${peerId}, 1), (${peerId}, ${userId}, 1)`;
        assert.equal(n, 2);
        await db.run`
          insert into messages (low_id, high_id, n, sender_id, cid, body, at) values (${userId}, ${peerId}, 1, ${userId}, 'x', 'x', 0)`;
        await db.run`
          insert into message_requests (user_id, peer_id, state, messages, at) values (${userId}, ${peerId}, 'waiting', 1, 1)`;
      }
    });
    const lines = toLines({ friends: ['b', 'a'], at: 9 }, { block: { by: 'c', of: 'd' }, at: 9 });
    assert.equal((await runImport(settings, lines)).output, done(2));
    assert.deepEqual(await all`select user_id, peer_id, state, at from friends order by 1`, [
      { user_id: 'a', peer_id: 'b', state: 'friends', at: 9 },
      { user_id: 'b', peer_id: 'a', state: 'friends', at: 9 },
    ]);
    assert.deepEqual(await all`select user_id, state from message_requests`, [
      { user_id: 'c', state: 'declined' },
    ]);
  });

  test('the epoch is renewed before anything that only a snapshot shows is written, and only then', async (t) => {
    const { data, settings } = await open(t, database, 'a', 'b');
    const epoch = () => withDb(data, (db) => getValue(db, 'epoch'));
    {
      await using _server = await startServer(settings);
    }
    const before = await epoch();
    assert.match(before ?? '', /^[0-9a-f]{8}$/);
    await runImport(settings, toLines({ username: 'carol', password: 'secret' }));
    await runImport(settings, toLines({ friends: ['a', 'b'] }), '--dry-run');
    assert.equal(await epoch(), before);
    await runImport(settings, toLines({ friends: ['a', 'b'] }));
    assert.notEqual(await epoch(), before);
  });

  test('a dry run reports the same and writes nothing', async (t) => {
    const { settings, all } = await open(t, database, 'a', 'b');
    await runImport(settings, toLines({ friends: ['a', 'b'] }));
    const lines = toLines(
      { friends: ['a', 'b'] },
      { friends: ['a', 'nobody'] },
      { block: { by: 'a', of: 'b' } },
      message('1', 'a', 'b', 5),
      message('2', 'a', 'b', 4),
    );
    const dry = await runImport(settings, lines, '--dry-run');
    assert.deepEqual(await all`select 1 from blocks union all select 1 from messages`, []);
    const wet = await runImport(settings, lines);
    assert.deepEqual(dry, { ...wet, output: `dry run, nothing was written; would be: ${wet.output}` });
    assert.equal(wet.output, done(2, 1, 2));
  });

  test('a dry run before the first start knows the users of the file', async (t) => {
    const settings = settingsOf(await database.create(t));
    const lines = toLines(
      { id: 'a', username: 'alice', password_hash: '!' },
      { id: 'b', username: 'bob', password_hash: '!' },
      { friends: ['a', 'b'] },
      { block: { by: 'b', of: 'a' } },
      message('1', 'a', 'b', 5),
      message('2', 'b', 'a', 6),
      message('3', 'a', 'nobody', 7),
    );
    const { output, errors } = await runImport(settings, lines, '--dry-run');
    assert.equal(output, `dry run, nothing was written; would be: ${done(6, 0, 1)}`);
    assert.equal(errors, 'line 7: there is no user "nobody"\n');
  });
});

onEachDeployment('import beside servers', (database) => {
  test('a running server is left alone: users are stored beside it, the other lines are not', async (t) => {
    const { settings, all } = await open(t, database, 'a', 'b');
    const users = toLines({ username: 'carol', password: 'secret' });
    const friends = toLines({ friends: ['a', 'b'] });
    {
      await using server = await startServer(settings);
      const { code, output, errors } = await runImport(settings, users + friends);
      assert.deepEqual([code, output], [1, '']);
      assert.match(errors, /^a server runs on this database: .*\n$/);
      assert.equal((await server.post('/api/login', { username: 'carol', password: 'secret' })).status, 200);
    }
    assert.deepEqual(await all`select 1 from friends`, []);
    assert.equal((await runImport(settings, users + friends)).output, done(1, 1));
  });

  test('no server starts until the import has ended', async (t) => {
    const { data, settings } = await open(t, database, 'a', 'b');
    await using command = startCommand(settings, ['import', '-']);
    command.child.stdin.write(toLines({ friends: ['a', 'b'] }, { block: { by: 'a', of: 'b' } }));
    const stored = () => withDb(data, (db) => db.all`select 1 from friends`);
    await t.waitFor(async () => assert.equal((await stored()).length, 2), { timeout: 60_000 });
    await using server = launchServer(settings);
    const serves = server.serving.then(() => assert.fail('the server serves'));
    if (database.kind === 'postgres')
      await Promise.race([server.logged('another server uses the database; waiting until it ends'), serves]);
    else
      assert.match((await Promise.race([server.ended, serves])).errors, /Another Doorman server is running/);
    serves.catch(() => {});
    command.child.stdin.end(toLines({ block: { by: 'b', of: 'a' } }));
    const { code, output } = await command.ended;
    assert.deepEqual([code, output], [0, done(3)]);
    if (database.kind === 'postgres') await server.serving;
  });
});

onPostgres('import of friendships, blocks and messages', (database) => {
  test('a batch that takes longer than a statement may is halved until it passes', async (t) => {
    const { data, settings, all } = await open(t, database);
    const ids = Array.from({ length: 41 }, (_, n) => `u${n}`);
    await withDb(data, async (db) => {
      for (const id of ids) await addUser(db, id, { id });
      await db.changeSchema(async (tx) => {
        await tx.script(`create function refuse_many() returns trigger language plpgsql as $$ begin
          if (select count(*) from added) > 20 then raise exception 'too slow' using errcode = '57014'; end if;
          return null; end $$`);
        await tx.script(`create trigger refuse_many after insert on friends referencing new table as added
          for each statement execute function refuse_many()`);
      });
    });
    const lines = toLines(...ids.slice(1).map((id) => ({ friends: ['u0', id] })));
    assert.deepEqual(await runImport(settings, lines), { code: 0, output: done(40), errors: '' });
    assert.equal((await all`select 1 from friends where user_id = 'u0'`).length, 40);
  });

  test('an import that lost the lock ends, as a server may have started', async (t) => {
    const { data, settings, all } = await open(t, database, 'a', 'b');
    await using command = startCommand(settings, ['import', '-']);
    command.child.stdin.write(toLines({ friends: ['a', 'b'] }, { block: { by: 'a', of: 'b' } }));
    await withDb(data, async (db) => {
      const holders = async () => {
        const rows = await db.all<{ pid: number }>`
          select pid from pg_stat_activity
          where datname = current_database() and application_name like 'doorman lock %'`;
        return rows.map(({ pid }) => pid);
      };
      const stored = () => db.all`select 1 from friends`;
      await t.waitFor(async () => assert.equal((await stored()).length, 2), { timeout: 60_000 });
      const [first = 0] = await holders();
      await db.get`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'doorman lock %'`;
      // It has noticed the loss, as it takes the lock again.
      const taken = async () => assert.ok((await holders()).some((pid) => pid !== first));
      await t.waitFor(taken, { timeout: 60_000 });
    });
    command.child.stdin.end(toLines({ block: { by: 'b', of: 'a' } }));
    const { code, errors } = await command.ended;
    assert.equal(code, 1);
    assert.match(errors, /^the lock on the database was lost.*\n$/m);
    assert.deepEqual(await all`select 1 from blocks`, []);
  });
});
