import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
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

/** The tables of a product, as the statements of the document name them. */
const OLD_PRODUCT = (hash: string) => `
  create schema old_product;
  create table users (id serial, login text, password text, display_name text, email text, created_at timestamptz);
  create table friendships (user_id int, friend_id int, created_at timestamptz);
  create table blocks (user_id int, blocked_id int, created_at timestamptz);
  create table messages (id serial, sender_id int, recipient_id int, body text, sent_at timestamptz, read_at timestamptz);
  insert into users (id, login, password, display_name, email, created_at) values
    (42, 'alice', '${hash}', 'Alice', 'a@example.org', '2020-01-02 03:04:05Z'),
    (43, 'bob', null, 'Bob', null, '2020-01-03 00:00:00Z'),
    (44, 'carol', '5f4dcc3b5aa765d61d8327deb882cf9', 'Carol', null, '2020-01-04 00:00:00Z');
  insert into friendships values (42, 43, '2020-02-01 00:00:00Z');
  insert into blocks values (43, 42, '2020-03-01 00:00:00Z');
  insert into messages (sender_id, recipient_id, body, sent_at, read_at) values
    (42, 43, 'Tea at five?', '2020-02-02 00:00:00Z', '2020-02-02 00:00:01Z'),
    (43, 42, E'Yes.\n"Five"', '2020-02-02 00:00:02Z', null),
    (42, 44, 'And you?', '2020-02-02 00:00:03Z', null)`;

onPostgres('docs/adopting.md, a product', (database) => {
  test('is moved in with ids, passwords, friends, blocks and messages, and its users exported again', async (t) => {
    const data = await database.create(t);
    assert.ok('databaseUrl' in data);
    const [settings, folder] = [settingsOf(data), await makeFolder(t)];
    const old = await connectPostgres(data.databaseUrl, { options: '-c search_path=old_product' });
    t.after(() => old[Symbol.asyncDispose]());
    await old.rows(OLD_PRODUCT(await bcrypt.hash('wonderland', 4)));
    const lines: string[] = [];
    for (const statement of example('sql')
      .split(/;\n/)
      .filter((one) => one.trim() !== ''))
      for (const { json_build_object } of await old.rows<{ json_build_object: object }>(statement))
        lines.push(`${JSON.stringify(json_build_object)}\n`);
    assert.equal(lines.length, 8);
    await writeFile(join(folder, 'move-in.jsonl'), lines.join(''));

    // The hash of the third user is cut, so there is no such user.
    const reasons = /^line 3: password_hash .*\nline 8: there is no user "44"\n$/;
    const dry = await run(settings, 'import move-in.jsonl --dry-run', folder);
    // On a slow machine lines of progress follow.
    const errorsOf = ({ errors }: Ended) => errors.replace(/^up to line .*\n/gm, '');
    assert.equal(dry.code, 1);
    assert.match(errorsOf(dry), reasons);
    assert.match(dry.output, /^dry run, nothing was written; would be: imported 6,/);
    const imported = await run(settings, 'import move-in.jsonl', folder);
    assert.match(errorsOf(imported), reasons);
    assert.match(imported.output, /^imported 6, already there 0, refused 2\n/);
    const again = await run(settings, 'import move-in.jsonl', folder);
    assert.match(again.output, /^imported 0, already there 6, refused 2\n/);

    await using server = await startServer(settings);
    const checked = await runCommand(settings, ['check']);
    assert.equal(checked.code, 0, checked.output);
    const { body } = await server.post('/api/login', alice);
    assert.deepEqual([body.data.id, body.data.nickname], ['42', 'Alice']);
    assert.equal((await server.post('/api/login', { username: 'bob', password: '!' })).body.code, 400);
    const { token } = body.data;
    const friends = (await server.get('/api/friends', token)).body.data;
    assert.deepEqual(
      friends.map(({ id, state }: Record<string, unknown>) => [id, state]),
      [['43', 'friends']],
    );
    const [conversation, ...others] = (await server.get('/api/conversations', token)).body.data;
    assert.deepEqual([conversation.peer, conversation.unread, others], ['43', 1, []]);
    assert.equal(conversation.last.body, 'Yes.\n"Five"');
    const refused = await server.post('/api/messages', { to: '43', cid: 'new', body: 'there?' }, token);
    assert.equal(refused.body.error, 'not_accepting');

    const exported = await run(settings, 'export > exported.jsonl', folder);
    const [first = ''] = exported.output.split('\n');
    const { id, created_at } = JSON.parse(first);
    assert.deepEqual([id, created_at], ['42', Date.parse('2020-01-02T03:04:05Z')]);
  });
});

onEachDatabase('docs/adopting.md, a product’s backend', (database) => {
  async function startProduct(t: TestContext) {
    const settings = settingsOf(await database.create(t));
    const folder = await makeFolder(t);
    const printed = 'api-key add shop --may users,sessions,relations,messages';
    const key = (await run(settings, printed, folder)).output.trim();
    const server = await startServer(settings);
    t.after(() => server[Symbol.asyncDispose]());
    for (const [id, username] of [
      ['42', 'alice'],
      ['43', 'bob'],
    ])
      assert.equal((await server.post('/api/admin/users', { id, username }, key)).body.data.created, true);
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    const start = async (program: string, opening: string) => {
      const [, name = ''] = opening.split(' ');
      await writeFile(join(folder, name), example(opening));
      const env = { PATH: process.env.PATH, DOORMAN_URL: server.url, DOORMAN_KEY: key, PORT: '0' };
      const child = spawn(program, [name], { cwd: folder, env });
      t.after(() => child.kill('SIGKILL'));
      return child;
    };
    return { server, key, start };
  }

  for (const [language, program, opening] of [
    ['Node', process.execPath, 'js chat-token.mjs'],
    ['Python', python, 'python chat_token.py'],
  ] as const)
    test(`signs users in by its own session, in ${language}`, {
      skip: program === undefined && 'no Python',
    }, async (t) => {
      const { server, key, start } = await startProduct(t);
      const url = await firstLine(await start(program ?? '', opening));
      const ask = (cookie?: string, path = '/chat-token') =>
        fetch(url + path, { method: 'POST', ...(cookie !== undefined && { headers: { cookie } }) });
      for (const cookie of [undefined, 'session=another', 'sessions=a-long-random-text'])
        assert.equal((await ask(cookie)).status, 401, cookie ?? 'none');
      assert.equal((await ask('session=a-long-random-text', '/')).status, 404);
      const answer = await ask('theme=dark; session=a-long-random-text');
      assert.equal(answer.status, 200);
      const token = await answer.text();
      const [session] = (await server.get('/api/sessions', token)).body.data;
      assert.equal(session.current, 1);
      const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      assert.equal(sub, '42');
      await server.post('/api/admin/users/suspend', { userId: '42' }, key);
      assert.equal((await ask('session=a-long-random-text')).status, 403);
      await server.kill();
      assert.equal((await ask('session=a-long-random-text')).status, 503);
    });

  test('keeps profiles and friends in step', async (t) => {
    const { server, key, start } = await startProduct(t);
    const child = await start(process.execPath, 'js in-step.mjs');
    const errors: Buffer[] = [];
    child.stderr?.on('data', (chunk) => errors.push(chunk));
    const printed = child.stdout ? await text(child.stdout) : '';
    assert.equal(Buffer.concat(errors).toString(), '');
    const shown = [...example('js in-step.mjs').matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(
      ([, one]) => one,
    );
    assert.equal(shown.length, 2);
    assert.deepEqual(printed.trimEnd().split('\n'), [
      ...shown,
      '42 alice active',
      '43 bob active',
      '44 carol active',
    ]);
    assert.equal((await server.get('/api/admin/users/44', key)).body.data.status, 'deleted');
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
