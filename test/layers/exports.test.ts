import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { filesOf } from './imports.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The entries of the kit's package: their readers are other programs, and the page. */
const ENTRIES: Record<string, string> = {
  'doorman-client': 'client/src/index.ts',
  'doorman-client/worker': 'client/src/worker.ts',
  'doorman-client/testing': 'client/src/testing.ts',
};
const EXPORT = /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm;
const IMPORT = /\b(?:import|export)\s+(?:type\s+)?([^;'"]*?)\s*from\s+'([^']+)'/g;
const DYNAMIC_IMPORT = /\bimport\(\s*'([^']+)'/g;

/** The names that other files import, as `FILE NAME`; `FILE *` where all are imported, or the file is loaded. */
function findImportedNames(): Set<string> {
  const names = new Set<string>();
  const files = globSync('{src,client,web,test,bench,scripts,docs}/**/*.{ts,tsx,mjs}', {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist'],
  });
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const pathOf = (specifier = '') => ENTRIES[specifier] ?? join(dirname(file), specifier);
    for (const [, clause = '', specifier] of text.matchAll(IMPORT)) {
      if (clause.includes('*')) names.add(`${pathOf(specifier)} *`);
      for (const item of (/\{([^}]*)\}/.exec(clause)?.[1] ?? '').split(','))
        names.add(`${pathOf(specifier)} ${/^\s*(?:type )?(\w*)/.exec(item)?.[1]}`);
    }
    for (const [, specifier] of text.matchAll(DYNAMIC_IMPORT)) names.add(`${pathOf(specifier)} *`);
  }
  return names;
}

test('every export is imported by another file, except those of the kit’s entries', () => {
  const imported = findImportedNames();
  const unused = ['src', 'client/src', 'web/src']
    .flatMap(filesOf)
    .filter((file) => !Object.values(ENTRIES).includes(file) && !imported.has(`${file} *`))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORT)].map(([, name]) => `${file} ${name}`),
    )
    .filter((name) => !imported.has(name));
  assert.deepEqual(unused, []);
});
