import assert from 'node:assert/strict';
import {
  type Argon2Algorithm,
  argon2Sync,
  createHash,
  createHmac,
  pbkdf2Sync,
  randomBytes,
  scryptSync,
} from 'node:crypto';
import { test } from 'node:test';
import * as bcrypt from '@node-rs/bcrypt';
import type { SchemaDb } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { runCommand } from '../commands.ts';
import { type DatabaseSettings, onEachDatabase } from '../databases.ts';
import { type Caller, settingsOf, startServer } from '../processes.ts';

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

/** The forms of other programs, with small costs: those that are verified as they are, and digests. */
function makeForeign(password: string): Record<string, string> {
  const salt = randomBytes(16);
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const argon2 = (algorithm: Argon2Algorithm) => {
    const costs = { memory: 64, passes: 2, parallelism: 2, tagLength: 32 };
    const key = argon2Sync(algorithm, { message: password, nonce: salt, ...costs });
    return `$${algorithm}$v=19$m=64,t=2,p=2$${base64(salt)}$${base64(key)}`;
  };
  const scrypt = scryptSync(password, salt, 32, { N: 16, r: 8, p: 2 });
  const passlib = (form: string, algorithm: string, bytes: number) => {
    const key = pbkdf2Sync(password, salt, 100, bytes, algorithm);
    return [`$${form}$100`, base64(salt), base64(key)].join('$').replaceAll('+', '.');
  };
  const django = (algorithm: string, bytes: number) =>
    `pbkdf2_${algorithm}$100$sält$${pbkdf2Sync(password, 'sält', 100, bytes, algorithm).toString('base64')}`;
  const digest = (algorithm: string, side: 'before' | 'after', salt: string) => {
    const text = side === 'before' ? `${salt}${password}` : `${password}${salt}`;
    return `digest$${algorithm}$${side}$${salt}$${createHash(algorithm).update(text).digest('hex')}`;
  };
  return {
    argon2id: argon2('argon2id'),
    argon2i: argon2('argon2i'),
    scrypt: `$scrypt$ln=4,r=8,p=2$${base64(salt)}$${base64(scrypt)}`,
    'pbkdf2 of passlib': passlib('pbkdf2', 'sha1', 20),
    'pbkdf2-sha256 of passlib': passlib('pbkdf2-sha256', 'sha256', 32),
    'pbkdf2-sha512 of passlib': passlib('pbkdf2-sha512', 'sha512', 64),
    'pbkdf2_sha1 of Django': django('sha1', 20),
    'pbkdf2_sha256 of Django': django('sha256', 32),
    'digest md5': digest('md5', 'before', ''),
    'digest md5 after': digest('md5', 'after', 'p$q密')
      .toUpperCase()
      .replace('DIGEST$MD5$AFTER$P$Q', 'digest$md5$after$p$q'),
    'digest sha1': digest('sha1', 'before', 'pepper'),
    'digest sha256': digest('sha256', 'before', 'pepper'),
    'digest sha256 after': digest('sha256', 'after', 'pepper'),
    'digest sha512': digest('sha512', 'before', 'pepper'),
    'digest sha512 after': digest('sha512', 'after', 'pepper'),
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
    const stored = { ...(await makeStored(password)), ...makeForeign(password) };
    const lines = Object.entries(stored).map(([username, password_hash]) =>
      JSON.stringify({ username, password_hash }),
    );
    lines.push(JSON.stringify({ username: 'plain text', password }));
    const imported = await runCommand(settings, ['import', '-'], lines.join('\n'));
    const weak = [
      'argon2i 1, argon2id 1, bcrypt 3, digest md5 2, digest sha1 1, digest sha256 6, digest sha512 2, pbkdf2 5, scrypt 1',
    ];
    assert.deepEqual(imported, {
      code: 0,
      output: `imported 24, already there 0, refused 0\nweak hashes, which the users' next login replaces: ${weak}\n`,
      errors: '',
    });

    const before = await readHashes(data);
    assert.equal(before.size, 24);
    for (const [username, hash] of before) {
      const isDigest = /^(sha256|digest) /.test(username);
      assert.equal(/^\$bcrypt-(sha256-legacy|digest)\$/.test(hash), isDigest, username);
      if (!isDigest && username !== 'plain text') assert.equal(hash, stored[username], username);
    }
    const rest = [...before.values()].join('\n').toLowerCase();
    for (const [username, text] of Object.entries(stored)) {
      const digest = /[0-9a-f]{32,}$/.exec(text.toLowerCase())?.[0];
      assert.ok(
        digest === undefined || !rest.includes(digest),
        `the digest of ${username} rests in the database`,
      );
    }

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

  test('a server that is killed amid the first logins leaves each user a hash of their password', async (t) => {
    const data = await database.create(t);
    const settings = settingsOf(data);
    const stored = { ...(await makeStored('secret1')), ...makeForeign('secret1') };
    const users = Object.entries(stored).map(([username, password_hash]) => ({ username, password_hash }));
    const lines = users.map((user) => JSON.stringify(user)).join('\n');
    assert.equal((await runCommand(settings, ['import', '-'], lines)).code, 0);
    const before = await readHashes(data);
    const signIn = (server: Caller, username: string) =>
      server.post('/api/login', { username, password: 'secret1' });
    {
      await using server = await startServer(settings);
      const logins = users.map(({ username }) => signIn(server, username));
      await Promise.any(logins);
      await server.kill();
      await Promise.allSettled(logins);
    }
    for (const [username, hash] of await readHashes(data))
      assert.ok(hash === before.get(username) || hash.startsWith('$bcrypt-sha256$v=2'), username);
    await using server = await startServer(settings);
    for (const { username } of users) {
      assert.equal((await signIn(server, username)).status, 200, username);
      assert.equal(
        (await server.post('/api/login', { username, password: 'secret2' })).status,
        400,
        username,
      );
    }
    for (const [username, hash] of await readHashes(data))
      assert.match(hash, /^\$bcrypt-sha256\$v=2/, username);
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
