import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SchemaDb } from '../../src/db/db.ts';
import { asTable, type TableColumns } from '../../src/db/fragments.ts';
import { onSqlite } from '../databases.ts';
import {
  ALLOWED_SCANS,
  mayScan,
  plainText,
  SCANS_WHILE_SMALL,
  SMALL_TABLES,
  UNINDEXED_FOREIGN_KEYS,
} from './growing-tables.ts';
import { findStatements, type SourceStatement } from './statements-in-sources.ts';

const statements = await findStatements();

onSqlite('query plans', (database) => {
  test('no statement reads a growing table from end to end, nor the children of its foreign keys', async (t) => {
    const db = await database.open(t);
    const scans: string[] = [];
    for (const statement of statements) {
      // Asks PostgreSQL about itself.
      if (statement.place.startsWith('src/db/postgres/')) continue;
      const found = mayScan(statement) ? [] : await scansOf(db, statement);
      scans.push(...found.map((scan) => `${statement.place}: ${scan}`));
    }
    assert.deepEqual(scans, []);
  });

  test('a page of keys of names begins at its cursor, however many keys lie before it', async (t) => {
    const db = await database.open(t);
    const read = statements.filter((statement) =>
      /^select .* from name_keys where/.test(plainText(statement)),
    );
    assert.deepEqual(await Promise.all(read.map((statement) => detailsOf(db, statement))), [
      ['SEARCH name_keys USING PRIMARY KEY ((key,user_id)>(?,?) AND key<?)'],
    ]);
  });

  test('a scan is recognised, also of the child of a foreign key', async (t) => {
    const db = await database.open(t);
    const bad = (text: string): SourceStatement => ({ place: '', strings: [text], parts: [] });
    assert.deepEqual(await scansOf(db, bad('select id from users where bio = 1')), ['SCAN users']);
    const children = await scansOf(db, bad('update users set id = id where id = 1'));
    assert(children.some((scan) => scan.startsWith('SCAN friends')));
  });

  test('the first column of each foreign key leads an index, but for those that are listed', async (t) => {
    const db = await database.open(t);
    const rows = await db.all<{ key: string }>`
      select m.name || '.' || f."from" as key from sqlite_schema m, pragma_foreign_key_list(m.name) f
      where m.type = 'table' and f.seq = 0 and not exists (
        select 1 from pragma_index_list(m.name) l, pragma_index_info(l.name) i where i.seqno = 0 and i.name = f."from")
      order by key`;
    assert.deepEqual(
      rows.map((row) => row.key),
      Object.keys(UNINDEXED_FOREIGN_KEYS),
    );
  });
});

test('every statement of the sources is looked at, and each exception is one of them', () => {
  assert(statements.length > 100, `${statements.length} statements were found`);
  const texts = statements.map(plainText);
  for (const allowed of [...Object.keys(ALLOWED_SCANS), ...SCANS_WHILE_SMALL])
    assert(
      texts.some((text) => text.includes(allowed)),
      allowed,
    );
});

test('no statement names its columns by `*`, which breaks when a newer version adds one', () => {
  const star = /\b(select|distinct|returning) \*|[.,] ?\*/;
  assert.match('select a.* from users a', star);
  assert.doesNotMatch('select count(*), n * 2 from users', star);
  for (const statement of statements) assert.doesNotMatch(plainText(statement), star, statement.place);
});

test('no statement deletes a user or writes users.id, which would look for children', () => {
  for (const statement of statements)
    assert.doesNotMatch(
      plainText(statement),
      /^(delete from users\b|update users set (.*, )?id =)/,
      statement.place,
    );
});

function nullsOf(columns: TableColumns): Record<string, null> {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, null]));
}

async function detailsOf(db: SchemaDb, { strings, parts }: SourceStatement): Promise<string[]> {
  const explained = [`explain query plan ${strings[0]}`, ...strings.slice(1)];
  const template = Object.assign(explained, { raw: explained }) as unknown as TemplateStringsArray; // what a tag is given
  // A statement runs once for each row of a table.
  const values = parts.map((part) =>
    typeof part === 'object' && part && 'rows' in part
      ? asTable(part.columns, [nullsOf(part.columns)])
      : part,
  );
  return (await db.all<{ detail: string }>(template, ...values)).map((row) => row.detail);
}

async function scansOf(db: SchemaDb, statement: SourceStatement): Promise<string[]> {
  const details = await detailsOf(db, statement);
  const made = details.map((detail) => /^(?:MATERIALIZE|CO-ROUTINE) (\w+)/.exec(detail)?.[1]);
  return details.filter((detail) => {
    const name = /^SCAN (\w+)/.exec(detail)?.[1];
    if (name === undefined || SMALL_TABLES.has(name) || made.includes(name)) return false;
    return !/VIRTUAL TABLE|VALUES CLAUSE/.test(detail) && name !== 'CONSTANT';
  });
}
