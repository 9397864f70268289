import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { eventually } from '../test/eventually.ts';
import type { Body } from '../test/harness.ts';
import { TestSocket } from '../test/sockets.ts';

const root = dirname(import.meta.dirname);

test('one address has the page and the service behind it, with its socket', async (t) => {
  const dev = await startDev(t);
  for (const path of ['/', '/chat/0199', '/settings/push'])
    assert.match(await dev.page(path), /<script type="module" src="\/src\/app\/main\.tsx/, path);
  assert.match(await dev.page('/src/app/main.tsx'), /createDoorman/);
  assert.equal((await fetch(`${dev.url}/sw.js`)).status, 404);

  assert.equal((await dev.call('/api/push/public-key')).code, 200);
  for (const path of [
    '/healthz',
    '/readyz',
    '/docs',
    '/openapi.json',
    '/asyncapi.yaml',
    '/.well-known/jwks.json',
  ])
    assert.doesNotMatch(await dev.page(path), /main\.tsx/, path);
  const { token, id } = await dev.signUp('alice');
  for (const origin of [dev.url, dev.url.replace('127.0.0.1', 'localhost')])
    assert.equal((await (await dev.openSocket(origin)).hello({ token })).data.userId, id, origin);
  await assert.rejects(dev.openSocket('http://other.example'), /403/);
  await dev.end('SIGINT');
});

test('a change of a source starts the service again on the same data, an error in it does not end the rest', async (t) => {
  const dev = await startDev(t);
  const { token, id } = await dev.signUp('alice');
  const socket = await dev.openSocket(dev.url);
  await socket.hello({ token });

  const source = await dev.read('src/main.ts');
  await dev.write('src/main.ts', `${source}// changed`);
  await socket.ended;
  // The first process has ended: it would keep the second one off the data.
  assert.equal((await (await dev.openSocket(dev.url)).hello({ token })).data.userId, id);
  assert.deepEqual((await dev.processes()).map(isRunning), [false, true]);

  await dev.write('src/main.ts', `${source}}`);
  await eventually(async () => (await fetch(`${dev.url}/healthz`)).status === 503);
  assert.match(await dev.page('/'), /main\.tsx/);
  await dev.write('src/main.ts', source);
  await eventually(async () => (await fetch(`${dev.url}/healthz`)).status === 200);
  await dev.end('SIGTERM');
});

test('a change of the page or of the kit is in the next answer, and the service goes on', async (t) => {
  const dev = await startDev(t);
  const { token } = await dev.signUp('alice');
  const socket = await dev.openSocket(dev.url);
  await socket.hello({ token });
  for (const [file, path] of [
    ['web/src/app/app.tsx', '/src/app/app.tsx'],
    ['client/src/create-doorman.ts', `/@fs${dev.folder}/client/src/create-doorman.ts`],
  ] as const) {
    assert.doesNotMatch(await dev.page(path), /export const changed/);
    await dev.write(file, `${await dev.read(file)}\nexport const changed = 1;`);
    await eventually(async () => /export const changed/.test(await dev.page(path)));
  }
  await socket.roundTrip();
  assert.equal((await dev.processes()).length, 1);
  await dev.end('SIGKILL');
});

/** `npm run dev` in a copy of the repository, whose service notes the ids of its processes. */
async function startDev(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-dev-'));
  await copyRepository(folder);
  const read = (path: string) => readFile(join(folder, path), 'utf8');
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  const note = `import { appendFileSync } from 'node:fs';\nappendFileSync('pids', process.pid + '\\n');\n`;
  await write('src/main.ts', note + (await read('src/main.ts')));

  const child = spawn(process.execPath, ['scripts/dev.ts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', BCRYPT_COST: '4' },
  });
  t.after(async () => {
    child.kill('SIGKILL');
    for (const pid of await processes()) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function processes(): Promise<number[]> {
    const text = await readFile(join(folder, 'pids'), 'utf8').catch(() => '');
    return text.split('\n').filter(Boolean).map(Number);
  }

  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const address = () => /^Doorman: (http:\S+)$/m.exec(output)?.[1];
  await eventually(() => address() !== undefined || child.exitCode !== null);
  const url = address() ?? assert.fail(output);

  async function call(path: string, body?: object): Promise<Body> {
    const headers = { 'content-type': 'application/json' };
    const request = body && { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(url + path, request)).json();
  }

  return {
    folder,
    url,
    read,
    write,
    processes,
    call,
    /** As a browser asks for a document. */
    page: async (path: string) => (await fetch(url + path, { headers: { accept: 'text/html,*/*' } })).text(),
    signUp: async (username: string) =>
      (await call('/api/register', { username, password: 'wonderland' })).data,
    /** As a page of this origin opens one. */
    async openSocket(origin: string): Promise<TestSocket> {
      const ws = new WebSocket(`${url.replace('http', 'ws')}/ws`, 'doorman.v1', { origin });
      await once(ws, 'open');
      return new TestSocket(ws);
    },
    /** Ends the script by a signal, and checks that no process of the service stays behind. */
    async end(signal: NodeJS.Signals): Promise<void> {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      for (const pid of await processes()) await eventually(() => !isRunning(pid));
    },
  };
}

/** The packages are linked, but for the kit, which is a part of the copy. */
async function copyRepository(folder: string): Promise<void> {
  const filter = (path: string) => !['dist', 'node_modules'].includes(basename(path));
  for (const part of ['client', 'scripts', 'src', 'web', 'package.json', 'package-lock.json'])
    await cp(join(root, part), join(folder, part), { recursive: true, filter });
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(join(root, 'node_modules'))) {
    const target = join(
      name === 'doorman-client' ? folder : root,
      name === 'doorman-client' ? 'client' : `node_modules/${name}`,
    );
    if (!name.startsWith('.vite') && name !== '.cache')
      await symlink(target, join(folder, 'node_modules', name), 'junction');
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
