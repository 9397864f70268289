import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { exports: entries } = JSON.parse(readFileSync(join(root, 'client/package.json'), 'utf8'));
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*(['"])([^'"\n]+)\1/g;

test('everything outside of the kit and its own tests imports it by its four entries', () => {
  assert.deepEqual(Object.keys(entries), ['.', './server', './worker', './testing']);
  const names = Object.keys(entries).map((entry) => join('doorman-client', entry));
  const sources = '{bench,docs,scripts,src,test,web}/**/*.{ts,tsx,mjs,js}';
  const files = globSync(sources, { cwd: root, exclude: ['web/dist/**', 'test/client/**'] });
  let byName = 0;
  const deep = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(SPECIFIER)].flatMap(([, , specifier = '']) => {
      if (names.includes(specifier)) byName += 1;
      else if (specifier.startsWith('doorman-client') || join(dirname(file), specifier).startsWith('client/'))
        return [`${file}: ${specifier}`];
      return [];
    }),
  );
  assert.deepEqual(deep, []);
  assert.ok(byName > 50, `${byName} imports by name`);
});
