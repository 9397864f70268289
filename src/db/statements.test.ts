import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Part } from './db.ts';
import { asTable, forKeyShare, forUpdate, indexOf, inList, nowMs, skipLocked } from './fragments.ts';
import { type Dialect, parametersByRow, parametersOf, Statements } from './statements.ts';

const dialect: Dialect = {
  parameter: (number) => `$${number}`,
  list: (parameter) => `(list ${parameter})`,
  table: (columns, next) => `(table ${next()} as ${Object.keys(columns).join(', ')})`,
  inserted: (columns, next) => `(values ${next()} of ${Object.keys(columns).join(', ')})`,
  limit: (parameter) => `(limit ${parameter})`,
  keywords: {
    [forUpdate]: 'for update',
    [forKeyShare]: 'for key share',
    [skipLocked]: 'for update skip locked',
    [nowMs]: 'now()',
    [indexOf]: 'position',
  },
};

function template(strings: TemplateStringsArray, ...parts: Part[]): [TemplateStringsArray, Part[]] {
  return [strings, parts];
}

test('values and lists become numbered parameters, fragments become text', () => {
  const statements = new Statements(dialect);
  const [strings, parts] =
    template`select a from t where b = ${1} and c in ${inList(['x', 'y'])} and d = ${'z'} ${skipLocked}`;
  assert.equal(
    statements.of(strings, parts).text,
    'select a from t where b = $1 and c in (list $2) and d = $3 for update skip locked',
  );
  assert.deepEqual(parametersOf(parts), [1, '["x","y"]', 'z']);
});

test('a keyword is written as the dialect has it, and a text as it is', () => {
  const textOf = (part: Part) => new Statements(dialect).of(...template`select ${part} from t`).text;
  const parts: Part[] = [nowMs, { text: 'nowMs' }, forUpdate, skipLocked, indexOf, nowMs];
  assert.deepEqual(
    parts.map(textOf).map((text) => text.slice(7, -7)),
    ['now()', 'nowMs', 'for update', 'for update skip locked', 'position', 'now()'],
  );
  assert.deepEqual(parametersOf(parts), []);
});

const columns = { id: 'text', n: 'bigint' } as const;

test('a table becomes one parameter, whose columns are part of the statement', () => {
  const statements = new Statements(dialect);
  const [strings, parts] =
    template`select n from ${asTable(columns, [{ id: 'a', n: 1 }])} as wanted where id <> ${'b'}`;
  assert.equal(
    statements.of(strings, parts).text,
    'select n from (table $1 as id, n) as wanted where id <> $2',
  );
  assert.deepEqual(parametersOf(parts), ['[{"id":"a","n":1}]', 'b']);
});

test('a table directly behind `insert into` becomes columns and values', () => {
  const statements = new Statements(dialect);
  const [strings, parts] =
    template`insert into t ${asTable(columns, [])} on conflict (id) do update set n = ${1}`;
  assert.equal(
    statements.of(strings, parts).text,
    'insert into t (values $1 of id, n) on conflict (id) do update set n = $2',
  );
});

test('where a statement runs once for each row, each run has all parameters', () => {
  const rows = [
    { id: 'a', n: 1 },
    { id: 'b', n: null },
  ];
  const [, parts] =
    template`select ${3} from ${asTable(columns, rows)} as wanted where id in ${inList(['x'])}`;
  assert.deepEqual(parametersByRow(parts), [
    [3, 'a', 1, '["x"]'],
    [3, 'b', null, '["x"]'],
  ]);
  assert.deepEqual(parametersByRow([3, asTable(columns, [])]), []);
  assert.deepEqual(parametersByRow([3, 'a']), [[3, 'a']]);
});

test('a parameter after limit becomes the expression of the dialect', () => {
  const statements = new Statements(dialect);
  const textOf = (...[strings, parts]: ReturnType<typeof template>) => statements.of(strings, parts).text;
  assert.equal(
    textOf(...template`select a from t where b = ${1} LIMIT ${2} offset ${3}`),
    'select a from t where b = $1 LIMIT (limit $2) offset $3',
  );
  assert.equal(
    textOf(...template`select limits from t where limits = ${1}`),
    'select limits from t where limits = $1',
  );
});

test('a template is built once', () => {
  const statements = new Statements(dialect);
  const statementWith = (part: Part) => statements.of(...template`select ${part}`);
  const first = statementWith(1);
  assert.equal(first.text, 'select $1');
  assert.equal(statementWith('a'), first);
});

test('a statement reads if it begins with select or with', () => {
  const statements = new Statements(dialect);
  const reads = (...[strings, parts]: ReturnType<typeof template>) => statements.of(strings, parts).reads;
  assert.equal(reads(template`select 1`[0], []), true);
  assert.equal(reads(template`\n  WITH a as (select 1) select * from a`[0], []), true);
  assert.equal(reads(template`selection`[0], []), false);
  assert.equal(reads(template`insert into t select 1`[0], []), false);
});

test('an invalid parameter is refused with its position', () => {
  const refused: [unknown, string][] = [
    [undefined, 'parameter 2 of the statement is undefined'],
    [true, 'parameter 2 of the statement is a boolean'],
    [1n, 'parameter 2 of the statement is a bigint'],
    [Number.NaN, 'parameter 2 of the statement is NaN'],
    [Number.POSITIVE_INFINITY, 'parameter 2 of the statement is Infinity'],
    [new Date(0), 'parameter 2 of the statement is an object (Date)'],
    [{}, 'parameter 2 of the statement is an object (Object)'],
    [['a'], 'parameter 2 of the statement is an object (Array)'],
    [Object.create(null), 'parameter 2 of the statement is an object (no class)'],
    [Symbol('nowMs'), 'parameter 2 of the statement is a symbol'],
    [() => 'a', 'parameter 2 of the statement is a function'],
    ['a\u0000b', 'parameter 2 of the statement is a string with U+0000'],
    ['a\ud83d', 'parameter 2 of the statement is a string with half a surrogate pair'],
    [{ list: ['a', 1] }, 'parameter 2 of the statement is a list with a number in it'],
    [
      { columns, rows: [{ id: 'a', n: Number.NaN }] },
      'parameter 2 of the statement has rows with NaN in "n"',
    ],
    [{ columns, rows: [{ id: 'a' }] }, 'parameter 2 of the statement has rows with undefined in "n"'],
    [
      { columns, rows: [{ id: '\ud800', n: 1 }] },
      'parameter 2 of the statement is a string with half a surrogate pair',
    ],
    [{ list: ['a', '\u0000'] }, 'parameter 2 of the statement is a string with U+0000'],
  ];
  for (const [part, message] of refused) {
    // Types forbid these parts.
    assert.throws(() => parametersOf(['fine', part as Part]), { name: 'TypeError', message });
  }
});

test('strings, finite numbers, null and bytes are passed unchanged', () => {
  const parts = ['', '😀', -1.5, 0, 2 ** 53 - 1, null, new Uint8Array([0, 255])];
  assert.deepEqual(parametersOf(parts), parts);
});
