import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chunksOf } from '../../scripts/animated-webp.ts';

const ROOT = new URL('../../', import.meta.url);

test('the README has a recording of 8 to 15 s in at most 1 MB, and a still for reduced motion', () => {
  const readme = readFileSync(new URL('README.md', ROOT), 'utf8');
  const [, path = '', alt = ''] = /<img src="([^"]*recording[^"]*)" alt="([^"]*)"/.exec(readme) ?? [];
  assert.ok(alt.length > 40, 'it says what can be seen');
  assert.match(
    readme,
    /<source media="\(prefers-reduced-motion: reduce\)" srcset="docs\/pictures\/\w+\.webp"/,
  );
  const bytes = readFileSync(new URL(path, ROOT));
  assert.ok(bytes.length <= 1_000_000, `${bytes.length} bytes`);
  assert.equal(bytes.readUInt32LE(4) + 8, bytes.length);
  const chunks = chunksOf(bytes, 12);
  assert.deepEqual(
    chunks.slice(0, 2).map(({ name }) => name),
    ['VP8X', 'ANIM'],
  );
  const frames = chunks.filter(({ name }) => name === 'ANMF');
  const ms = frames.reduce((sum, { body }) => sum + body.readUIntLE(12, 3), 0);
  assert.ok(frames.length > 10 && ms >= 8_000 && ms <= 15_000, `${frames.length} frames, ${ms} ms`);
});
