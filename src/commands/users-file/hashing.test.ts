import assert from 'node:assert/strict';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { onSqlite } from '../../../test/databases.ts';
import { settingsOf, startCommand } from '../../../test/processes.ts';
import { makeTemporaryFolder, removeFolder } from '../../../test/temporary-folders.ts';
import { countHashed, describeHashing, WeakForms } from './hashing.ts';

const hex = 'a'.repeat(64);

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await makeTemporaryFolder('hashing');
  t.after(() => removeFolder(folder));
  return folder;
}

test('the expected time of hashing has a unit that suits it, and a short one is not announced', () => {
  const million = 'about 1000000 passwords are hashed by BCRYPT_COST, ';
  assert.equal(describeHashing(1_000_000, 1000 / 30), `${million}30 a second: this takes 9.3 hours`);
  assert.equal(describeHashing(1_000_000, 2.1), `${million}476 a second: this takes 35 minutes`);
  assert.equal(
    describeHashing(20, 2600),
    'about 20 passwords are hashed by BCRYPT_COST, 2.6 seconds each: this takes 52 seconds',
  );
  assert.equal(describeHashing(100, 99), undefined);
  assert.equal(describeHashing(100, 100)?.endsWith('10 seconds'), true);
});

test('digests and passwords of users are counted, other hashes and what messages say are not', async (t) => {
  const file = join(await makeFolder(t), 'all.jsonl');
  const lines: object[] = [
    { username: 'a', password: 'secret' },
    { username: 'b', password_hash: hex },
    { username: 'c', password_hash: `sha256$salt$${hex}` },
    { username: 'd', password_hash: `digest$md5$before$$${hex.slice(32)}` },
    { username: 'e', password_hash: `$2b$10$${'.'.repeat(53)}` },
    { username: 'f', password_hash: '!' },
    { message: { id: '1', from: 'a', to: 'b', body: '{"password":"x","password_hash":"digest$"}', at: 1 } },
  ];
  await writeFile(
    file,
    `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"username":"g", "password" : "secret"}`,
  );
  await using handle = await open(file);
  assert.equal(await countHashed(handle), 5);
  // The whole file is still there to be read.
  assert.equal((await handle.readFile('utf8')).split('\n').length, 8);
});

onSqlite('import and its hashes', (database) => {
  test('the command says first how long the hashing of a file takes', async (t) => {
    const settings = settingsOf(await database.create(t), { BCRYPT_COST: '12' });
    const file = join(await makeFolder(t), 'users.jsonl');
    const users = Array.from(
      { length: 5000 },
      (_, n) => `{"username":"user${n}","password_hash":"${hex}"}\n`,
    );
    await writeFile(file, users.join(''));
    await using command = startCommand(settings, ['import', file]);
    const [line] = await once(createInterface(command.child.stderr), 'line');
    assert.match(
      line,
      /^about 5000 passwords are hashed by BCRYPT_COST, [\d.]+ [ a-z]+: this takes [\d.]+ \w+$/,
    );
  });
});

test('weak hashes are counted by form, in the order of the forms', () => {
  const forms = new WeakForms(10);
  assert.equal(`${forms}`, '');
  const strong = `$bcrypt-sha256$v=2,t=2b,r=10$${'.'.repeat(22)}$${'.'.repeat(31)}`;
  for (const stored of [strong, '', '!', 'nonsense']) forms.add(stored);
  assert.equal(`${forms}`, '');
  for (const stored of [
    `digest$md5$after$$${hex.slice(32)}`,
    hex,
    `$bcrypt-sha256-legacy$v=1,t=2b,r=10$$${'.'.repeat(22)}$${'.'.repeat(31)}`,
    strong.replace('r=10', 'r=9'),
    `$2b$12$${'.'.repeat(53)}`,
  ])
    forms.add(stored);
  assert.equal(`${forms}`, 'bcrypt 1, bcrypt-sha256 1, digest md5 1, digest sha256 2');
});
