import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { arrowsOf, filesOf, ringsOf, upwards } from './imports.ts';

/** The folders of `client/src` and the files beside them, from the lowest. Types count too. */
const LAYERS = [
  ['errors', 'wire', 'timeouts', 'emitter', 'avatar-url'],
  ['bad-text', 'events'],
  ['storage'],
  ['http'],
  ['session'],
  ['connection'],
  ['messages', 'presence', 'push'],
  ['auth', 'backend', 'doorman'],
  ['client'],
  ['create-doorman'],
  ['index', 'server', 'worker', 'testing'],
];

const KIT = 'client/src';
const arrows = arrowsOf(KIT);

function partOf(file: string): string | undefined {
  return file.startsWith(`${KIT}/`)
    ? file
        .slice(KIT.length + 1)
        .split('/')[0]
        ?.replace(/\.ts$/, '')
    : undefined;
}

test('imports are found at all, and each part of the kit has its layer', () => {
  assert.ok(arrows.length > 100, String(arrows.length));
  const parts = new Set(filesOf(KIT).map(partOf));
  assert.deepEqual([...parts].sort(), LAYERS.flat().sort());
});

test('a part of the kit imports only parts below it', () => {
  assert.deepEqual(upwards(arrows, LAYERS, partOf), []);
});

test('no files of the kit import each other in a ring', () => {
  assert.deepEqual(ringsOf(arrows), []);
});

test('the kit imports nothing from outside of its sources', () => {
  assert.deepEqual(
    arrows.filter(({ to }) => partOf(to) === undefined),
    [],
  );
  const packages = filesOf(KIT).filter((file) =>
    /(?:\bfrom|\bimport)\s*\(?\s*['"][^.'"]/.test(
      readFileSync(join(import.meta.dirname, '../..', file), 'utf8'),
    ),
  );
  assert.deepEqual(packages, []);
});
