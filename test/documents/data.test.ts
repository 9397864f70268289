import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describeMigrations } from '../../src/commands/checks/described-schema.ts';
import { WITHOUT_ERASED_USERS } from '../../src/commands/checks/erased.ts';
import { readDataDocument } from '../data-document.ts';

test('docs/data.md has a line for each column of each table and no other', async () => {
  const { lines } = await describeMigrations();
  const stored = [...lines].flatMap((line) => /^the column (\w+\.\w+) /.exec(line)?.[1] ?? []);
  const described = readDataDocument().columns.map(({ table, column }) => `${table}.${column}`);
  assert.deepEqual(
    stored.filter((column) => !described.includes(column)),
    [],
    'columns without a line: say what they hold, about whom, for how long, and what becomes of it when the user is erased',
  );
  assert.deepEqual(
    described.filter((column) => !stored.includes(column)),
    [],
    'lines without a column',
  );
  assert.equal(new Set(described).size, described.length, 'a column has one line');
});

test('docs/data.md says of each table about whom it is and for how long it is kept, and of each column what erasing does', () => {
  const { tables, columns } = readDataDocument();
  const vague = tables.filter(({ lead }) => !(/\bAbout \w/.test(lead) && /\bKept \w/.test(lead)));
  assert.deepEqual(vague, []);
  const effects = /^(removed|emptied|reset|stays|of no one|becomes)\b/;
  assert.deepEqual(
    columns.filter(({ holds, erased }) => holds === '' || !effects.test(erased)),
    [],
  );
  const text = readFileSync('docs/data.md', 'utf8');
  for (const word of ['removed', 'emptied', 'reset', 'stays', 'of no one'])
    assert.match(text, new RegExp(`^\\| ${word} \\| `, 'm'), 'the page explains its words');
});

test('the command check looks for rows of erased users in the tables from which docs/data.md says that they are removed', () => {
  const { tables, columns } = readDataDocument();
  const removed = tables.flatMap(({ table, lead }) => {
    const [, about = ''] = /\bAbout .*?`(\w+)`/.exec(lead) ?? [];
    const isRemoved = columns.some(
      (one) => one.table === table && one.column === about && /^removed\b/.test(one.erased),
    );
    return isRemoved ? [[table, about]] : [];
  });
  // Rows of `name_keys` are found by `users.keyed_names`; `api_key_sessions` goes with its session by a foreign key.
  const found = removed.filter(([table = '']) => !['api_key_sessions', 'name_keys'].includes(table));
  const { reports: _, ...checked } = WITHOUT_ERASED_USERS;
  assert.deepEqual(Object.fromEntries(found), checked);
});
