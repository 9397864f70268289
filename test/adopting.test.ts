import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import * as bcrypt from '@node-rs/bcrypt';
import { type Ended, runCommand } from './commands.ts';
import { type DatabaseSettings, onEachDatabase, onPostgres, onSqlite } from './databases.ts';
import { findPython } from './find-python.ts';
import { connectPostgres } from './postgres-client.ts';
import { type ServerProcess, settingsOf, startServer } from './processes.ts';
import { startSmtp } from './smtp.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

const document = readFileSync('docs/adopting.md', 'utf8');
const python = findPython();
const alice = { username: 'alice', password: 'wonderland' };

/** The example whose block begins with this text behind the backticks. */
function example(opening: string): string {
  const start = document.indexOf(`\`\`\`${opening}\n`);
  assert.ok(start >= 0, opening);
  const text = document.slice(start + opening.length + 4);
  return text.slice(0, text.indexOf('```'));
}

/** Runs an operator's command of the document, in which a file is a name. */
function run(settings: Record<string, string>, printed: string, files: string): Promise<Ended> {
  const line = `npm run --silent doorman -- ${printed}\n`;
  assert.ok(document.includes(`\`\`\`sh\n${line}`), line);
  const words = printed.replace(/ > .*/, '').split(' ');
  return runCommand(
    settings,
    words.map((word) => (word.endsWith('.jsonl') ? join(files, word) : word)),
  );
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await makeTemporaryFolder('adopting');
  t.after(() => removeFolder(folder));
  return folder;
}

onPostgres('docs/adopting.md, users', (database) => {
  test('are moved with their passwords, mapped to their ids, and exported again', async (t) => {
    const data = await database.create(t);
    assert.ok('databaseUrl' in data);
    const [settings, folder] = [settingsOf(data), await makeFolder(t)];
    const old = await connectPostgres(data.databaseUrl, { options: '-c search_path=old_product' });
    t.after(() => old[Symbol.asyncDispose]());
    const hash = await bcrypt.hash('wonderland', 4);
    await old.rows(`
      create schema old_product;
      create table users (id serial, login text, password text, display_name text, email text, created_at timestamptz);
      insert into users (login, password, display_name, email, created_at) values
        ('alice', '${hash}', 'Alice', 'a@example.org', '2020-01-02 03:04:05Z'),
        ('bob', 'argon2', 'Bob', null, now())`);
    const rows = await old.rows<{ json_build_object: object }>(example('sql'));
    const lines = rows.map((row) => `${JSON.stringify(row.json_build_object)}\n`);
    await writeFile(join(folder, 'users.jsonl'), lines.join(''));

    const dry = await run(settings, 'import users.jsonl --dry-run', folder);
    const reason = 'line 2: password_hash has an unknown format\n';
    // On a slow machine a line of progress follows.
    const errors = dry.errors.replace(/^up to line .*\n/gm, '');
    assert.deepEqual([dry.code, errors], [1, reason]);
    assert.match(dry.output, /^dry run, nothing was written; would be: imported 1,/);
    const imported = await run(settings, 'import users.jsonl', folder);
    assert.match(imported.output, /^imported 1, already there 0, refused 1\n/);

    await using server = await startServer(settings);
    const { body } = await server.post('/api/login', alice);
    assert.deepEqual([body.code, body.data.nickname], [200, 'Alice']);
    const exported = await run(settings, 'export > exported.jsonl', folder);
    await writeFile(join(folder, 'exported.jsonl'), exported.output);
    await writeFile(join(folder, 'ids.mjs'), example('js ids.mjs'));
    const ids = execFileSync(process.execPath, ['ids.mjs'], { cwd: folder, encoding: 'utf8' });
    assert.equal(ids, `alice\t${body.data.id}\n`);
    assert.equal(JSON.parse(exported.output).created_at, Date.parse('2020-01-02T03:04:05Z'));
  });
});

onEachDatabase('docs/adopting.md, leaving', (database) => {
  test('the statement reads every message', async (t) => {
    const data = await database.create(t);
    await using server = await startServer(settingsOf(data));
    const [first, second] = [await signUp(server, 'alice'), await signUp(server, 'bob')];
    const write = (from: Signed, to: Signed, body: string) =>
      server.post('/api/messages', { to: to.id, cid: body, body }, from.token);
    await write(first, second, 'one');
    await write(second, first, 'two');
    const rows = await read(data, example('sql messages'));
    assert.deepEqual(
      rows.map(({ sender, recipient, n, body }) => [sender, recipient, Number(n), body]),
      [
        ['alice', 'bob', 1, 'one'],
        ['bob', 'alice', 2, 'two'],
      ],
    );
  });
});

onSqlite('docs/adopting.md, a service that verifies tokens', (database) => {
  test('in Node: knows the caller, follows a rotation of the keys, and asks for ended sessions', async (t) => {
    const folder = await makeFolder(t);
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    await verifies(t, folder, process.execPath, 'js verify.mjs', async (ask, server, token) => {
      assert.equal((await ask(token, '/careful')).status, 200);
      await server.post('/api/logout', {}, token);
      assert.equal((await ask(token, '/careful')).status, 401);
      assert.equal((await ask(token)).status, 200, 'until it expires');
    });
  });

  test('in Python', { skip: python === undefined && 'needs Debian’s python3-jwt' }, async (t) => {
    await verifies(t, await makeFolder(t), python ?? '', 'python verify.py', async () => {});
  });

  async function verifies(
    t: TestContext,
    folder: string,
    program: string,
    opening: string,
    more: (
      ask: (token?: string, path?: string) => Promise<Response>,
      server: ServerProcess,
      token: string,
    ) => Promise<void>,
  ): Promise<void> {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const { id, token } = await signUp(server, 'alice');
    const [, name = ''] = opening.split(' ');
    await writeFile(join(folder, name), example(opening));
    const child = spawn(program, [name], {
      cwd: folder,
      env: { PATH: process.env.PATH, DOORMAN_URL: server.url, PORT: '0' },
    });
    t.after(() => child.kill('SIGKILL'));
    const url = await firstLine(child);
    const ask = (token?: string, path = '/') =>
      fetch(url + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

    const known = await ask(token);
    const { user } = (await known.json()) as { user: string }; // what the example answers
    assert.deepEqual([known.status, user], [200, id]);
    const [header, claims, signature] = token.split('.');
    const other = Buffer.from(JSON.stringify({ sub: id, sid: id, exp: 9_999_999_999 })).toString('base64url');
    const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    for (const wrong of [undefined, 'x', `${header}.${other}.${signature}`, `${unsigned}.${claims}.`])
      assert.equal((await ask(wrong)).status, 401, wrong ?? 'none');

    const { kid } = JSON.parse(Buffer.from(header ?? '', 'base64url').toString());
    assert.equal((await runCommand(settings, ['keys', 'rotate', 'jwt'])).code, 0);
    await t.waitFor(
      async () => {
        const { token: fresh } = (await server.post('/api/login', alice)).body.data;
        const [header = ''] = fresh.split('.');
        assert.notEqual(JSON.parse(Buffer.from(header, 'base64url').toString()).kid, kid);
        assert.equal((await ask(fresh)).status, 200);
      },
      { timeout: 60_000 },
    );
    assert.equal((await ask(token)).status, 200, 'of the key before');
    await more(ask, server, token);
  }
});

interface Signed {
  id: string;
  token: string;
}

async function signUp(server: ServerProcess, username: string): Promise<Signed> {
  return (await server.post('/api/register', { username, password: alice.password })).body.data;
}

async function read(data: DatabaseSettings, text: string): Promise<Record<string, unknown>[]> {
  if ('databaseUrl' in data) {
    await using sql = await connectPostgres(data.databaseUrl);
    return await sql.rows(text);
  }
  using db = new DatabaseSync(join(data.dataDir, 'doorman.db'), { readOnly: true });
  return db.prepare(text).all();
}

async function firstLine(child: ChildProcess): Promise<string> {
  const errors: Buffer[] = [];
  child.stderr?.on('data', (chunk) => errors.push(chunk));
  const [line] = await Promise.race([
    once(child.stdout ?? child, 'data'),
    once(child, 'exit').then(() => assert.fail(Buffer.concat(errors).toString())),
  ]);
  return String(line).trim();
}

test('docs/adopting.md shows mail in five lines', async (t) => {
  const smtp = await startSmtp(t, { password: 'password' });
  const lines = document
    .split('```sh\n')
    .map((block) => block.slice(0, block.indexOf('```')).trimEnd().split('\n'))
    .find(([first = '']) => first.startsWith('export PUBLIC_URL='));
  assert.equal(lines?.length, 5);
  const exported = lines.flatMap((line) => [...line.matchAll(/^export (\w+)='?([^']*)'?$/g)]);
  const env = Object.fromEntries(exported.map(([, name = '', value = '']) => [name, value]));
  const command = /^npm run --silent doorman -- ([^#]*?) *#/.exec(lines[3] ?? '')?.[1] ?? '';
  env.SMTP_URL = env.SMTP_URL?.replace(/^smtps:.*@mail\.example\.com$/, smtp.url) ?? '';
  assert.equal((await runCommand(env, command.split(' '))).code, 0);
  assert.equal(smtp.received()[0]?.headers.from, 'Example Chat <chat@example.com>');
});
