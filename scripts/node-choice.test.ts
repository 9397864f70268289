import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

// A script without types.
const { findNodeFault, removeUnusableNode } = await import(
  new URL('./node-choice.mjs', import.meta.url).href
);

/** A folder `node_modules/.bin` whose `node` is a program of this text. */
async function makeBin(t: TestContext, program?: string): Promise<string> {
  const bin = await mkdtemp(join(tmpdir(), 'doorman-node-'));
  t.after(() => rm(bin, { recursive: true }));
  if (program !== undefined) await writeFile(join(bin, 'node'), program, { mode: 0o755 });
  return bin;
}

test('the Node of the lock file is used where it runs, whatever the own one is', async (t) => {
  const bin = await makeBin(t);
  await symlink(process.execPath, join(bin, 'node'));
  assert.equal(removeUnusableNode(bin), undefined);
  assert.equal(existsSync(join(bin, 'node')), true);
  assert.equal(findNodeFault(bin, '20.19.0'), undefined);
});

const unusable = {
  // The kernel answers the same for an ELF file whose loader is missing.
  'a Node of another C library': ['#!/lib/ld-linux-of-nowhere.so\n', 'it is made for another C library'],
  'a Node without a library': [
    '#!/bin/sh\necho "node: libatomic.so.1: cannot open shared object file" >&2; exit 127\n',
    'node: libatomic.so.1: cannot open shared object file',
  ],
};
for (const [name, [program = '', reason = '']] of Object.entries(unusable))
  test(`${name} is removed: from 24 on the own one is used, else one line says what to do`, async (t) => {
    const bin = await makeBin(t, program);
    assert.equal(removeUnusableNode(bin), reason);
    assert.equal(existsSync(join(bin, 'node')), false);
    assert.equal(findNodeFault(bin, '24.0.0', reason), undefined);
    assert.equal(
      findNodeFault(bin, '22.21.1', reason),
      `Install Node.js 24 or later: the Node that npm installs does not run on this machine (${reason}), and its own is 22.21.1.`,
    );
  });

test('where the lock file has no Node for the machine, the own one is used', async (t) => {
  const bin = await makeBin(t);
  assert.equal(removeUnusableNode(bin), undefined);
  assert.equal(findNodeFault(bin, '26.1.0'), undefined);
  assert.equal(
    findNodeFault(bin, '20.19.0'),
    'Install Node.js 24 or later: the Node that npm installs does not run on this machine, and its own is 20.19.0.',
  );
});
