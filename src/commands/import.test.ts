import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runCommand } from '../../test/commands.ts';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { runImport, toLines } from '../../test/imported.ts';
import { settingsOf, startCommand, startServer } from '../../test/processes.ts';

const hash = 'a'.repeat(64);

/** The first line of what `import` writes. */
function summaryOf(output: string): string | undefined {
  return output.split('\n')[0];
}

async function exportOf(settings: Record<string, string>): Promise<Record<string, unknown>[]> {
  const { output } = await runCommand(settings, ['export']);
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

onEachDatabase('import and export', (database) => {
  test('an export, imported into an empty database, gives the same export', async (t) => {
    const [first, second] = [settingsOf(await database.create(t)), settingsOf(await database.create(t))];
    const users = Array.from({ length: 450 }, (_, n) => ({
      username: `user${n}`,
      password: 'secret',
      created_at: 1000 - n,
    }));
    const special = {
      username: 'Ünïcödé 名',
      password: '密码密码密码',
      nickname: 'Ελπίς',
      email: 'a@example.org',
      avatar: 'https://example.org/a.png',
      gender: 'female',
      bio: 'two\nlines "quoted" 😀',
      phone: '+49 30 1234',
      push_enabled: 0,
      dnd_enabled: 1,
      push_preview: 'full',
      who_messages: 'requests',
      who_friend_requests: 'nobody',
      who_presence: 'friends',
      shows_read: 0,
      is_listed: 0,
      status: 'deleted',
    };
    assert.deepEqual(await runImport(first, toLines(...users, special)), {
      code: 0,
      output: 'imported 451, already there 0, refused 0\n',
      errors: '',
    });

    const exported = await runCommand(first, ['export']);
    assert.equal(exported.errors, '');
    const rows = exported.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map((row) => row.username),
      [...users, special].map((user) => user.username),
    );
    const { id, password_hash, created_at, ...last } = rows.at(-1);
    assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const { password: _, ...expected } = special;
    assert.deepEqual(last, expected);
    assert.match(password_hash, /^\$bcrypt-sha256\$v=2,t=2b,r=4\$/);
    assert.ok(Math.abs(created_at - Date.now()) < 60_000);
    assert.deepEqual(
      { ...rows[0], id: '', password_hash: '' },
      {
        ...{
          id: '',
          username: 'user0',
          password_hash: '',
          nickname: 'user0',
          email: '',
          avatar: '',
          gender: '',
          bio: '',
          phone: '',
        },
        ...{ push_enabled: 1, dnd_enabled: 0, push_preview: 'sender' },
        ...{ who_messages: 'everyone', who_friend_requests: 'everyone', who_presence: 'everyone' },
        ...{ shows_read: 1, is_listed: 1, created_at: 1000 },
      },
    );

    assert.equal((await runCommand(second, ['import', '-'], exported.output)).code, 0);
    const { output } = await runCommand(second, ['export']);
    assert.ok(output === exported.output, 'another export');
  });

  test('users who can undo their deletion keep its time and their address, and erased users are left out', async (t) => {
    const [first, second] = [settingsOf(await database.create(t)), settingsOf(await database.create(t))];
    const dueAt = Date.now() + 60_000;
    const [alice, bob] = [
      {
        id: '1',
        username: 'alice',
        password: 'secret',
        verified_email: 'a@example.org',
        status: 'deleted',
        delete_at: dueAt,
      },
      { id: '2', username: 'bob', password: 'secret' },
    ];
    // As a version before wrote an erased user.
    const carol = { id: '3', username: 'carol', created_at: 5, status: 'deleted' };
    assert.deepEqual(await runImport(first, toLines(alice, bob, carol)), {
      code: 0,
      output: 'imported 2, already there 0, refused 0, erased users left out 1\n',
      errors: '',
    });
    await runCommand(first, ['user', 'delete', '2', '--id']);
    const { output } = await runCommand(first, ['export']);
    const { id, status, verified_email, delete_at } = JSON.parse(output);
    assert.deepEqual([id, status, verified_email, delete_at], ['1', 'deleted', 'a@example.org', dueAt]);
    assert.equal((await runCommand(second, ['import', '-'], output)).code, 0);
    assert.equal((await runCommand(second, ['export'])).output, output);
    await using server = await startServer(second);
    const login = await server.post('/api/login', { username: 'a@example.org', password: 'secret' });
    assert.deepEqual([login.body.error, login.body.until], ['account_leaving', dueAt]);
    assert.equal((await server.post('/api/account/keep', { ticket: login.body.ticket })).body.data.id, '1');
    // What was undone is no deletion in a further export.
    const kept = JSON.parse((await runCommand(second, ['export'])).output);
    assert.deepEqual([kept.status, kept.delete_at], [undefined, undefined]);
    assert.equal((await server.post('/api/register', { username: 'carol', password: 'secret' })).status, 200);
    assert.equal((await runCommand(second, ['check'])).code, 0);
  });

  test('a repeat leaves existing users unchanged', async (t) => {
    const settings = settingsOf(await database.create(t));
    await runCommand(
      settings,
      ['import', '-'],
      toLines({ username: 'Alice', password_hash: hash, bio: 'first' }),
    );
    const before = await exportOf(settings);
    const again = toLines(
      { username: 'Alice', password: 'another', bio: 'second' },
      { username: 'bob', password_hash: hash },
    );
    const { code, output } = await runCommand(settings, ['import', '-'], again);
    assert.deepEqual([code, summaryOf(output)], [0, 'imported 1, already there 1, refused 0']);
    const after = await exportOf(settings);
    assert.deepEqual(after[0], before[0]);
    assert.deepEqual(
      after.map((row) => row.username),
      ['Alice', 'bob'],
    );
  });

  test('refused lines are reported with their reason, and the others are imported', async (t) => {
    const settings = settingsOf(await database.create(t));
    await runCommand(settings, ['import', '-'], toLines({ username: 'Alice', password_hash: hash }));
    const lines = [
      toLines({ username: 'bob', password_hash: hash }),
      '{"username":\n',
      '\n',
      toLines({ username: 'ALICE', password_hash: hash }, { username: 'c', password_hash: hash }),
      toLines({ username: 'ＢＯＢ', password_hash: hash }, { username: 'bob', password_hash: hash }),
      '{"username":"carol","password":"secret"}',
    ].join('');
    assert.deepEqual(await runImport(settings, lines), {
      code: 1,
      output: [
        'imported 2, already there 1, refused 4\n',
        "weak hashes, which the users' next login replaces: digest sha256 1\n",
      ].join(''),
      errors: [
        'line 2: is not valid JSON\n',
        'line 4: username is taken: there is "Alice"\n',
        'line 5: username must have 2 to 32 characters\n',
        'line 6: username is taken: there is "bob"\n',
      ].join(''),
    });
    assert.deepEqual(
      (await exportOf(settings)).map((row) => row.username),
      ['Alice', 'bob', 'carol'],
    );
  });

  test('a dry run reports what would happen and writes nothing', async (t) => {
    const settings = settingsOf(await database.create(t));
    await runCommand(settings, ['import', '-'], toLines({ username: 'Alice', password_hash: hash }));
    const before = await exportOf(settings);
    const others = Array.from({ length: 250 }, (_, n) => ({ username: `user${n}`, password: 'secret' }));
    const file = toLines(
      { username: 'Alice', password: 'secret' },
      { username: 'bob', password: 'short' },
      ...others,
      { username: 'user0', password: 'secret' },
      { username: 'USER1', password: 'secret' },
    );
    const dry = await runImport(settings, file, '--dry-run');
    const errors =
      'line 2: password must have at least 6 characters\nline 254: username is taken: there is "user1"\n';
    const output = 'imported 250, already there 2, refused 2\n';
    assert.deepEqual(dry, { code: 1, output: `dry run, nothing was written; would be: ${output}`, errors });
    assert.deepEqual(await exportOf(settings), before);
    assert.deepEqual(await runImport(settings, file), { code: 1, output, errors });
  });

  test('a repeat continues an import that was killed', async (t) => {
    const settings = settingsOf(await database.create(t));
    let written = 0;
    const nextUsers = () =>
      toLines(...Array.from({ length: 100 }, () => ({ username: `user${written++}`, password_hash: hash })));
    {
      await using command = startCommand(settings, ['import', '-']);
      const { stdin, stderr } = command.child;
      const progress = new Promise<string>((resolve) => {
        createInterface(stderr).on('line', (line) => line.startsWith('up to') && resolve(line));
      });
      for (let hasReported = false; !hasReported; ) {
        const full = !stdin.write(nextUsers());
        const drained = full && once(stdin, 'drain').then(() => false);
        hasReported = await Promise.race([drained, progress.then(() => true)]);
      }
      assert.match(await progress, /^up to line \d+: imported \d+, already there 0, refused 0$/);
    }
    const stored = (await exportOf(settings)).length;
    assert.ok(stored > 0 && stored < written, `${stored} of ${written} users after the kill`);
    assert.equal(stored % 10, 0);
    const names = Array.from({ length: written }, (_, n) => `user${n}`);
    const users = names.map((username) => ({ username, password_hash: hash }));
    const { code, output } = await runCommand(settings, ['import', '-'], toLines(...users));
    assert.deepEqual(
      [code, summaryOf(output)],
      [0, `imported ${written - stored}, already there ${stored}, refused 0`],
    );
    assert.deepEqual(
      (await exportOf(settings)).map((row) => row.username),
      names,
    );
  });
});

onSqlite('import and the folder', (database) => {
  test('an import makes a missing database; a dry run and an export do not', async (t) => {
    const data = await database.create(t);
    assert.ok('dataDir' in data);
    const settings = settingsOf({ dataDir: `${data.dataDir}/fresh` });
    const line = toLines({ username: 'alice', password: 'secret' });
    const output = 'dry run, nothing was written; would be: imported 1, already there 0, refused 0\n';
    assert.equal((await runCommand(settings, ['import', '--dry-run', '-'], line)).output, output);
    assert.deepEqual(await runCommand(settings, ['export']), {
      code: 1,
      output: '',
      errors: `there is no database in ${data.dataDir}/fresh: set DATA_DIR, or start the server once\n`,
    });
    assert.equal((await runCommand(settings, ['import', '-'], line)).code, 0);
    assert.equal((await runCommand(settings, ['export'])).code, 0);
  });

  test('a missing file is reported in one line', async (t) => {
    const settings = settingsOf(await database.create(t));
    const { code, errors } = await runCommand(settings, ['import', '/nowhere/users.jsonl']);
    assert.deepEqual([code, errors], [1, "ENOENT: no such file or directory, open '/nowhere/users.jsonl'\n"]);
  });

  test('an export that is not read to its end stops without an error', async (t) => {
    const settings = settingsOf(await database.create(t));
    const users = Array.from({ length: 2000 }, (_, n) => ({
      username: `user${n}`,
      password_hash: `$2b$04$${'a'.repeat(21)}u${'a'.repeat(30)}u`,
      bio: 'x'.repeat(900),
    }));
    const { output } = await runCommand(settings, ['import', '-'], toLines(...users));
    assert.equal(summaryOf(output), 'imported 2000, already there 0, refused 0');
    const env = { PATH: process.env.PATH, ...settings };
    const words = ['-c', '"$0" src/cli.ts export | head -n 1', process.execPath];
    const { stdout, stderr } = await promisify(execFile)('/bin/sh', words, { env });
    assert.equal(JSON.parse(stdout).username, 'user0');
    assert.doesNotMatch(stderr, /EPIPE/);
  });
});
