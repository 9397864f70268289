import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PAGE_PATHS } from './page-paths.ts';

interface Picture {
  src: string;
  sizes: string;
  type: string;
  form_factor?: string;
  label?: string;
}

const folder = join(import.meta.dirname, '../../web/public');
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.webmanifest'), 'utf8'));
const screenshots: Picture[] = manifest.screenshots;

test('the files of the manifest have the sizes and types that it names', () => {
  const pictures: Picture[] = [...manifest.icons, ...manifest.shortcuts[0].icons, ...screenshots];
  for (const { src, sizes, type } of pictures.filter((one) => one.type !== 'image/svg+xml')) {
    assert.deepEqual(describePicture(readFileSync(join(folder, src))), { type, sizes }, src);
  }
});

test('one screenshot is wide and one narrow, as browsers show them: labelled, of 320 to 3,840 pixels, at most 2.3 times as long', () => {
  assert.deepEqual(
    screenshots.map((one) => one.form_factor),
    ['wide', 'narrow'],
  );
  for (const { src, sizes, label, form_factor } of screenshots) {
    const [width = 0, height = 0] = sizes.split('x').map(Number);
    const [short, long] = width < height ? [width, height] : [height, width];
    assert.ok(short >= 320 && long <= 3_840 && long / short <= 2.3, sizes);
    assert.equal(width > height, form_factor === 'wide');
    assert.ok(label);
    assert.ok(readFileSync(join(folder, src)).length < 60_000, src);
  }
});

test('shortcuts and shared texts lead to a path of the page', () => {
  const paths = [manifest.start_url, manifest.share_target.action, manifest.shortcuts[0].url];
  assert.deepEqual(paths, ['/', '/new', '/new']);
  for (const path of paths) assert.ok(PAGE_PATHS.includes(path), path);
  assert.equal(manifest.share_target.method, 'GET');
  assert.deepEqual(manifest.share_target.params, { title: 'title', text: 'text', url: 'url' });
});

/** By the head of a PNG (its IHDR) or of a WebP (RFC 9649), whose picture is lossy, lossless or extended. */
function describePicture(bytes: Buffer): { type: string; sizes: string } {
  if (bytes.toString('latin1', 1, 4) === 'PNG')
    return { type: 'image/png', sizes: `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}` };
  assert.equal(bytes.toString('latin1', 8, 12), 'WEBP');
  return { type: 'image/webp', sizes: sizesOfWebp(bytes) };
}

function sizesOfWebp(bytes: Buffer): string {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return `${bytes.readUInt16LE(26) & 0x3fff}x${bytes.readUInt16LE(28) & 0x3fff}`;
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return `${(bits & 0x3fff) + 1}x${((bits >> 14) & 0x3fff) + 1}`;
    }
    default:
      return `${bytes.readUIntLE(24, 3) + 1}x${bytes.readUIntLE(27, 3) + 1}`;
  }
}
