import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isForEachChange } from '../scripts/gates.ts';
import { type Setting, settings } from '../src/config/settings.ts';
import { onSqlite } from './databases.ts';
import { settingsOf, startServer } from './processes.ts';

const readme = readFileSync('README.md', 'utf8');

test('the table of settings is the one that readConfig reads', () => {
  const document = readFileSync('docs/settings.md', 'utf8');
  for (const [name, { default: value, meaning }] of Object.entries<Setting<unknown>>(settings))
    assert.ok(document.includes(`| \`${name}\` | ${value ? `\`${value}\`` : 'none'} | ${meaning} |`), name);
});

test('the promises name the tests that npm test leaves out', () => {
  const [, promises = ''] = /## Promises\n([\s\S]*?)\n## /.exec(`${readme}\n## `) ?? [];
  const cited = [...promises.matchAll(/`([^`]+(?:\/|\.test\.ts))`( †)?/g)];
  assert.ok(cited.length > 20);
  for (const [, path = '', mark] of cited) {
    const files = path.endsWith('/') ? globSync(`${path}**/*.test.ts`) : [path];
    const isRun = files.map(isForEachChange);
    assert.deepEqual([path, ...new Set(isRun)], [path, mark === undefined]);
  }
});

onSqlite('the first tour', (database) => {
  test('works when it is pasted', async (t) => {
    const tour = /## A first tour[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1];
    assert.ok(tour);
    await using server = await startServer(settingsOf(await database.create(t)));
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      tour.replace('http://localhost:3000', server.url),
    ]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      answers.map((answer) => answer.code),
      [200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 400],
    );
    const [, users, bob, profile, , sent, unread, , blocked] = answers;
    assert.deepEqual(
      users.data.map((user: { username: string }) => user.username),
      ['alice', 'bob'],
    );
    assert.equal(bob.data.nickname, 'Bob');
    assert.equal(profile.data.bio, 'Down the rabbit hole');
    assert.equal(sent.data.n, 1);
    assert.deepEqual([unread.data[0].unread, unread.data[0].last.body], [1, 'Tea at five?']);
    assert.match(unread.data[0].last.cid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(blocked.data[0].username, 'bob');
    assert.equal(answers.at(-1).msg, '密码错误');
  });
});
