import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { arrowsOf, filesOf, ringsOf, upwards } from './imports.ts';

/** docs/architecture.md 2, from the lowest. A room imports only what stands before it, types included. */
const LAYERS = [
  ['errors', 'log', 'clock'],
  ['clock-steps', 'collections', 'work-loop'],
  ['db', 'limits'],
  ['http'],
  ['config'],
  ['open-database'],
  ['users'],
  ['events'],
  ['inbox', 'frames'],
  ['mail'],
  ['accounts'],
  ['push'],
  ['relations'],
  ['presence'],
  ['pictures'],
  ['chat', 'profiles', 'settings', 'directory', 'reports'],
  ['sync'],
  ['leaving'],
  ['admin'],
  ['sockets'],
  ['nodes'],
  ['health', 'page'],
  ['services'],
  ['app', 'periodic-jobs'],
  ['metrics'],
  ['commands'],
  ['start-errors'],
  ['server-process'],
  ['main', 'cli'],
];
const PUSH = [
  ['schemas'],
  ['webpush'],
  ['subscriptions'],
  ['log'],
  ['quiet'],
  ['decide'],
  ['send'],
  ['request-reach', 'push-services'],
  ['routes'],
];
const MOST_FILES_OF_A_FOLDER = 20;

const arrows = arrowsOf('src');
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const entryOf = (folder: string) => (file: string) =>
  file.startsWith(`${folder}/`)
    ? file
        .slice(folder.length + 1)
        .split('/')[0]
        ?.replace(/\.ts$/, '')
    : undefined;

/** As a type, the record of services may be named by what takes it apart for the rules. */
function takesServices({ from, to }: { from: string; to: string }): boolean {
  return to === 'src/services.ts' && /(?:^|[/-])(?:routes|frames)\.ts$/.test(from);
}

test('imports are found at all', () => {
  assert.ok(arrows.length > 500, String(arrows.length));
  assert.ok(arrows.some(({ from, to }) => from === 'src/main.ts' && to === 'src/server-process.ts'));
  assert.ok(
    arrows.some(({ from, to }) => from === 'src/services.ts' && to === 'src/db/postgres/postgres.ts'),
    'dynamic',
  );
});

test('a room imports only rooms below it', () => {
  const checked = arrows.filter((arrow) => !takesServices(arrow));
  assert.deepEqual(upwards(checked, LAYERS, entryOf('src')), []);
});

test('a folder of push/ imports only folders before it', () => {
  assert.deepEqual(upwards(arrows, PUSH, entryOf('src/push')), []);
});

test('routes and frames publish nothing: the rule that they call does', () => {
  const edges = filesOf('src').filter((file) => /(?:^|[/-])(?:routes|frames)\.ts$/.test(file));
  assert.ok(edges.length > 15, String(edges.length));
  assert.deepEqual(
    edges.filter((file) => /\.publish\b/.test(read(file))),
    [],
  );
});

test('no files import each other in a ring', () => {
  assert.deepEqual(ringsOf(arrows), []);
});

test('the service or its commands need every file, so helpers of tests stand below test/', () => {
  // A worker is loaded by its address, not by an import.
  const workers = filesOf('src').filter((file) => file.endsWith('-worker.ts'));
  const needed = new Set(['src/main.ts', 'src/cli.ts', ...workers]);
  const next = Map.groupBy(arrows, ({ from }) => from);
  for (const file of needed) for (const { to } of next.get(file) ?? []) needed.add(to);
  assert.deepEqual(
    filesOf('src').filter((file) => !needed.has(file)),
    [],
  );
});

test('no folder has more than 20 files without tests', () => {
  const folders = Map.groupBy(filesOf('src'), (file) => file.slice(0, file.lastIndexOf('/')));
  const large = [...folders].filter(([, files]) => files.length > MOST_FILES_OF_A_FOLDER);
  assert.deepEqual(
    large.map(([folder]) => folder).filter((folder) => folder !== 'src/db/migrations'),
    [],
  );
});

test('the services of a process are at most twelve', () => {
  const [, fields = ''] = /^export interface Services \{$(.*?)^\}$/ms.exec(read('src/services.ts')) ?? [];
  const names = [...fields.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name);
  assert.ok(names.includes('chat') && names.length <= 12, names.join(' '));
});

test('what differs between databases is a property of `db`, not its kind', () => {
  const mayTell = /^src\/(?:db|commands|metrics|server-process\.ts)/;
  const telling = filesOf('src').filter((file) => /\bdb\.kind\b/.test(read(file)));
  assert.deepEqual(
    telling.filter((file) => !mayTell.test(file)),
    [],
  );
});
