import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SETTINGS } from '../../src/db/postgres/connection.ts';
import { statements } from '../../src/db/postgres/queries.ts';
import { parametersOf } from '../../src/db/statements.ts';
import { onPostgres } from '../databases.ts';
import { connectPostgres, identifier, type PostgresClient } from '../postgres-client.ts';
import {
  mayScan,
  plainText,
  SCANS_WHILE_SMALL,
  SMALL_TABLES,
  UNINDEXED_FOREIGN_KEYS,
} from './growing-tables.ts';
import { findStatements, isSet, type SourceStatement } from './statements-in-sources.ts';

/** A node of `explain (format json)`, as far as it is read here. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

/** What keeps the order of an index and stops it as soon as a LIMIT above is satisfied. */
const PASSES_ROWS_ON = new Set(['LockRows', 'Subquery Scan', 'Result', 'Nested Loop', 'Incremental Sort']);

/** What is asked is whether an index can answer, not whether it is cheapest at the size of a test. */
const INDEXES_FIRST = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
  // As if all pages were in memory, so that some thousand rows are a large table.
  random_page_cost: '0',
  seq_page_cost: '0',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_generic_plan',
};

onPostgres('query plans', (database) => {
  test('each read of a growing table is by the leading column of an index, or stops at a LIMIT', async (t) => {
    const { sql, leadingColumns } = await open(t);
    assert.deepEqual(await faultsIn(await findStatements(), sql, leadingColumns), []);
  });

  for (const rows of [5_000, 0])
    test(`the service reads no table of ${rows} rows whole for a list or a table`, async (t) => {
      const { sql, leadingColumns } = await open(t, {
        // A bitmap says by which column it reads only in a node below.
        settings: { ...SETTINGS, plan_cache_mode: 'force_generic_plan', enable_bitmapscan: 'off' },
        rows,
      });
      const sets = (await findStatements()).filter(
        (statement) => statement.parts.some(isSet) && !SCANS_WHILE_SMALL.includes(plainText(statement)),
      );
      assert(sets.length > 40, `${sets.length} statements were found`);
      assert.deepEqual(await faultsIn(sets, sql, leadingColumns), []);
    });

  test('a walk through a whole index is recognised, also where it looks like an index scan', async (t) => {
    const { sql, leadingColumns } = await open(t);
    const look = async (text: string) =>
      faultsOf(await planOf(sql, { place: '', strings: [text], parts: [] }), leadingColumns);
    assert.deepEqual(await look("select id from users where bio = 'x'"), ['Seq Scan on users']);
    assert.deepEqual(await look("select user_id, peer_id from friends where peer_id = 'x'"), [
      "Index Only Scan on friends by friends_pkey: (peer_id = 'x'::text)",
    ]);
    assert.deepEqual(await look('select id from users order by id limit 10'), []);
    assert.equal(
      (await look('select count(*) from (select id from users limit 10) as few, users')).length,
      1,
    );
  });

  test('the first column of each foreign key leads an index, but for those that are listed', async (t) => {
    const { sql } = await open(t);
    const rows = await sql.rows<{ key: string }>(`
      select conrelid::regclass || '.' || attname as key
      from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
      where contype = 'f' and not exists (select 1 from pg_index where indrelid = conrelid and indkey[0] = conkey[1])
      order by 1`);
    assert.deepEqual(
      rows.map((row) => row.key),
      Object.keys(UNINDEXED_FOREIGN_KEYS),
    );
  });

  test('every prepared statement runs on when each table gets another column', async (t) => {
    const settings = await database.create(t);
    if (!('databaseUrl' in settings)) throw new Error('no PostgreSQL');
    await using sql = await connectPostgres(settings.databaseUrl);
    const written = (await findStatements()).map((statement) => ({ ...statement, ...write(statement) }));
    const runAll = async () => {
      await sql.rows('begin');
      for (const [at, { place, values }] of written.entries()) {
        const run = sql.rows(`explain execute statement_${at} ${values}`);
        await run.catch((error: Error) => assert.fail(`${place}: ${error.message}`));
      }
      await sql.rows('rollback');
    };
    for (const [at, { text }] of written.entries()) await sql.rows(`prepare statement_${at} as ${text}`);
    await runAll();
    const tables = await sql.rows<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    for (const { name } of tables) await sql.rows(`alter table ${name} add column added bigint`);
    await runAll();
  });

  /** @param options.rows of each table; none: new tables, which the planner has no statistics of */
  async function open(
    t: TestContext,
    options: { settings?: Record<string, string | number>; rows?: number } = {},
  ) {
    const { settings: planner = INDEXES_FIRST, rows: count = 5_000 } = options;
    const settings = await database.create(t);
    if (!('databaseUrl' in settings)) throw new Error('no PostgreSQL');
    const planned = Object.entries(planner).map(
      ([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`,
    );
    const sql = await connectPostgres(settings.databaseUrl, { options: planned.join(' ') });
    t.after(() => sql[Symbol.asyncDispose]());
    if (count > 0) await fillTables(sql, count);
    const rows = await sql.rows<{ name: string; column: string }>(`
      select indexrelid::regclass::text as name, attname as column
      from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]`);
    return { sql, leadingColumns: new Map(rows.map((row) => [row.name, row.column])) };
  }
});

/** Rows of any values, so that the planner takes the tables for large ones. Texts that lead no index have few values, as a status has. */
async function fillTables(sql: PostgresClient, count: number): Promise<void> {
  const constraints = await sql.rows<{ table: string; name: string }>(`
    select conrelid::regclass::text as "table", conname as name from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace`);
  for (const { table, name } of constraints)
    await sql.rows(`alter table ${table} drop constraint ${identifier(name)}`);
  const tables = await sql.rows<{ name: string; values: string }>(`
    select table_name as name,
      string_agg(case when is_nullable = 'YES' then 'null' when data_type = 'bytea' then '''a''' when data_type <> 'text' then 'n' when exists (
          select 1 from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
          where indrelid = table_name::regclass and attname = column_name) then '''v'' || n' else '''v'' || n % 5' end,
        ', ' order by ordinal_position) as values
    from information_schema.columns where table_schema = 'public' group by table_name`);
  await sql.rows(`set session_replication_role = replica`);
  for (const { name, values } of tables)
    await sql.rows(
      `insert into ${name} select ${values} from generate_series(1000, ${1000 + count}) as numbers (n)`,
    );
  await sql.rows(`analyze`);
}

async function faultsIn(
  statements: readonly SourceStatement[],
  sql: PostgresClient,
  leadingColumns: ReadonlyMap<string, string>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const statement of statements) {
    const found = mayScan(statement) ? [] : faultsOf(await planOf(sql, statement), leadingColumns);
    faults.push(...found.map((fault) => `${statement.place}: ${fault}`));
  }
  return faults;
}

async function planOf(sql: PostgresClient, statement: SourceStatement): Promise<PlanNode> {
  const { text, values } = write(statement);
  await sql.rows(`prepare explained as ${text}`);
  const [row] = await sql.rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json) execute explained ${values}`,
  );
  await sql.rows('deallocate explained');
  if (!row) throw new Error('no plan');
  return row['QUERY PLAN'][0].Plan;
}

/** The statement in PostgreSQL's dialect, and null for each parameter. */
function write({ strings, parts }: SourceStatement): { text: string; values: string } {
  const template = Object.assign([...strings], { raw: strings }) as unknown as TemplateStringsArray; // what a tag is given
  const { text } = statements.of(template, parts);
  const nulls = parametersOf(parts).map(() => 'null');
  return { text, values: nulls.length > 0 ? `(${nulls.join(', ')})` : '' };
}

/** @param limited whether a LIMIT above takes rows in the order in which this node finds them */
function faultsOf(node: PlanNode, leadingColumns: ReadonlyMap<string, string>, limited = false): string[] {
  const type = node['Node Type'];
  const own = isBounded(node, leadingColumns, limited) ? [] : [describeNode(node)];
  const goesOn = type === 'Limit' || (limited && PASSES_ROWS_ON.has(type));
  // Of a join only the outer side is read as far as the LIMIT needs; the inner one is read whole for each of its rows.
  const inner = (node.Plans ?? []).map((plan, i) => faultsOf(plan, leadingColumns, goesOn && i === 0));
  return [...own, ...inner.flat()];
}

function isBounded(node: PlanNode, leadingColumns: ReadonlyMap<string, string>, limited: boolean): boolean {
  const table = node['Relation Name'];
  if (table === undefined || SMALL_TABLES.has(table) || node['Node Type'] === 'ModifyTable') return true;
  const index = node['Index Name'];
  if (index === undefined) return false;
  if (limited) return true;
  // The indexed column stands on the left of each comparison.
  const column = leadingColumns.get(index);
  return new RegExp(`(^|\\()(ROW\\()?${column}(,| )`).test(node['Index Cond'] ?? '');
}

function describeNode(node: PlanNode): string {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition } = node;
  return `${type} on ${table}${index ? ` by ${index}: ${condition ?? 'no condition'}` : ''}`;
}
