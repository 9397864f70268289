import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { settingsOf, startServer } from '../../test/processes.ts';
import { makeTemporaryFolder, removeFolder } from '../../test/temporary-folders.ts';

const secret = { username: 'Älice', password: 'secret' };

onEachDatabase('user', (database) => {
  test('beside a server, a suspended user is signed out within a second, and a restored user can sign in', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const { id, token } = (await server.post('/api/register', secret)).body.data;
    assert.equal((await server.get('/api/sessions', token)).status, 200);

    const { output } = await runCommand(settings, ['user', 'suspend', 'Älice']);
    assert.equal(output, `suspended Älice (${id}), sessions ended: 1\n`);
    const login = await server.post('/api/login', secret);
    assert.deepEqual([login.status, login.body.error], [403, 'account_suspended']);
    const signedOut = async () => assert.equal((await server.get('/api/sessions', token)).status, 401);
    await t.waitFor(signedOut, { timeout: 60_000 });

    assert.equal((await runCommand(settings, ['user', 'restore', id])).output, `restored Älice (${id})\n`);
    const { status, body } = await server.post('/api/login', secret);
    assert.equal(status, 200);
    assert.equal((await server.get('/api/sessions', body.data.token)).status, 200);
    assert.equal((await server.get('/api/sessions', token)).status, 401, 'an ended session stays ended');
  });

  test('beside a server, a deleted user is gone within a second, and only their id is left, by which and by whose name they are found', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const { id, token } = (await server.post('/api/register', secret)).body.data;
    const profile = async () => (await server.get(`/api/user/profile/${id}`)).status;
    assert.equal(await profile(), 200);

    const { output } = await runCommand(settings, ['user', 'delete', id]);
    assert.equal(output, `deleted Älice (${id}), sessions ended: 1\n`);
    await t.waitFor(async () => assert.equal(await profile(), 404), { timeout: 60_000 });
    await t.waitFor(async () => assert.equal((await server.get('/api/sessions', token)).status, 401), {
      timeout: 60_000,
    });
    assert.equal((await server.post('/api/login', secret)).body.msg, '用户不存在');
    assert.equal((await server.post('/api/register', secret)).body.msg, '用户名已存在');

    const { code, errors } = await runCommand(settings, ['user', 'suspend', 'Älice']);
    assert.deepEqual([code, errors], [1, `${id} was deleted\n`]);
    assert.deepEqual(await runCommand(settings, ['user', 'restore', 'Älice']), {
      code: 1,
      output: '',
      errors: `${id} was deleted: nothing is left to restore\n`,
    });

    const shown = JSON.parse((await runCommand(settings, ['user', 'show', 'äLICE'])).output);
    assert.deepEqual([shown.id, shown.username, shown.status], [id, '', 'deleted']);
    assert.deepEqual(await runCommand(settings, ['export']), { code: 0, output: '', errors: '' });
  });

  test('delete --ids deletes those whose ids are in a file, and reports ids that no user has', async (t) => {
    const settings = settingsOf(await database.create(t));
    const users = ['1', '2', 'three', '4'].map((id) => ({ id, username: `user ${id}`, password: 'secret' }));
    await runCommand(settings, ['import', '-'], users.map((user) => `${JSON.stringify(user)}\n`).join(''));
    await using server = await startServer(settings);
    const logIn = async ({ username, password }: (typeof users)[number]) =>
      (await server.post('/api/login', { username, password })).status;
    const { token } = (await server.post('/api/login', users[2] ?? {})).body.data;

    // A name is no id. As written by an editor of Windows, with an empty line.
    const ids = `\ufeff2\r\n\nthree\r\nuser 4\n${'x'.repeat(1000)}\n5`;
    const { code, output, errors } = await runCommand(settings, ['user', 'delete', '--ids', '-'], ids);
    assert.deepEqual(
      [code, output, errors],
      [
        1,
        'deleted 2, deleted before 0, unknown 3\n',
        [
          'line 4: there is no user with the id "user 4"',
          'line 5: there is no user with the id "(too long)"',
          'line 6: there is no user with the id "5"',
          '',
        ].join('\n'),
      ],
    );
    assert.deepEqual(await Promise.all(users.map(logIn)), [200, 400, 400, 200]);
    await t.waitFor(async () => assert.equal((await server.get('/api/sessions', token)).status, 401), {
      timeout: 60_000,
    });

    const folder = await makeTemporaryFolder('ids');
    t.after(() => removeFolder(folder));
    const file = join(folder, 'ids');
    await writeFile(file, 'three\n4\n');
    const again = await runCommand(settings, ['user', 'delete', '--ids', file]);
    assert.deepEqual([again.code, again.output], [0, 'deleted 1, deleted before 1, unknown 0\n']);
    for (const words of [
      ['delete'],
      ['show', '--ids', file],
      ['delete', '1', '--ids', file],
      ['delete', '--ids', file, '--id'],
    ])
      assert.equal((await runCommand(settings, ['user', ...words])).code, 2, words.join(' '));
    assert.equal((await runCommand(settings, ['user', 'delete', '--ids', join(folder, 'none')])).code, 1);
  });

  test('beside a server, a new password replaces the old one and ends all sessions', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const { id, token } = (await server.post('/api/register', secret)).body.data;
    const { code, output } = await runCommand(settings, ['user', 'password', 'Älice']);
    const [, password] =
      /^the password of Älice \(\S+\) is now ([a-z2-9]{5}(?:-[a-z2-9]{5}){3}), sessions ended: 1\n$/.exec(
        output,
      ) ?? [];
    assert.equal(code, 0, output);
    assert.ok(password);
    await t.waitFor(async () => assert.equal((await server.get('/api/sessions', token)).status, 401), {
      timeout: 60_000,
    });
    assert.equal((await server.post('/api/login', secret)).body.error, 'wrong_password');
    const login = await server.post('/api/login', { ...secret, password });
    assert.deepEqual([login.status, login.body.data?.id], [200, id]);

    await runCommand(settings, ['user', 'delete', id]);
    const refused = await runCommand(settings, ['user', 'password', id]);
    assert.deepEqual([refused.code, refused.errors], [1, `${id} was deleted\n`]);
  });

  test('a link sets a new password through the server, whether it runs when the link is made or not', async (t) => {
    const settings = settingsOf(await database.create(t));
    const publicUrl = 'https://chat.example.com';
    const makeLink = async (changed: Record<string, string>) => {
      const { code, output, errors } = await runCommand({ ...settings, ...changed }, [
        'user',
        'link',
        'Älice',
      ]);
      assert.equal(code, 0, errors);
      const [, id, until = '', url, token] =
        /^Älice \((\S+)\) can set a new password once until (\S+): (\S+)\/set-password#([\w-]{43})\n$/.exec(
          output,
        ) ?? [];
      assert.ok(token, output);
      const leftMs = Date.parse(until) - Date.now();
      assert.ok(leftMs > 0 && leftMs <= 3_600_000, until);
      return { id, url, token, errors };
    };
    await runCommand(settings, ['import', '-'], JSON.stringify(secret));
    const first = await makeLink({ PUBLIC_URL: publicUrl });
    assert.deepEqual([first.url, first.errors], [publicUrl, '']);

    await using server = await startServer(settings);
    const use = (token: string, newPassword: string) =>
      server.post('/api/password-link', { token, newPassword });
    assert.equal((await use(first.token, 'the second')).status, 200);
    const login = await server.post('/api/login', { ...secret, password: 'the second' });
    assert.deepEqual([login.status, login.body.data?.id], [200, first.id]);

    const local = await makeLink({ PORT: '4000' });
    assert.equal(local.url, 'http://localhost:4000');
    assert.match(
      local.errors,
      /^this link works only on this machine: set PUBLIC_URL, .*localhost:4000 now\n$/,
    );
    assert.equal((await use(local.token, 'the third')).status, 200);
    assert.equal((await use(local.token, 'the fourth')).body.error, 'link_invalid');
    assert.equal((await server.post('/api/login', { ...secret, password: 'the third' })).status, 200);

    const { id = '' } = first;
    const unknownPort = await runCommand(settings, ['user', 'link', id]);
    assert.deepEqual(
      [unknownPort.code, unknownPort.errors],
      [1, 'the port of the server is not known: set PUBLIC_URL\n'],
    );
    await runCommand(settings, ['user', 'suspend', id]);
    const refused = await runCommand({ ...settings, PUBLIC_URL: publicUrl }, ['user', 'link', id]);
    assert.deepEqual(refused, { code: 1, output: '', errors: `Älice (${id}) is suspended\n` });
  });

  test('show finds a user by id or by any spelling of the name, and shows no secret', async (t) => {
    const settings = settingsOf(await database.create(t));
    const line = {
      username: 'Älice',
      password_hash: 'a'.repeat(64),
      phone: '+49 30 1234',
      created_at: 5,
      status: 'suspended',
    };
    await runCommand(settings, ['import', '-'], JSON.stringify(line));
    const { code, output } = await runCommand(settings, ['user', 'show', 'äLICE']);
    assert.equal(code, 0);
    const shown = JSON.parse(output);
    assert.deepEqual(
      { ...shown, id: '' },
      {
        ...{
          id: '',
          username: 'Älice',
          nickname: 'Älice',
          email: '',
          avatar: '',
          gender: '',
          bio: '',
          phone: '+49 30 1234',
        },
        ...{
          push_enabled: 1,
          dnd_enabled: 0,
          push_preview: 'sender',
          who_messages: 'everyone',
          who_friend_requests: 'everyone',
          who_presence: 'everyone',
          shows_read: 1,
          is_listed: 1,
          status: 'suspended',
          created_at: 5,
          sessions: 0,
        },
      },
    );
    assert.equal((await runCommand(settings, ['user', 'show', shown.id])).output, output);
    assert.deepEqual(await runCommand(settings, ['user', 'show', 'bob']), {
      code: 1,
      output: '',
      errors: 'there is no user with the name or id "bob"\n',
    });
  });

  test('a word that is the id of one user and the name of another names neither, unless --id or --name decides', async (t) => {
    const data = await database.create(t);
    const settings = settingsOf(data);
    const users = [
      { id: '42', username: 'alice' },
      { id: 'Bob', username: '42' },
      { id: 'carol', username: 'carol' },
      { id: 'dave', username: 'Bob' },
    ].map((user) => JSON.stringify({ ...user, password_hash: 'a'.repeat(64) }));
    assert.equal((await runCommand(settings, ['import', '-'], users.join('\n'))).code, 0);
    for (const action of ['suspend', 'delete', 'show']) {
      const refused = {
        code: 1,
        output: '',
        errors: '"42" is the id of alice and the name of 42 (Bob): add --id or --name\n',
      };
      assert.deepEqual(await runCommand(settings, ['user', action, '42']), refused);
    }
    const suspend = async (...words: string[]) => {
      const { code, output, errors } = await runCommand(settings, ['user', 'suspend', ...words]);
      return code === 0 ? output.replace(/, sessions.*\n/, '') : errors.split('\n')[0];
    };
    assert.equal(await suspend('42', '--id'), 'suspended alice (42)');
    assert.equal(await suspend('42', '--name', '--reason', 'why'), 'suspended 42 (Bob)');
    // Names are compared by their keys, ids exactly.
    assert.equal(await suspend('bob'), 'suspended Bob (dave)');
    assert.equal(
      await suspend('Bob'),
      '"Bob" is the id of 42 and the name of Bob (dave): add --id or --name',
    );
    assert.equal(await suspend('bob', '--id'), 'there is no user with the id "bob"');
    assert.equal(await suspend('dave', '--name'), 'there is no user with the name "dave"');
    for (const options of [[], ['--id'], ['--name']])
      assert.equal(await suspend('carol', ...options), 'suspended carol (carol)');
    assert.match(`${await suspend('42', '--id', '--name')}`, /^Usage: /);
  });
});
