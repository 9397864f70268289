import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const SOURCES = {
  'package.json': '{"type":"module"}',
  'package-lock.json': '{}',
  'src/accounts/common-passwords.txt': '123456',
  'docs/protocol.md': '# The socket',
  'scripts/asyncapi-messages.ts': '',
  'scripts/protocol-examples.ts': '',
  'scripts/asyncapi.ts': `import { readFileSync } from 'node:fs';
    export const describeSocket = () => readFileSync('docs/protocol.md', 'utf8');`,
  'client/src/kit.ts': `export const words: string = '${'many words '.repeat(200)}';`,
  'web/index.html': '<!doctype html><title>A page</title><script type="module" src="/src/main.ts"></script>',
  'web/public/note.txt': 'as it is',
  'web/src/main.ts': `import { words } from '../../client/src/kit.ts';
    document.title = words + process.env.NODE_ENV;`,
  'web/vite.config.ts': `import { defineConfig } from 'vite';
    export default defineConfig({ root: import.meta.dirname });`,
};

test('the first set-up builds the page with its compressed forms, the second one does nothing', async (t) => {
  const site = await start(t);
  const { stderr } = await site.setUp();
  assert.equal(stderr, 'Building the page (once) ...\n');
  assert.equal(await site.dist('note.txt'), 'as it is');
  assert.match(await site.dist('asyncapi.yaml'), /\n# The socket$/);
  const script =
    (await readdir(join(site.folder, 'web/dist/assets'))).find((name) => name.endsWith('.js')) ?? '';
  const bytes = await readFile(join(site.folder, 'web/dist/assets', script));
  const small = async (form: string) => readFile(join(site.folder, 'web/dist/assets', `${script}${form}`));
  assert.deepEqual(brotliDecompressSync(await small('.br')), bytes);
  assert.deepEqual(gunzipSync(await small('.gz')), bytes);
  assert.ok((await small('.br')).length < bytes.length / 4);
  assert.match(bytes.toString(), /many words/);
  // It is too small to be compressed.
  assert.ok(!(await readdir(join(site.folder, 'web/dist'))).includes('index.html.br'));

  const { ino } = await stat(join(site.folder, 'web/dist'));
  assert.equal((await site.setUp()).stderr, '');
  assert.equal((await stat(join(site.folder, 'web/dist'))).ino, ino);
});

test('it is built for production, whatever the environment says', async (t) => {
  const site = await start(t);
  await site.setUp({ NODE_ENV: 'development' });
  const [script = ''] = await readdir(join(site.folder, 'web/dist/assets'));
  const built = await site.dist(`assets/${script}`);
  assert.match(built, /production/);
  assert.doesNotMatch(built, /development|process\.env/);
});

test('a change of any source builds it again, a change of a test does not', async (t) => {
  const site = await start(t);
  await site.setUp();
  await site.write('web/src/main.test.ts', 'changed');
  await site.write('client/src/kit.test.ts', 'changed');
  assert.equal((await site.setUp()).stderr, '');
  const changes = {
    'web/src/more.css': 'changed',
    'web/public/note.txt': 'changed',
    'web/index.html': `${SOURCES['web/index.html']}changed`,
    'src/accounts/common-passwords.txt': 'password',
    'client/src/kit.ts': `${SOURCES['client/src/kit.ts']}// changed`,
  };
  for (const [path, content] of Object.entries(changes)) {
    await site.write(path, content);
    assert.equal((await site.setUp()).stderr, 'Building the page (once) ...\n', path);
  }
  assert.equal(await site.dist('note.txt'), 'changed');
  await rm(join(site.folder, 'web/dist'), { recursive: true });
  assert.equal((await site.setUp()).stderr, 'Building the page (once) ...\n');
});

test('a change of the service or of protocol.md writes the description of the socket again, and not the page', async (t) => {
  const site = await start(t);
  await site.setUp();
  const first = await site.dist('asyncapi.yaml');
  const { ino } = await stat(join(site.folder, 'web/dist'));
  await site.write('src/main.test.ts', 'changed');
  await site.setUp();
  assert.equal(await site.dist('asyncapi.yaml'), first);
  await site.write('src/main.ts', 'changed');
  assert.equal((await site.setUp()).stderr, '');
  assert.notEqual(await site.dist('asyncapi.yaml'), first);
  await site.write('docs/protocol.md', '# Another socket');
  await site.setUp();
  assert.match(await site.dist('asyncapi.yaml'), /\n# Another socket$/);
  assert.equal((await stat(join(site.folder, 'web/dist'))).ino, ino);
});

test('the assets of the previous build are kept for one more build', async (t) => {
  const site = await start(t);
  const assets = async () => (await readdir(join(site.folder, 'web/dist/assets'))).sort();
  const generations: string[][] = [];
  for (const word of ['first', 'second', 'third']) {
    await site.write('web/src/main.ts', `document.title = '${word}';`);
    await site.setUp();
    const kept = generations.at(-1) ?? [];
    generations.push((await assets()).filter((name) => !kept.includes(name)));
    assert.deepEqual(await assets(), [...kept, ...(generations.at(-1) ?? [])].sort(), word);
  }
  assert.deepEqual(
    generations.map((names) => names.length),
    [1, 1, 1],
  );
});

test('a build that fails is reported, ends with 1, and leaves the page as it was', async (t) => {
  const site = await start(t);
  await site.setUp();
  await site.write('web/src/main.ts', "import './missing.ts';");
  for (let n = 0; n < 2; n++) {
    const { code, stderr } = await site.setUp();
    assert.equal(code, 1);
    assert.match(stderr, /missing\.ts/);
    assert.match(stderr, /\nThe page could not be built: see what is said above\.\n$/);
    assert.match(await site.dist('index.html'), /A page/);
  }
  assert.deepEqual((await readdir(join(site.folder, 'web'))).sort(), [
    'dist',
    'index.html',
    'public',
    'src',
    'vite.config.ts',
  ]);
});

test('with --no-page no page is built', async (t) => {
  const site = await start(t);
  assert.deepEqual(await site.setUp({}, '--no-page'), { code: 0, stderr: '' });
  assert.ok(!(await readdir(join(site.folder, 'web'))).includes('dist'));
});

/** A project with a page of its own, whose packages are there. */
async function start(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-build-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const write = async (path: string, content: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(SOURCES)) await write(path, content);
  for (const script of [
    'setup.mjs',
    'node-choice.mjs',
    'page-build.mjs',
    'asyncapi-build.mjs',
    'sources.mjs',
  ])
    await copyFile(join(root, 'scripts', script), join(folder, 'scripts', script));
  const wanted = createHash('sha256').update(`{}${process.platform} ${process.arch}`).digest('hex');
  await write('node_modules/.doorman-setup', wanted);
  for (const name of ['vite', '.bin'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));

  return {
    folder,
    write,
    dist: (path: string) => readFile(join(folder, 'web/dist', path), 'utf8'),
    async setUp(
      env: Record<string, string> = {},
      ...options: string[]
    ): Promise<{ code: number; stderr: string }> {
      const command = [join(folder, 'scripts/setup.mjs'), ...options];
      const run = promisify(execFile)(process.execPath, command, { env: { ...process.env, ...env } });
      return run.then(
        ({ stderr }) => ({ code: 0, stderr }),
        (error: { code: number; stderr: string }) => ({ code: error.code, stderr: error.stderr }),
      );
    },
  };
}
