import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { settingsOf, startServer } from './processes.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

const run = promisify(execFile);

const document = readFileSync('docs/development.md', 'utf8');
const [, section = ''] = /^## Add a field to the profile$(.*?)^## /ms.exec(document) ?? [];

const COPIED = [
  ...['bench', 'client', 'deploy', 'docs', 'scripts', 'src', 'test', 'web'],
  ...['package.json', 'tsconfig.json'],
];

/** A copy of the sources with the installed packages, and with its own kit among them. */
async function copySources(t: TestContext): Promise<string> {
  const copy = await makeTemporaryFolder('add-a-field');
  t.after(() => removeFolder(copy));
  const filter = (path: string) => !/\/(node_modules|dist|\.dist-[^/]+)$/.test(path);
  for (const name of COPIED) await cp(name, join(copy, name), { recursive: true, filter });
  await mkdir(join(copy, 'node_modules'));
  for (const name of await readdir('node_modules')) {
    if (name.startsWith('.')) continue;
    const target =
      name === 'doorman-client' ? join(copy, 'client') : join(process.cwd(), 'node_modules', name);
    await symlink(target, join(copy, 'node_modules', name));
  }
  return copy;
}

/** Applies the hunks of the section: each has the name of its file, and replaces a text that the file has once. */
async function applySteps(copy: string): Promise<void> {
  const last = (await readdir(join(copy, 'src/db/migrations'))).sort().at(-1) ?? '';
  const next = String(Number.parseInt(last, 10) + 1).padStart(4, '0');
  const diffs = [...section.matchAll(/^ {3}```diff\n(.*?)^ {3}```$/gms)].map(([, diff = '']) => diff);
  const lines = diffs.join('').replaceAll('NNNN', next).trimEnd().split('\n');
  for (const hunk of lines
    .map((line) => line.slice(3))
    .join('\n')
    .split(/^--- /m)
    .slice(1)) {
    const [file = '', ...changes] = hunk.trimEnd().split('\n');
    const linesOf = (marks: string) =>
      changes.filter(([mark = '']) => marks.includes(mark)).map((line) => line.slice(1));
    const [before, after] = [linesOf(' -').join('\n'), linesOf(' +').join('\n')];
    const path = join(copy, file);
    const pieces = before === '' ? ['', '\n'] : (await readFile(path, 'utf8')).split(before);
    assert.equal(pieces.length, 2, `${file} should have once:\n${before}`);
    await writeFile(path, pieces.join(after));
  }
}

test('"Add a field to the profile" has at most four steps, and they do what the section says', async (t) => {
  assert.deepEqual(section.match(/^\d+\./gm), ['1.', '2.', '3.', '4.']);
  const copy = await copySources(t);
  await applySteps(copy);
  const node = (...words: string[]) => run(process.execPath, words, { cwd: copy });
  const scripts = [...section.matchAll(/node (scripts\/[\w-]+\.ts)`/g)].map(([, script = '']) => script);
  assert.notDeepEqual(scripts, [], 'the section should name the script that writes the types of the kit');
  for (const script of scripts) await node(script);

  await t.test('the types of all parts are right', async () => {
    const { stdout } = await node('scripts/types.mjs').catch((error) => assert.fail(error.stdout));
    assert.match(stdout, /^\d+ passed\n$/);
  });

  await t.test('the field is stored, shown, exported, imported and erased', async () => {
    const dataDir = join(copy, 'data');
    const settings = settingsOf({ dataDir });
    const doorman = async (dataDir: string, ...words: string[]) => {
      const env = { PATH: process.env.PATH, ...settings, DATA_DIR: dataDir };
      return (await run(process.execPath, ['src/cli.ts', ...words], { cwd: copy, env })).stdout;
    };
    const alice = { username: 'alice', password: 'wonderland' };
    {
      await using server = await startServer(settings, [], [join(copy, 'src/main.ts')]);
      const { token, id } = (await server.post('/api/register', alice)).body.data;
      const save = (pronouns: string) => server.post('/api/user/profile', { pronouns }, token);
      assert.equal((await save('x'.repeat(41))).status, 400);
      assert.equal((await save('they/them')).body.data.pronouns, 'they/them');
      assert.equal((await server.get(`/api/user/profile/${id}`)).body.data.pronouns, 'they/them');
      assert.ok(!('pronouns' in (await server.get('/api/users', token)).body.data[0]));
      assert.equal((await server.post('/api/login', alice)).body.data.pronouns, 'they/them');
      assert.equal((await server.get('/api/sync', token)).body.data.profile.pronouns, 'they/them');
    }
    const exported = await doorman(dataDir, 'export');
    assert.equal(JSON.parse(exported).pronouns, 'they/them');
    await writeFile(join(copy, 'users.jsonl'), exported);
    const imported = join(copy, 'imported');
    await doorman(imported, 'import', join(copy, 'users.jsonl'));
    assert.equal(JSON.parse(await doorman(imported, 'user', 'show', 'alice')).pronouns, 'they/them');
    await doorman(imported, 'user', 'delete', 'alice');
    using db = new DatabaseSync(join(imported, 'doorman.db'));
    assert.deepEqual({ ...db.prepare('select pronouns from users').get() }, { pronouns: '' });
  });
});
