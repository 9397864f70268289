import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const mantine = dirname(fileURLToPath(import.meta.resolve('@mantine/core')));
const pageSources = join(import.meta.dirname, '../..');

test('only the fields are Mantine’s, and fields.tsx gives them what they need around them', () => {
  const others = globSync('**/*.tsx', { cwd: pageSources }).filter((file) =>
    readFileSync(join(pageSources, file), 'utf8').includes(" from '@mantine/core'"),
  );
  assert.deepEqual(others, ['ui/fields/fields.tsx']);
});

test('fields.css brings the styles of the fields that the page uses, and of no others', () => {
  const source = readFileSync(join(import.meta.dirname, 'fields.tsx'), 'utf8');
  const names = [...source.matchAll(/(\w+) as Mantine\w+/g)].map(([, name = '']) => name);
  const wanted = new Set<string>();
  const seen = new Set<string>();
  for (const name of names) collect(join(mantine, `components/${name}/${name}.mjs`), wanted, seen);
  assert.ok(wanted.has('UnstyledButton') && wanted.has('Input'), [...wanted].join());

  const css = readFileSync(join(import.meta.dirname, 'fields.css'), 'utf8');
  const brought = [...css.matchAll(/styles\/([\w-]+)\.css/g)].map(([, name = '']) => name);
  assert.deepEqual(brought.sort(), [...wanted].sort());
});

/** The names of the style sheets of a component and of all it is made of. */
function collect(file: string, sheets: Set<string>, seen: Set<string>): void {
  if (seen.has(file) || !existsSync(file)) return;
  seen.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from "(\.[^"]+)"/g)) {
    const sheet = /([\w-]+)\.module\.mjs$/.exec(path)?.[1];
    if (sheet) sheets.add(sheet);
    else collect(resolve(dirname(file), path), sheets, seen);
  }
}
