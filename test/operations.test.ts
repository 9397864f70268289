import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { onSqlite } from './databases.ts';
import { settingsOf, startServer } from './processes.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

const run = promisify(execFile);
const document = readFileSync('docs/operations.md', 'utf8');
const secret = { username: 'alice', password: 'wonderland' };

/** A script of the document, with paths of its example replaced. */
function script(name: string, replaced: Record<string, string>): string {
  let text = new RegExp(`\`\`\`sh ${name}\n(.*?)\`\`\``, 's').exec(document)?.[1] ?? assert.fail(name);
  for (const [from, to] of Object.entries(replaced)) {
    assert.ok(text.includes(from), from);
    text = text.replaceAll(from, to);
  }
  return text;
}

onSqlite('docs/operations.md, backup and restore', (database) => {
  test('work as printed: the timer’s script beside a server, then each step of the restore', async (t) => {
    const data = await database.create(t);
    assert.ok('dataDir' in data);
    const folder = await makeTemporaryFolder('operations');
    t.after(() => removeFolder(folder));
    const settings = settingsOf(data);
    const env = { ...settings, PATH: process.env.PATH };

    const server = await startServer(settings);
    const { token } = (await server.post('/api/register', secret)).body.data;
    const leaving = { username: 'leaving', password: 'wonderland' };
    const { id: leavingId } = (await server.post('/api/register', leaving)).body.data;
    const outdated = join(folder, 'doorman-2020-01-01T000000.db');
    await writeFile(outdated, '');
    await utimes(outdated, 0, 0);
    await writeFile(join(folder, 'backup.sh'), script('doorman-backup', { '/opt/doorman': process.cwd() }));
    await run('sh', [join(folder, 'backup.sh'), folder], { env });
    const [file = '', ...others] = (await readdir(folder)).filter((name) => name.endsWith('.db'));
    assert.match(file, /^doorman-\d{4}-\d\d-\d\dT\d{6}\.db$/);
    assert.deepEqual(others, [], 'the outdated one is removed');
    assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600);
    await server.post('/api/register', { ...secret, username: 'later' });
    // One who was there at the backup, and one who was not.
    for (const name of ['leaving', 'later'])
      await run(process.execPath, ['src/cli.ts', 'user', 'delete', name], { env });
    const erased = () => server.lines.filter((line) => line.includes('account erased')).length;
    await t.waitFor(() => assert.equal(erased(), 2), { timeout: 60_000 });
    await writeFile(join(folder, 'log'), server.lines.map((line) => `${line}\n`).join(''));
    await server.kill();

    const steps = script('restore', {
      'systemctl stop doorman': ':',
      'systemctl start doorman': ':',
      'journalctl -u doorman -o cat': `cat ${join(folder, 'log')}`,
      '> erased': `> ${join(folder, 'erased')}`,
      '--ids erased': `--ids ${join(folder, 'erased')}`,
      lost: join(folder, 'lost'),
      'DATA_DIR=data': `DATA_DIR=${data.dataDir}`,
      'data/doorman.db': join(data.dataDir, 'doorman.db'),
      '--reference=data data/*': `--reference=${data.dataDir} ${data.dataDir}/*`,
      'npm run --silent doorman --': `${process.execPath} src/cli.ts`,
      '/backups/doorman-2026-11-23T000700.db': join(folder, file),
    });
    const { stdout, stderr } = await run('sh', ['-uc', steps], { env });
    assert.match(stdout, /^restored .*\ndeleted 1, deleted before 0, unknown 1\nconfig: good\n/);
    assert.match(stderr, /^accounts that were erased since the backup are back: /m);
    assert.match(stderr, /^line \d: there is no user with the id /m);
    assert.ok((await readdir(join(folder, 'lost'))).includes('doorman.db'));

    await using restored = await startServer(settings);
    assert.equal((await restored.get('/api/sync', token)).status, 200);
    assert.equal((await restored.post('/api/login', { ...secret, username: 'later' })).status, 400);
    assert.equal((await restored.post('/api/login', leaving)).status, 400);
    assert.equal((await restored.get(`/api/user/profile/${leavingId}`)).status, 404);
    assert.equal((await restored.post('/api/register', leaving)).body.error, 'username_taken');
  });
});
