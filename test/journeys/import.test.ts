import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import * as bcrypt from '@node-rs/bcrypt';
import type { SchemaDb } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { runCommand } from '../commands.ts';
import { type DatabaseSettings, onEachDatabase } from '../databases.ts';
import { settingsOf, startServer } from '../processes.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Passwords in the forms that a database of the old service may hold, each made as that service made it. */
async function makeStored(password: string): Promise<Record<string, string>> {
  // 16 zero bytes in bcrypt's own Base64.
  const salt = '.'.repeat(22);
  const digest = createHmac('sha256', salt).update(password).digest('base64');
  const bcryptSha256 = (await bcrypt.hash(digest, 4, Buffer.alloc(16))).slice(29);
  // The three versions differ in name only for passwords of valid UTF-8 below 256 bytes.
  const plain = async (version: '2a' | '2b' | '2y') =>
    (await bcrypt.hash(password, 4)).replace(/^\$2.\$/, `$${version}$`);
  return {
    'bcrypt-sha256': `$bcrypt-sha256$v=2,t=2b,r=4$${salt}$${bcryptSha256}`,
    'bcrypt 2a': await plain('2a'),
    'bcrypt 2b': await plain('2b'),
    'bcrypt 2y': await plain('2y'),
    'sha256 lower case': sha256(password),
    'sha256 upper case': sha256(password).toUpperCase(),
    'sha256 with salt': `sha256$pepper$${sha256(`pepper${password}`)}`,
    'sha256 with salt, upper case': `sha256$Söl$${sha256(`Söl${password}`).toUpperCase()}`,
  };
}

function openDatabase(settings: DatabaseSettings): Promise<SchemaDb> {
  return 'dataDir' in settings
    ? openSqlite({ folder: settings.dataDir })
    : openPostgres({ url: settings.databaseUrl });
}

/** The stored password hash of each user, by username. */
async function readHashes(settings: DatabaseSettings): Promise<Map<string, string>> {
  await using db = await openDatabase(settings);
  const rows = await db.all<{
    username: string;
    password_hash: string;
  }>`select username, password_hash from users`;
  return new Map(rows.map((row) => [row.username, row.password_hash]));
}

onEachDatabase('moving from the old service', (database) => {
  test('users sign in with the password they had, in whatever form it was stored, and with no other', async (t) => {
    const data = await database.create(t);
    const settings = settingsOf(data);
    const password = 'pässwörd 密码';
    const stored = await makeStored(password);
    const lines = Object.entries(stored).map(([username, password_hash]) =>
      JSON.stringify({ username, password_hash }),
    );
    lines.push(JSON.stringify({ username: 'plain text', password }));
    const imported = await runCommand(settings, ['import', '-'], lines.join('\n'));
    assert.deepEqual(imported, { code: 0, output: 'imported 9, already there 0, refused 0\n', errors: '' });

    const before = await readHashes(data);
    assert.equal(before.size, 9);
    for (const [username, hash] of before) {
      assert.match(hash, /^\$(bcrypt-sha256|bcrypt-sha256-legacy|2[aby])\$/, `what rests of ${username}`);
      assert.equal(/sha256 /.test(username), hash.startsWith('$bcrypt-sha256-legacy$'), username);
    }
    const rest = [...before.values()].join('\n').toLowerCase();
    for (const digest of [sha256(password), sha256(`pepper${password}`), sha256(`Söl${password}`)])
      assert.ok(!rest.includes(digest), 'a raw SHA-256 rests in the database');

    await using server = await startServer(settings);
    for (const username of before.keys()) {
      const others = [
        'pässwörd 密',
        'pässwörd 密码 ',
        'Pässwörd 密码',
        '',
        stored[username] ?? sha256(password),
      ];
      for (const other of others) {
        const { status, body } = await server.post('/api/login', { username, password: other });
        assert.deepEqual([status, body.msg], [400, '密码错误'], `${username} with ${other}`);
      }
      const { status, body } = await server.post('/api/login', { username, password });
      assert.equal(status, 200, username);
      assert.equal(body.data.username, username);
    }

    for (const [username, hash] of await readHashes(data))
      assert.match(hash, /^\$bcrypt-sha256\$v=2,t=2b,r=4\$/, `the hash of ${username} after the login`);
    for (const username of before.keys())
      assert.equal((await server.post('/api/login', { username, password })).status, 200, username);
  });

  test('a server that runs beside the import signs the new users in at once, and lists them within a second', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const { body } = await server.post('/api/register', { username: 'alice', password: 'secret' });
    const names = async () => {
      const list = await server.get('/api/users', body.data.token);
      return list.body.data.map((user: { username: string }) => user.username);
    };
    assert.deepEqual(await names(), ['alice']);
    const users = Array.from({ length: 600 }, (_, n) => `{"username":"user${n}","password":"secret"}`);
    assert.equal((await runCommand(settings, ['import', '-'], users.join('\n'))).code, 0);
    assert.equal((await server.post('/api/login', { username: 'user599', password: 'secret' })).status, 200);
    await t.waitFor(async () => assert.equal((await names()).length, 601), { timeout: 60_000 });
  });
});
