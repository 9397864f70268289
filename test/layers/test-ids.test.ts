import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const page = join(import.meta.dirname, '../../web/src');
/** Browser tests find elements by these ids, also tests that are kept elsewhere: none is renamed or dropped. */
const list = join(import.meta.dirname, 'test-ids.txt');

/** As an attribute or a property, also in a condition. */
const TEST_ID =
  /\b(?:data-testid|testId)['"]?\s*[=:]\s*\{?(?:[^{}<>;"'`?]*\?[^{}<>;"'`]*:\s*)?(["'`])([^"'`\n]+)\1/g;

test('the test ids of the page are those of test-ids.txt', () => {
  const found = globSync('**/*.tsx', { cwd: page }).flatMap((file) =>
    // `<>` stands for what is filled in.
    [...readFileSync(join(page, file), 'utf8').matchAll(TEST_ID)].map(([, , id = '']) =>
      id.replaceAll(/\$\{[^}]*\}/g, '<>'),
    ),
  );
  assert.deepEqual([...new Set(found)].sort(), readFileSync(list, 'utf8').trim().split('\n'));
});
