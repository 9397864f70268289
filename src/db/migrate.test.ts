import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type DatabaseSettings, onEachDatabase, type TestDatabase } from '../../test/databases.ts';
import { connectPostgres } from '../../test/postgres-client.ts';
import { insertUser } from '../accounts/accounts.ts';
import { migrate, migrations, mustMigrateAlone } from './migrate.ts';

/** The statements of an additive migration after which an earlier version might fail, or wait for a lock on a large table. */
function faultsOf(statements: readonly string[]): string[] {
  const added = statements.map((text) => /^create table (\w+)/.exec(text)?.[1]);
  const columns = statements.flatMap(
    (text) => /^alter table (\w+) add column (\w+)/.exec(text)?.slice(1).join(' ') ?? [],
  );
  return statements.filter((text) => {
    const column = /^alter table \w+ add column (.*)$/s.exec(text)?.[1];
    if (column !== undefined) return column.includes('not null') && !column.includes('default');
    // A new column without a default is null everywhere, so that this index begins empty.
    const [, table, indexed] = /^create index \w+ on (\w+) \((\w+)\) where \2 is not null$/.exec(text) ?? [];
    if (columns.includes(`${table} ${indexed}`)) return false;
    return !added.includes(
      /^(?:alter table|create (?:table|(?:unique )?index \w+ on)) (\w+)/.exec(text)?.[1] ?? '',
    );
  });
}

/** A database without any tables. */
async function createWithoutTables(t: TestContext, database: TestDatabase): Promise<DatabaseSettings> {
  const settings = await database.create(t);
  if ('dataDir' in settings) {
    await rm(join(settings.dataDir, 'doorman.db'));
  } else {
    await using sql = await connectPostgres(settings.databaseUrl);
    await sql.rows('drop schema public cascade; create schema public');
  }
  return settings;
}

/** Migrates the database in a process of its own; returns its migrations. */
async function migrateElsewhere(settings: DatabaseSettings): Promise<unknown> {
  const urlOf = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const [open, file] =
    'dataDir' in settings
      ? [`openSqlite(${JSON.stringify({ folder: settings.dataDir })})`, './sqlite/sqlite.ts']
      : [`openPostgres(${JSON.stringify({ url: settings.databaseUrl })})`, './postgres/postgres.ts'];
  const code = `
    import { ${open.split('(')[0]} } from ${urlOf(file)};
    import { migrate } from ${urlOf('./migrate.ts')};
    await using db = await ${open};
    await migrate(db);
    console.log(JSON.stringify(await db.all\`select name, at from migrations order by name\`));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  return JSON.parse(stdout);
}

onEachDatabase('migrate', (database) => {
  test('several processes at once migrate a database once', async (t) => {
    const settings = await createWithoutTables(t, database);
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => migrateElsewhere(settings)));
    assert.ok(Array.isArray(first));
    assert.deepEqual(
      first.slice(0, 3).map(({ name }) => name),
      ['0024-additive-migrations', '0025-invites', '0026-password-links'],
    );
    for (const other of others) assert.deepEqual(other, first);
  });

  test('migrating again changes nothing', async (t) => {
    const db = await database.open(t);
    const before = await db.all`select name, at from migrations order by name`;
    await db.run`insert into service (name, value) values ('kept', 'yes')`;
    await migrate(db);
    assert.deepEqual(await db.all`select name, at from migrations order by name`, before);
    assert.deepEqual(await db.all`select name, value from service`, [{ name: 'kept', value: 'yes' }]);
  });

  test('a database of a newer version is refused, and not changed', async (t) => {
    const db = await database.open(t);
    await db.run`insert into migrations (name, at) values ('9999-later', 1)`;
    await db.run`delete from migrations where name = '0027-proofs-of-sessions'`;
    await assert.rejects(migrate(db), {
      message:
        'The database was last used by a newer version of Doorman (it has "9999-later", which this version does not know): start that version or a later one.',
    });
    assert.equal(await db.get`select name from migrations where name = '0027-proofs-of-sessions'`, undefined);
  });

  test('a database of a version before 0.1.0 is refused, and not changed', async (t) => {
    const db = await database.open(t);
    const text = db.kind === 'sqlite' ? 'text' : 'text collate "C"';
    await db.changeSchema(async (tx) => {
      await tx.script('drop table migrations');
      await tx.script(`create table migrations (name ${text} primary key not null, at bigint not null)`);
    });
    await db.run`insert into migrations (name, at) values ('0001-accounts', 1), ('0014-push-limits', 2)`;
    await assert.rejects(migrate(db), {
      message:
        'The database is of a version before 0.1.0 (its last migration is "0014-push-limits"): start version 0.1.0 or 0.2.0 on it once, then this one.',
    });
    assert.deepEqual(await db.all`select name, at from migrations order by name`, [
      { name: '0001-accounts', at: 1 },
      { name: '0014-push-limits', at: 2 },
    ]);
  });

  test('a database of 0.1.0 and a new one record the same migrations', async (t) => {
    const db = await database.open(t);
    const names = () => db.all`select name, additive from migrations order by name`;
    const before = await names();
    await db.run`insert into migrations (name, at) values ('0001-accounts', 1), ('0023-changes', 2)`;
    await migrate(db);
    assert.deepEqual(await names(), before);
  });

  test('a version works on with a newer database whose unknown migrations are additive, and runs its own', async (t) => {
    const db = await database.open(t);
    await migrate(db, [
      ...migrations,
      {
        name: '9998-later',
        additive: true,
        statements: (type) => [`alter table users add column later ${type.bigint} not null default 7`],
      },
    ]);
    await migrate(db);
    await insertUser(db, { id: 'u1', username: 'alice', password_hash: '', created_at: 1 });
    assert.deepEqual(await db.get`select id, later from users`, { id: 'u1', later: 7 });
    await migrate(db, [...migrations, { name: '9997-own', additive: false, statements: () => [] }]);
    assert.deepEqual(await db.all`select name, additive from migrations where name > '9' order by name`, [
      { name: '9997-own', additive: 0 },
      { name: '9998-later', additive: 1 },
    ]);
    await assert.rejects(migrate(db), /it has "9997-own"/);
  });

  test('a node migrates the database of version 0.2 only when no other node runs', async (t) => {
    const db = await database.open(t);
    await db.run`delete from migrations where name > '0026-password-links'`;
    assert.equal(await mustMigrateAlone(db), true);
    await db.run`delete from migrations where name = '0026-password-links'`;
    await db.run`insert into migrations (name, at) values ('0027-proofs-of-sessions', 1)`;
    assert.equal(await mustMigrateAlone(db), false, 'one that only adds a table');
  });

  test('an additive migration only adds what versions that do not know it can ignore', () => {
    const type = { kind: database.kind, text: 'text', bigint: 'bigint', strict: '' };
    assert.deepEqual(
      migrations.filter(({ additive }) => additive).flatMap(({ statements }) => faultsOf(statements(type))),
      [],
    );
    assert.deepEqual(
      faultsOf([
        'create table notes (id text not null)',
        'create index notes_by_id on notes (id)',
        'alter table notes alter column id set storage external',
        "alter table users add column pronouns text not null default ''",
        'alter table users add column nick text',
        'create index users_by_nick on users (nick) where nick is not null',
        'alter table users add column later bigint not null',
        'create index users_by_bio on users (bio)',
        'create index users_by_gender on users (gender) where gender is not null',
        'alter table users alter column bio set storage external',
        'alter table users drop column bio',
        "update users set bio = ''",
      ]),
      [
        'alter table users add column later bigint not null',
        'create index users_by_bio on users (bio)',
        'create index users_by_gender on users (gender) where gender is not null',
        'alter table users alter column bio set storage external',
        'alter table users drop column bio',
        "update users set bio = ''",
      ],
    );
  });

  test('new users have the defaults of interface 2.1', async (t) => {
    const db = await database.open(t);
    await db.run`insert into users (id, username, username_key, password_hash, nickname_key, created_at)
      values ('u1', 'Alice', 'alice', 'hash', 'alice', ${1_760_000_000_000})`;
    assert.deepEqual(await db.get`select * from users`, {
      id: 'u1',
      username: 'Alice',
      username_key: 'alice',
      password_hash: 'hash',
      nickname: '',
      email: '',
      avatar: '',
      gender: '',
      bio: '',
      phone: '',
      push_enabled: 1,
      dnd_enabled: 0,
      push_preview: 'sender',
      who_messages: 'everyone',
      who_friend_requests: 'everyone',
      who_presence: 'everyone',
      shows_read: 1,
      is_listed: 1,
      nickname_key: 'alice',
      keyed_names: '',
      status: 'active',
      created_at: 1_760_000_000_000,
    });
    await assert.rejects(
      db.run`insert into users (id, username, username_key, password_hash, nickname_key, created_at)
        values ('u2', 'ALICE', 'alice', 'hash', 'alice', 1)`,
      /unique/i,
    );
    await assert.rejects(
      db.run`insert into sessions (id, user_id, created_at, used_at) values ('s1', 'unknown', 1, 1)`,
      /foreign key/i,
    );
  });

  test('all text sorts by bytes, and no column stores values of another type', async (t) => {
    const db = await database.open(t);
    const unfit =
      database.kind === 'sqlite'
        ? await db.all`select name from sqlite_master where type = 'table' and sql not like '%) strict%'`
        : await db.all`select table_name, column_name from information_schema.columns
            where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'`;
    assert.deepEqual(unfit, []);
  });
});
