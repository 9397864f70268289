import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type DatabaseSettings, onEachDatabase, onSqlite } from '../../../test/databases.ts';
import { connectPostgres } from '../../../test/postgres-client.ts';
import { type ServerProcess, settingsOf, startServer } from '../../../test/processes.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { openSqlite } from '../../db/sqlite/sqlite.ts';
import { checkDatabase } from './database-checks.ts';

const ALICE = "(select id from users where username = 'alice')";
const BOB = "(select id from users where username = 'bob')";
const DORA = "(select id from users where username = 'dora')";
/** Erased. */
const ERIN = "(select id from users where username_key = 'HELD:erin')";
const BOBS_SIDE = `where user_id = ${BOB} and peer_id = ${ALICE}`;

const ERASE_ERIN = `update users set status = 'deleted', password_hash = '', username = '', username_key = 'HELD:erin', nickname = '', keyed_names = ''
    where username = 'erin';
  delete from sessions where user_id = ${ERIN}; delete from account_log where user_id = ${ERIN}`;

interface Damage {
  readonly name: string;
  readonly damage: string;
  readonly repair: string;
  /** Every finding, in which the names stand for ids. */
  readonly faults: readonly string[];
}

/** Alice and Bob are friends. Of their four messages Bob has read three. Nothing happened to Dora. */
const DAMAGES: readonly Damage[] = [
  {
    name: 'a missing index',
    damage: 'drop index friends_by_time',
    repair: 'create index friends_by_time on friends (user_id, state, at)',
    faults: ['tables: missing: the index friends_by_time on friends (user_id, state, at)'],
  },
  {
    name: 'a missing column',
    damage: 'alter table sessions drop column device',
    repair: "alter table sessions add column device text not null default ''",
    faults: ['tables: missing: the column sessions.device text not null default ""'],
  },
  {
    name: 'a session of a missing user',
    damage: "insert into sessions (id, user_id, created_at, used_at) values ('s', 'nobody', 1, 1)",
    repair: "delete from sessions where id = 's'",
    faults: ['references: a row of sessions refers by user_id to nobody, a missing row of users'],
  },
  {
    name: 'a user without a head',
    damage: `delete from inbox_heads where user_id = ${DORA}`,
    repair: `insert into inbox_heads (user_id) values (${DORA})`,
    faults: ['event logs: user DORA has no row in inbox_heads'],
  },
  {
    name: 'a head behind its log',
    damage: `update inbox_heads set seq = seq - 1 where user_id = ${ALICE}`,
    repair: `update inbox_heads set seq = seq + 1 where user_id = ${ALICE}`,
    faults: ['event logs: the log of user ALICE ends with event 7, but inbox_heads has 6'],
  },
  {
    name: 'an event in the log of another user',
    damage: `update inbox set user_id = 'nobody' where user_id = ${ALICE} and seq = 2`,
    repair: `update inbox set user_id = ${ALICE} where user_id = 'nobody'`,
    faults: [
      'event logs: 1 events are in the log of nobody, who has none',
      'event logs: the log of user ALICE has 6 events from 1 to 7',
    ],
  },
  {
    name: 'an acknowledgement of events to come',
    damage: `update inbox_heads set received = 99 where user_id = ${ALICE}`,
    repair: `update inbox_heads set received = 0 where user_id = ${ALICE}`,
    faults: ['event logs: user ALICE has acknowledged event 99, but their last is 7'],
  },
  {
    name: 'a number of messages that are not stored',
    damage: 'update conversations set n = n + 1',
    repair: 'update conversations set n = n - 1',
    faults: [
      'messages: the conversation of ALICE with BOB should have 5 messages, but 4 are stored, the last is 4',
    ],
  },
  {
    name: 'two sides with different numbers',
    damage: `update conversations set n = n + 1 ${BOBS_SIDE}`,
    repair: `update conversations set n = n - 1 ${BOBS_SIDE}`,
    faults: [
      'conversations: the conversation of ALICE with BOB has 4 messages for the first and 5 for the other',
    ],
  },
  {
    name: 'a conversation with one side',
    damage: `update conversations set peer_id = ${DORA} ${BOBS_SIDE}`,
    repair: `update conversations set peer_id = ${ALICE} where user_id = ${BOB}`,
    faults: [
      'conversations: the conversation of ALICE with BOB has no row for BOB',
      'conversations: the conversation of BOB with DORA has no row for DORA',
      'messages: the conversation of BOB with DORA should have 4 messages, but 0 are stored, the last is missing',
      'unread counts: user BOB has 0 unread messages of DORA, but 1 are counted',
    ],
  },
  {
    name: 'a message of another conversation',
    damage: `update messages set high_id = ${DORA} where n = 1`,
    repair: `update messages set high_id = ${BOB} where n = 1`,
    faults: [
      'messages: the conversation of ALICE with BOB should have 4 messages, but 3 are stored, the last is 4',
      'messages: 1 messages of ALICE and DORA belong to no conversation',
    ],
  },
  {
    name: 'message requests that belong to no such conversation',
    damage: `insert into message_requests (user_id, peer_id, state, messages, at)
      select ${ALICE}, id, 'waiting', 9, 1 from users where id in (${BOB}, ${DORA})`,
    repair: 'delete from message_requests',
    faults: [
      'message requests: the message request of BOB to ALICE waits with 9 messages, but the conversation has 4',
      'message requests: the message request of DORA to ALICE has no conversation',
    ],
  },
  {
    name: 'a message of a stranger',
    damage: `update messages set sender_id = ${DORA} where n = 1`,
    repair: `update messages set sender_id = ${ALICE} where n = 1`,
    faults: ['messages: message 1 of ALICE and BOB has DORA as its sender'],
  },
  {
    name: 'a wrong unread count',
    damage: `update conversations set unread = unread + 3 ${BOBS_SIDE}`,
    repair: `update conversations set unread = unread - 3 ${BOBS_SIDE}`,
    faults: ['unread counts: user BOB has 1 unread messages of ALICE, but 4 are counted'],
  },
  {
    name: 'a count of an unread message that was unsent',
    damage: 'update messages set unsent_at = 1 where n = 4',
    repair: 'update messages set unsent_at = null where n = 4',
    faults: ['unread counts: user BOB has 0 unread messages of ALICE, but 1 are counted'],
  },
  {
    name: 'a count of an unread message that its reader has deleted for themselves',
    damage: `insert into conversation_settings (user_id, peer_id, cleared_n) values (${BOB}, ${ALICE}, 4)`,
    repair: 'delete from conversation_settings',
    faults: ['unread counts: user BOB has 0 unread messages of ALICE, but 1 are counted'],
  },
  {
    name: 'two sides with different numbers of changes',
    damage: `update conversations set revision = revision + 2 ${BOBS_SIDE}`,
    repair: `update conversations set revision = revision - 2 ${BOBS_SIDE}`,
    faults: [
      'conversations: the conversation of ALICE with BOB has 0 changes of messages for the first and 2 for the other',
    ],
  },
  {
    name: 'a mark beyond the last message',
    damage: `update conversations set received = received + 9 ${BOBS_SIDE}`,
    repair: `update conversations set received = received - 9 ${BOBS_SIDE}`,
    faults: [
      'conversations: in the conversation of BOB with ALICE, which has 4 messages, the marks (received 12, read 3) or the hour are wrong',
    ],
  },
  {
    name: 'a friendship with one side',
    damage: `update friends set peer_id = ${DORA} ${BOBS_SIDE}`,
    repair: `update friends set peer_id = ${ALICE} where user_id = ${BOB}`,
    faults: [
      'friends: for ALICE the relation to BOB is "friends", for the other it is missing',
      'friends: for BOB the relation to DORA is "friends", for the other it is missing',
    ],
  },
  {
    name: 'two sides with different states',
    damage: `update friends set state = 'asked' ${BOBS_SIDE}`,
    repair: `update friends set state = 'friends' ${BOBS_SIDE}`,
    faults: [
      'friends: for ALICE the relation to BOB is "friends", for the other it is "asked"',
      'friends: for BOB the relation to ALICE is "asked", for the other it is "friends"',
    ],
  },
  {
    name: 'a whole picture without its pieces',
    damage: `insert into pictures (id, owner_id, type, size, width, height, created_at, is_whole)
      values ('p', ${ALICE}, 'image/png', 70, 1, 1, 1, 1)`,
    repair: "delete from pictures where id = 'p'",
    faults: ['pictures: the picture p of ALICE has 70 bytes, but 0 are stored'],
  },
  {
    name: 'a message without its picture',
    damage: "update messages set picture_id = 'p' where n = 2",
    repair: 'update messages set picture_id = null',
    faults: ['pictures: message 2 of ALICE and BOB has the picture p, which is missing'],
  },
  {
    name: 'a pending push beyond the log',
    damage: `insert into push_pending (user_id, peer_id, first_seq, last_seq, count, due_at) values (${DORA}, ${ALICE}, 1, 9, 1, 1)`,
    repair: `delete from push_pending where user_id = ${DORA}`,
    faults: ['push queue: a push to DORA about ALICE waits up to event 9, but their last is 0'],
  },
  {
    name: 'an address whose key is not its lower case',
    damage: `insert into emails values (${DORA}, 'Dora@mail.example', 'Dora@mail.example', 'en', 1)`,
    repair: `delete from emails where user_id = ${DORA}`,
    faults: ['addresses: the verified address of DORA has another key'],
  },
  {
    name: 'an address of an erased user',
    damage: `insert into emails values (${DORA}, 'dora@mail.example', 'dora@mail.example', 'en', 1);
      update users set status = 'deleted', password_hash = '' where id = ${DORA}`,
    repair: `delete from emails where user_id = ${DORA}; update users set status = 'active', password_hash = 'x' where id = ${DORA}`,
    faults: ['addresses: the verified address of DORA is left, but they are erased'],
  },
  {
    name: 'rows of an erased user, and those of a user who can still come back',
    damage: `insert into blocks values (${ERIN}, ${BOB}, 1, 1), (${BOB}, ${ERIN}, 1, 1);
      insert into last_seen values (${ERIN}, 1);
      insert into reports (id, reporter_id, reported_id, reason, at) values ('r', ${ERIN}, ${BOB}, 'spam', 1);
      insert into blocks values (${DORA}, ${BOB}, 1, 1);
      insert into emails values (${DORA}, 'dora@mail.example', 'dora@mail.example', 'en', 1);
      update users set status = 'deleted' where id = ${DORA}`,
    repair: `delete from blocks; delete from last_seen; delete from reports; delete from emails;
      update users set status = 'active' where id = ${DORA}`,
    faults: [
      'erased users: user ERIN is erased, but blocks has 1 rows of theirs',
      'erased users: user ERIN is erased, but last_seen has 1 rows of theirs',
      'erased users: user ERIN is erased, but reports has 1 rows of theirs',
    ],
  },
  {
    name: 'what an erased user wrote of themselves',
    damage: `update users set bio = 'b' where id = ${ERIN}`,
    repair: `update users set bio = '' where id = ${ERIN}`,
    faults: ['erased users: user ERIN is erased, but their account is not empty'],
  },
  {
    name: 'a conversation of two erased users whose messages no job removes',
    damage: `insert into users (id, username, username_key, password_hash, nickname_key, status, created_at)
        values ('FAY', '', 'HELD:fay', '', '', 'deleted', 1);
      insert into inbox_heads (user_id) values ('FAY');
      insert into conversations (user_id, peer_id) values (${ERIN}, 'FAY'), ('FAY', ${ERIN})`,
    repair: `delete from conversations where n = 0; delete from inbox_heads where user_id = 'FAY'; delete from users where id = 'FAY'`,
    faults: [
      'messages: the conversation of ERIN with FAY should have 0 messages, but 0 are stored, the last is missing',
      'erased users: users ERIN and FAY are erased, but their conversation is left',
    ],
  },
];

onEachDatabase('check of what is stored', (database) => {
  test('each damage is seen and named, and nothing else is', async (t) => {
    const settings = await database.create(t);
    const names = await makeStory(settings);
    await execute(settings, ERASE_ERIN);
    await using db =
      'dataDir' in settings
        ? await openSqlite({ folder: settings.dataDir })
        : await openPostgres({ url: settings.databaseUrl });
    const findFaults = async () => {
      const faults: string[] = [];
      for await (const found of checkDatabase(db))
        for (const fault of found.faults)
          faults.push(
            `${found.subject}: ${fault}`.replace(/[\da-f]{8}-[\da-f-]{27}/g, (id) => names.get(id) ?? id),
          );
      return faults;
    };
    for (const { name, damage, repair, faults } of DAMAGES)
      await t.test(name, async () => {
        await execute(settings, damage);
        const found = await findFaults();
        await execute(settings, repair);
        assert.deepEqual(found, faults);
      });
    assert.deepEqual(await findFaults(), []);
  });
});

onSqlite('check of the file', (database) => {
  test('a damaged page is a fault, and the check goes on', async (t) => {
    const settings = await database.create(t);
    assert.ok('dataDir' in settings);
    const file = join(settings.dataDir, 'doorman.db');
    {
      const raw = new DatabaseSync(file);
      const page = Number(
        raw.prepare("select rootpage from sqlite_schema where name = 'sqlite_autoindex_users_1'").get()
          ?.rootpage,
      );
      raw.close();
      const descriptor = openSync(file, 'r+');
      writeSync(descriptor, Buffer.alloc(4096, 'x'), 0, 4096, (page - 1) * 4096);
      closeSync(descriptor);
    }
    await using db = await openSqlite({ folder: settings.dataDir });
    const faults = new Map<string, readonly string[]>();
    for await (const found of checkDatabase(db)) faults.set(found.subject, found.faults);
    assert.deepEqual(faults.get('tables'), []);
    assert.match(faults.get('file')?.join() ?? '', /malformed|invalid page|btree/i);
    assert.match(faults.get('users')?.join() ?? '', /cannot be read/);
  });
});

/** @returns the names of the users by their ids */
async function makeStory(database: DatabaseSettings): Promise<Map<string, string>> {
  await using server = await startServer(settingsOf(database));
  const join = async (username: string) =>
    (await server.post('/api/register', { username, password: 'secret' })).body.data;
  const [alice, bob, dora] = [await join('alice'), await join('bob'), await join('dora')];
  const erin = await join('erin');
  const calls = [
    [alice, '/api/messages', { to: bob.id, cid: 'one', body: 'hi' }],
    [bob, '/api/messages', { to: alice.id, cid: 'two', body: 'hi' }],
    [alice, '/api/messages', { to: bob.id, cid: 'three', body: 'hi' }],
    [alice, '/api/messages', { to: bob.id, cid: 'four', body: 'hi' }],
    [bob, '/api/messages/mark', { peer: alice.id, read: 3 }],
    [alice, '/api/friends/request', { userId: bob.id }],
    [bob, '/api/friends/accept', { userId: alice.id }],
  ] as const;
  for (const [{ token }, path, body] of calls) await succeed(server, path, body, token);
  return new Map([
    [alice.id, 'ALICE'],
    [bob.id, 'BOB'],
    [dora.id, 'DORA'],
    [erin.id, 'ERIN'],
  ]);
}

async function succeed({ post }: ServerProcess, path: string, body: object, token: string): Promise<void> {
  const { status, body: answer } = await post(path, body, token);
  assert.equal(status, 200, JSON.stringify(answer));
}

/** Without the checks of foreign keys. */
async function execute(settings: DatabaseSettings, text: string): Promise<void> {
  if ('dataDir' in settings) {
    const file = join(settings.dataDir, 'doorman.db');
    const db = new DatabaseSync(file, { enableForeignKeyConstraints: false, timeout: 5_000 });
    db.exec(text);
    db.close();
  } else {
    await using sql = await connectPostgres(settings.databaseUrl);
    await sql.rows('set session_replication_role = replica');
    await sql.rows(text);
  }
}
