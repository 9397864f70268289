import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const VERSION_OF_OWN_NODE =
  'data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.21.1" } })';
/** In place of npm: installs a Node that is this program. */
const NPM = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  mkdirSync('node_modules/.bin', { recursive: true });
  writeFileSync('node_modules/.bin/node', process.env.INSTALLED_NODE, { mode: 0o755 });`;

test('where no Node can run the service, each set-up says why, until what was missing is there', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-setup-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const script of [
    'setup.mjs',
    'node-choice.mjs',
    'page-build.mjs',
    'asyncapi-build.mjs',
    'sources.mjs',
  ])
    await cp(join(import.meta.dirname, script), join(folder, 'scripts', script));
  await writeFile(join(folder, 'package-lock.json'), '{}');
  await writeFile(join(folder, 'npm.mjs'), NPM);
  const setUp = (program: string) =>
    spawnSync(process.execPath, ['--import', VERSION_OF_OWN_NODE, 'scripts/setup.mjs', '--no-page'], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        npm_execpath: join(folder, 'npm.mjs'),
        npm_node_execpath: process.execPath,
        INSTALLED_NODE: `#!/bin/sh\n${program}\n`,
      },
    });
  for (const run of ['first', 'second']) {
    const { status, stderr } = setUp(
      'echo "node: libatomic.so.1: cannot open shared object file" >&2; exit 127',
    );
    assert.equal(status, 1, run);
    assert.match(stderr, /^Install Node\.js 24 or later: .*libatomic/m, run);
  }
  for (const said of ['Installing packages (once) ...\n', '']) {
    const { status, stderr } = setUp('exit 0');
    assert.deepEqual([status, stderr], [0, said]);
  }
});
