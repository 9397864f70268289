import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const mantine = dirname(fileURLToPath(import.meta.resolve('@mantine/core')));
const pageSources = join(import.meta.dirname, '..');

test('mantine.css brings the styles of the components that the page uses, and of no others', () => {
  const used = new Set<string>();
  for (const file of globSync('**/*.tsx', { cwd: pageSources })) {
    const text = readFileSync(join(pageSources, file), 'utf8');
    for (const [, names = ''] of text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g))
      for (const name of names.split(',')) used.add(name.trim());
  }
  const wanted = new Set(['baseline', 'global']);
  const seen = new Set<string>();
  for (const name of used) collect(join(mantine, `components/${name}/${name}.mjs`), wanted, seen);
  assert.ok(wanted.has('Button') && wanted.has('UnstyledButton') && wanted.has('Input'), [...wanted].join());

  const css = readFileSync(join(import.meta.dirname, 'mantine.css'), 'utf8');
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
