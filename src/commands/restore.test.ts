import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stdin } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { runCommand } from '../../test/commands.ts';
import { onPostgres, onSqlite } from '../../test/databases.ts';
import { connectPostgres } from '../../test/postgres-client.ts';
import { settingsOf, startServer } from '../../test/processes.ts';
import { makeTemporaryFolder, removeFolder } from '../../test/temporary-folders.ts';
import { backup } from './backup.ts';
import type { Context } from './context.ts';
import { restore } from './restore.ts';

function contextOf(dataDir: string): Context {
  return { env: settingsOf({ dataDir }), input: stdin, output: new PassThrough(), errors: new PassThrough() };
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await makeTemporaryFolder('backup');
  t.after(() => removeFolder(folder));
  return folder;
}

onSqlite('restore', (database) => {
  test('a folder with a database or a running server, and a file that is none, are refused and stay as they are', async (t) => {
    const data = await database.create(t);
    assert.ok('dataDir' in data);
    const folder = await makeFolder(t);
    const file = join(folder, 'backup');
    await backup(contextOf(data.dataDir), [file]);
    const refuse = (dataDir: string, from: string, reason: RegExp) =>
      assert.rejects(restore(contextOf(dataDir), [from]), { message: reason });
    await refuse(data.dataDir, file, /^there is a database in .* already/);
    {
      await using _server = await startServer(settingsOf(data));
      await refuse(data.dataDir, file, /^Another Doorman server is running on /);
    }
    await assert.rejects(backup(contextOf(data.dataDir), [file]), {
      message: `${file} exists already: name a new file`,
    });

    const empty = join(folder, 'empty');
    await refuse(empty, join(folder, 'missing'), /^there is no file /);
    await writeFile(join(folder, 'text'), 'no database'.repeat(100));
    await refuse(empty, join(folder, 'text'), /not a database/);
    new DatabaseSync(join(folder, 'other')).exec('create table t (a)');
    await refuse(empty, join(folder, 'other'), /^it is no database of Doorman/);
    const orphaned = join(folder, 'orphaned');
    await copyFile(file, orphaned);
    new DatabaseSync(orphaned, { enableForeignKeyConstraints: false }).exec(
      "insert into inbox_heads (user_id) values ('nobody')",
    );
    await refuse(
      empty,
      orphaned,
      /^the database is damaged: row 1 of inbox_heads refers to a missing row of users/,
    );
    const torn = join(folder, 'torn');
    await copyFile(file, torn);
    damagePage(torn);
    await refuse(empty, torn, /damaged|malformed/);
    assert.deepEqual(await readdir(empty), ['server.lock']);
  });

  test('a copy of the database with its log beside it is restored too', async (t) => {
    const data = await database.create(t);
    assert.ok('dataDir' in data);
    const folder = await makeFolder(t);
    {
      await using server = await startServer(settingsOf(data));
      await server.post('/api/register', { username: 'alice', password: 'secret' });
      for (const suffix of ['', '-wal'])
        await copyFile(join(data.dataDir, `doorman.db${suffix}`), join(folder, `copy${suffix}`));
    }
    const restored = settingsOf({ dataDir: join(folder, 'data') });
    assert.equal((await runCommand(restored, ['restore', join(folder, 'copy')])).code, 0);
    assert.match((await runCommand(restored, ['user', 'show', 'alice'])).output, /"username": "alice"/);
  });
});

onPostgres('restore', (database) => {
  test('the named commands make a backup and restore it, with the epoch made new', async (t) => {
    const [before, after] = [settingsOf(await database.create(t)), settingsOf(await database.create(t))];
    const folder = await makeFolder(t);
    const file = join(folder, "o'clock.backup");
    const epochs: string[] = [];
    const signIn = async (settings: typeof before, path: string) => {
      await using server = await startServer(settings);
      const { body } = await server.post(path, { username: 'alice', password: 'secret' });
      epochs.push((await server.get('/api/sync', body.data.token)).body.data.epoch);
      if (path === '/api/register')
        await run(await named(settings, ['backup', file], 'nothing was backed up'));
      return body.data.id;
    };
    const named = async (settings: typeof before, words: string[], reason: string) => {
      const { code, output, errors } = await runCommand(settings, words);
      assert.equal(code, 1, 'nothing that runs by a schedule takes it for done');
      assert.ok(errors.startsWith(reason), errors);
      return { settings, lines: output.trimEnd().split('\n') };
    };
    const run = async ({ settings, lines }: Awaited<ReturnType<typeof named>>) => {
      for (const line of lines) {
        if (line.startsWith('npm run --silent doorman -- ')) await runCommand(settings, [line.slice(28)]);
        else await promisify(execFile)('sh', ['-c', line], { env: { ...process.env, ...settings } });
      }
    };
    const id = await signIn(before, '/api/register');
    await using sql = await connectPostgres(after.DATABASE_URL ?? '');
    await sql.rows('drop schema public cascade');
    await sql.rows('create schema public');
    await run(await named(after, ['restore', file], 'nothing was restored'));
    assert.equal(await signIn(after, '/api/login'), id);
    assert.notEqual(epochs[0], epochs[1]);
  });
});

/** Overwrites the first page of the users. */
function damagePage(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true });
  const page = Number(db.prepare("select rootpage from sqlite_schema where name = 'users'").get()?.rootpage);
  const bytes = Number(db.prepare('pragma page_size').get()?.page_size);
  db.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(bytes, 'x'), 0, bytes, (page - 1) * bytes);
  closeSync(descriptor);
}
