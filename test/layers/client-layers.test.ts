import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../client/src', import.meta.url));

/** The folders of `client/src` and the files beside them. Each imports only rows above its own, types included. */
const LAYERS = [
  ['errors', 'wire', 'timeouts', 'emitter'],
  ['bad-text', 'events'],
  ['storage'],
  ['http'],
  ['session'],
  ['connection'],
  ['messages', 'presence', 'push'],
  ['auth', 'doorman'],
  ['client'],
  ['create-doorman'],
  ['index', 'worker', 'testing'],
];

/** Static imports and exports, of values and types, and dynamic imports. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*(['"])([^'"\n]+)\1/g;

const files = globSync('**/*.ts', { cwd: root });
const imports = new Map(files.map((file) => [file, readImports(file)]));

test('a part of the kit imports only parts below it', () => {
  const rows = new Map(LAYERS.flatMap((parts, row) => parts.map((part) => [part, row] as const)));
  assert.deepEqual([...new Set(files.map(partOf))].sort(), [...rows.keys()].sort());
  const wrong = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => partOf(target) !== partOf(file))
      .filter((target) => (rows.get(partOf(target)) ?? LAYERS.length) >= (rows.get(partOf(file)) ?? 0))
      .map((target) => `${file} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test('no files of the kit import each other in a circle', () => {
  const finished = new Set<string>();
  const findCircle = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' > ');
    if (finished.has(file)) return undefined;
    for (const target of imports.get(file) ?? []) {
      const circle = findCircle(target, [...path, file]);
      if (circle) return circle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of files) assert.equal(findCircle(file, []), undefined);
});

/** The files that a file imports, by their paths in `client/src`. The kit depends on no package. */
function readImports(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(SPECIFIER)].map(([, , specifier = '']) =>
    specifier.startsWith('.') ? join(dirname(file), specifier) : specifier,
  );
}

/** The folder, or the file beside the folders. */
function partOf(path: string): string {
  return path.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}
