import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onSqlite } from '../databases.ts';
import { serve } from './serving.ts';

/** Runs a program to its end. */
const run = (file: string, args: string[], { cwd }: { cwd: string }) =>
  promisify(execFile)(file, args, { cwd, timeout: 120_000 });
const root = fileURLToPath(new URL('../..', import.meta.url));
/** The compiler, run by this Node: its script would need a Node in the path. */
const tsc = join(root, 'node_modules/typescript/bin/tsc');

const program = `
import { createDoorman, DoormanError, type DirectoryEntry, type Doorman, type MessageEvent, type Snapshot } from 'doorman-client';
import { type Backend, createBackend } from 'doorman-client/server';
import { MemoryStorage } from 'doorman-client/testing';
import { resubscribe } from 'doorman-client/worker';

declare const process: { argv: string[] };
const baseUrl = process.argv[2] ?? '';

const alice: Doorman = createDoorman({ baseUrl, device: 'a test' });
const bob = createDoorman({ baseUrl, storage: new MemoryStorage() });
const came = new Promise<MessageEvent>((resolve) => bob.on('message', resolve));

await alice.signUp({ username: 'alice', password: 'password-of-alice' });
const { userId } = await bob.signUp({ username: 'bob', password: 'password-of-bob' });
alice.connect();
bob.connect();
await new Promise<Snapshot>((resolve) => bob.on('snapshot', resolve));
const stored = await alice.send(userId, 'Tea at five?');
const { body } = await came;
const people: DirectoryEntry[] = (await alice.api.users({ q: 'bob' })).users;
const refused = await bob.api.login({ username: 'bob', password: 'wrong' }).catch((error: unknown) => error);
const backend: Backend = createBackend({ baseUrl, key: \`dk_\${'x'.repeat(43)}\` });
const keyless = await backend.getUser(userId).catch((error: unknown) => error);
// @ts-expect-error: a field is missing
void (() => backend.putUser({ id: '42' }));
// @ts-expect-error: no such event
alice.on('nothing', () => {});
// @ts-expect-error: a registration is missing
void (() => resubscribe());
// @ts-expect-error: a field is missing
void (() => alice.api.sendMessage({ to: 'x', body: 'y' }));
console.log(
  JSON.stringify({
    body,
    n: stored.n,
    people: people.map(({ username }) => username),
    words: [refused, keyless].map((error) => (error instanceof DoormanError ? error.error : error)),
  }),
);
await Promise.all([alice.signOut(), bob.signOut()]);
`;

/** What `npm pack` says of the package that it made. */
interface Packed {
  filename: string;
  files: { path: string }[];
  /** Bytes. */
  size: number;
  unpackedSize: number;
}

/** Scripts with a declaration each, and three documents: no sources, tests or maps. */
function assertNeeded(files: readonly string[]): void {
  const declared = files.filter((file) => file.endsWith('.d.ts'));
  const scripts = declared.map((file) => file.replace(/\.d\.ts$/, '.js'));
  const documents = ['LICENSE', 'README.md', 'package.json'];
  assert.deepEqual(files.toSorted(), [...declared, ...scripts, ...documents].sort());
  for (const entry of ['index.js', 'server.js', 'worker.js', 'testing.js'])
    assert.ok(files.includes(entry), entry);
  assert.deepEqual(
    files.filter((file) => /\btest\b/.test(file)),
    [],
  );
}

onSqlite('The packed kit', (database) => {
  test('installs without a network into an empty project, type-checks strictly there, and runs', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'doorman-client-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const packed = join(folder, 'packed');
    const project = join(folder, 'project');
    await Promise.all([mkdir(packed), mkdir(project)]);
    const built = join(folder, 'built');
    await run(process.execPath, [join(root, 'scripts/client-package.mjs'), built], { cwd: root });
    const pack = await run('npm', ['pack', '--json', '--pack-destination', packed], { cwd: built });
    const [{ filename, files: contents, size, unpackedSize }]: [Packed] = JSON.parse(pack.stdout);
    const [tarball = ''] = await readdir(packed);
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    assert.deepEqual([tarball, filename], [`doorman-client-${version}.tgz`, tarball]);
    assertNeeded(contents.map(({ path }) => path));
    assert.ok(size < 80_000 && unpackedSize < 300_000, `${size} bytes, unpacked ${unpackedSize}`);

    const json = (value: object) => JSON.stringify(value, null, 2);
    await writeFile(join(project, 'package.json'), json({ name: 'empty', private: true, type: 'module' }));
    await writeFile(join(project, 'program.ts'), program);
    await writeFile(
      join(project, 'tsconfig.json'),
      json({
        compilerOptions: {
          target: 'es2022',
          module: 'nodenext',
          strict: true,
          exactOptionalPropertyTypes: true,
          types: [],
        },
        include: ['program.ts'],
      }),
    );
    const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
    await run('npm', ['install', ...options, join(packed, tarball)], { cwd: project });
    const installed = await readdir(join(project, 'node_modules'));
    assert.deepEqual(
      installed.filter((name) => !name.startsWith('.')),
      ['doorman-client'],
    );

    await run(process.execPath, [tsc, '-p', '.'], { cwd: project }).catch(({ stdout }) =>
      assert.fail(stdout),
    );
    const service = await serve(t, database);
    const { stdout, stderr } = await run(process.execPath, ['program.js', service.url], { cwd: project });
    assert.equal(stderr, '');
    assert.deepEqual(JSON.parse(stdout), {
      body: 'Tea at five?',
      n: 1,
      people: ['bob'],
      words: ['wrong_password', 'key_required'],
    });
  });
});
