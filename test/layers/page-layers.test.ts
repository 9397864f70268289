import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../web/src', import.meta.url));

/** The parts of `web/src`. Each imports only rows above its own, types included. */
const LAYERS = [
  ['paths.ts', 'stored.ts'],
  ['worker'],
  ['i18n', 'data'],
  ['ui'],
  ['features/auth', 'features/account'],
  ['features/contacts'],
  ['features/chat'],
  ['features/notifications'],
  ['app'],
];

/** The folders of each feature, `.` being its own files. Each imports only rows above its own, types included. */
const FEATURE_LAYERS: Record<string, readonly string[]> = {
  'features/auth': ['.', 'links'],
  'features/account': ['model', 'confirm', 'address', 'leaving', 'log', 'privacy', 'picture', '.'],
  'features/contacts': ['model', 'list', 'report', 'person', 'friends', 'directory'],
  'features/chat': [
    'messages',
    'model',
    'text',
    'scrolling',
    'message-parts',
    'emoji-picker',
    'message-menu',
    'conversation-menu',
    'requests',
    'pictures',
    'thread',
    'search',
    'conversations',
  ],
  'features/notifications': ['log', 'quiet', '.'],
};

/** Of the worker, the page knows only the messages that the two exchange. */
const KNOWN_OF_WORKER = 'worker/messages.ts';
const MAX_FILES = 20;

/** Static imports and exports, of values and types, and dynamic imports. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*(['"])(\.[^'"\n]+)\1/g;

const files = globSync('**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !/\.test\.ts$|(^|\/)test-/.test(file),
);
const imports = new Map(files.map((file) => [file, readImports(file)]));

test('a part of the page imports only parts below it', () => {
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

for (const [feature, rows] of Object.entries(FEATURE_LAYERS))
  test(`a folder of ${feature} imports only folders below it`, () => {
    const rowOf = (path: string) => rows.indexOf(dirname(relative(feature, path)));
    const own = [...imports].filter(([file]) => partOf(file) === feature);
    assert.deepEqual(
      [...new Set(own.map(([file]) => rowOf(file)))].sort((a, b) => a - b),
      [...rows.keys()],
    );
    const wrong = own.flatMap(([file, targets]) =>
      targets
        .filter((target) => partOf(target) === feature && rowOf(target) > rowOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

test('the page knows of its worker only the messages between them', () => {
  const known = [...imports]
    .filter(([file]) => partOf(file) !== 'worker')
    .flatMap(([, targets]) => targets.filter((target) => partOf(target) === 'worker'));
  assert.deepEqual([...new Set(known)], [KNOWN_OF_WORKER]);
});

test('no files of the page import each other in a circle', () => {
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

test(`no folder of the page has more than ${MAX_FILES} files, tests and styles apart`, () => {
  const folders = Map.groupBy(files, (file) => dirname(file));
  const large = [...folders].filter(([, { length }]) => length > MAX_FILES);
  assert.deepEqual(
    large.map(([folder, { length }]) => `${folder}: ${length}`),
    [],
  );
});

/** The files that a file imports, by their paths in `web/src`; packages apart. */
function readImports(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(SPECIFIER)].map(([, , specifier = '']) => join(dirname(file), specifier));
}

/** The texts of a feature lie beside it, and are a part of i18n. */
function partOf(path: string): string {
  if (/\.(?:en|zh)\.ts$/.test(path)) return 'i18n';
  return path.split('/', path.startsWith('features/') ? 2 : 1).join('/');
}
