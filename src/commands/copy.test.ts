import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { onPostgres, onSqlite } from '../../test/databases.ts';
import { connectPostgres } from '../../test/postgres-client.ts';
import type { SchemaDb } from '../db/db.ts';
import { lockFolder } from '../db/sqlite/server-lock.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import { copy } from './copy.ts';
import { runCommand } from './run.ts';

/** Characters that SQL, JSON or a terminal could treat as something else. */
const ODD_TEXTS = [
  '',
  ' ',
  "'",
  '"',
  '\\',
  '\\u0041',
  '\n\r\t\x01\x7f\u2028',
  '名字 😀 e\u0301 \u202e',
  '{"a":[1]}',
  'NULL',
  '-',
  '3:abc',
];
/** Beyond what a JavaScript number holds. */
const BIG = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'];

/** What Litestream makes in a database that it replicates: none of ours. */
const LITESTREAM_TABLES = `
  create table _litestream_seq (id integer primary key, seq integer);
  create table _litestream_lock (id integer);`;

onSqlite('copy', (embedded) => {
  onPostgres('copy', (postgres) => {
    /** An embedded database, and the address of a migrated, empty PostgreSQL database. */
    async function prepare(t: TestContext) {
      const [from, to] = [await embedded.create(t), await postgres.create(t)];
      assert.ok('dataDir' in from && 'databaseUrl' in to);
      const { dataDir } = from;
      const target = await connectPostgres(to.databaseUrl);
      t.after(() => target[Symbol.asyncDispose]());
      async function fill(work: (db: SchemaDb) => Promise<unknown>) {
        await using db = await openSqlite({ folder: dataDir });
        await work(db);
      }
      return { dataDir, databaseUrl: to.databaseUrl, target, fill };
    }

    async function run(settings: { dataDir: string; databaseUrl: string }) {
      const texts = { output: '', errors: '' };
      const collect = (name: keyof typeof texts) =>
        new Writable({
          write(chunk, _, done) {
            texts[name] += chunk;
            done();
          },
        });
      const env = { DATA_DIR: settings.dataDir, DATABASE_URL: settings.databaseUrl };
      const context = { env, input: process.stdin, output: collect('output'), errors: collect('errors') };
      const commands = { copy: { usage: 'copy', help: '', load: async () => copy } };
      const code = await runCommand(commands, context, ['copy']);
      return { code, output: texts.output, errors: texts.errors.replace(/^(\{.*|\w+: \d+ rows)\n/gm, '') };
    }

    test('every table is copied, but not those of Litestream', async (t) => {
      const { fill, target, ...settings } = await prepare(t);
      const names: string[] = [];
      await fill(async (db) => {
        names.push(...(await fillEachTable(db)));
        await db.changeSchema((tx) => tx.script(LITESTREAM_TABLES));
      });
      assert.ok(names.length > 15, names.join());
      const { code, output, errors } = await run(settings);
      assert.deepEqual([code, errors], [0, '']);
      for (const name of names) {
        const [row] = await target.rows<{ n: string }>(`select count(*) as n from "${name}"`);
        assert.deepEqual([name, row?.n], [name, '1']);
      }
      assert.deepEqual(
        output
          .split('\n')
          .slice(1, -2)
          .map((line) => line.replace(/ {2,}/g, ' ').replace(/[0-9a-f]{16}$/, 'sum')),
        names.map((name) => `${name} 1 sum`),
      );
      assert.match(output, /^table +rows +checksum\n/);
      assert.match(
        output,
        new RegExp(
          `\ncopied ${names.length} rows of ${names.length} tables; both databases hold the same\n$`,
        ),
      );
    });

    test('texts, integers and bytes are kept exactly', async (t) => {
      const { fill, target, ...settings } = await prepare(t);
      const rows = ODD_TEXTS.map((id, at) => ({
        id,
        n: BIG[at % BIG.length],
        bytes: at % 3 ? `00ff0${at % 10}` : null,
      }));
      await fill((db) =>
        db.changeSchema(async (tx) => {
          await tx.script(
            `create table odd (id text not null, n integer not null, bytes blob, primary key (n, id)) strict`,
          );
          for (const { id, n, bytes } of rows)
            await tx.script(
              `insert into odd values ('${id.replaceAll("'", "''")}', ${n}, ${bytes ? `x'${bytes}'` : 'null'})`,
            );
        }),
      );
      await target.rows(
        `create table odd (id text collate "C" not null, n bigint not null, bytes bytea, primary key (n, id))`,
      );
      assert.equal((await run(settings)).errors, '');
      const copied = await target.rows<{ id: string }>(
        `select id, n::text, encode(bytes, 'hex') as bytes from odd`,
      );
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
      assert.deepEqual(copied.sort(byId), rows.sort(byId));
    });

    test('tables of many pages are copied whole', async (t) => {
      const { fill, target, ...settings } = await prepare(t);
      await fill((db) =>
        db.transaction(
          (tx) => tx.run`
        insert into messages (low_id, high_id, n, sender_id, cid, body, at)
        with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 3000)
        select 'low' || cast(i / 1300 as text), 'high', i % 1300, 'low', 'c' || cast(i as text), 'body ' || cast(i as text), i from numbers`,
        ),
      );
      assert.match((await run(settings)).output, /^messages +3000 /m);
      assert.deepEqual(
        await target.rows(
          'select count(*)::int, count(distinct body)::int as bodies, sum(n)::int from messages',
        ),
        [{ count: 3000, bodies: 3000, sum: sumOf(3000) }],
      );
    });

    test('a target with rows is refused, and its tables are named', async (t) => {
      const { fill, target, ...settings } = await prepare(t);
      await fill(fillEachTable);
      await target.rows(
        `insert into service (name, value) values ('epoch', 'x'); insert into last_seen (user_id, at) values ('x', 1)`,
      );
      const errors =
        'the database of DATABASE_URL is not empty, nothing was copied. Tables with rows: last_seen, service\n';
      assert.deepEqual(await run(settings), { code: 1, output: '', errors });
      assert.deepEqual(await target.rows('select id from users'), []);
    });

    test('a copy that fails, or would not be the same, leaves the target empty', async (t) => {
      const { fill, target, ...settings } = await prepare(t);
      await fill(fillEachTable);
      const isEmpty = async () =>
        assert.deepEqual(await target.rows('select id from users union all select cid from messages'), []);
      await target.rows(`alter table messages add constraint poison check (cid <> 'x')`);
      assert.match((await run(settings)).errors, /violates check constraint "poison"/);
      await isEmpty();
      await target.rows(`alter table messages drop constraint poison;
        create function other() returns trigger language plpgsql as $$ begin new.body = 'other'; return new; end $$;
        create trigger other before insert on messages for each row execute function other()`);
      assert.deepEqual(await run(settings), {
        code: 1,
        output: '',
        errors:
          'the copy differs from the embedded database in: messages (1 rows, 1 in the copy). Did another command write meanwhile?\n',
      });
      await isEmpty();
      await target.rows('drop trigger other on messages');
      assert.equal((await run(settings)).code, 0);
    });

    test('databases with different migrations are refused', async (t) => {
      const { fill, target, ...settings } = await prepare(t);
      await fill((db) => db.run`insert into migrations (name, at, additive) values ('9999-later', 1, 1)`);
      const errors = 'the databases have different tables: one of them alone has 9999-later\n';
      assert.deepEqual(await run(settings), { code: 1, output: '', errors });
    });

    test('a source in use by a server is refused, and settings without a target or a source', async (t) => {
      const { databaseUrl, dataDir } = await prepare(t);
      assert.match(
        (await run({ dataDir, databaseUrl: '' })).errors,
        /^set DATABASE_URL to the address of an empty/,
      );
      assert.match(
        (await run({ dataDir: `${dataDir}/none`, databaseUrl })).errors,
        /^there is no database in .*none: set DATA_DIR\n$/,
      );
      await using _server = lockFolder(dataDir);
      assert.match((await run({ dataDir, databaseUrl })).errors, /^Another Doorman server is running on /);
    });
  });
});

/** Inserts a row into each table of the schema, in which every text without a default is `x`, so that each reference is met, or a state. */
async function fillEachTable(db: SchemaDb): Promise<string[]> {
  const columns = await db.all<{ table: string; column: string; type: string; isSet: number }>`
    select m.name as "table", c.name as "column", lower(c.type) as type, c."notnull" and c.dflt_value is null as "isSet"
    from sqlite_schema m join pragma_table_info(m.name) c
    where m.type = 'table' and m.name not in ('migrations', 'changes') order by m.name`;
  const tables = Map.groupBy(columns, ({ table }) => table);
  await db.changeSchema(async (tx) => {
    await tx.script('pragma defer_foreign_keys = on');
    for (const [table, all] of tables) {
      const set = all.filter(({ isSet }) => isSet);
      const values = set.map(({ column, type }) =>
        column === 'state' ? `'waiting'` : ({ text: `'x'`, blob: `x'00'` }[type] ?? '1'),
      );
      await tx.script(
        `insert into ${table} (${set.map(({ column }) => column).join()}) values (${values.join()})`,
      );
    }
  });
  return [...tables.keys()];
}

const sumOf = (count: number) =>
  Array.from({ length: count }, (_, at) => (at + 1) % 1300).reduce((a, b) => a + b, 0);
