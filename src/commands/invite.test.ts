import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { settingsOf, startServer } from '../../test/processes.ts';
import { commands } from './commands.ts';
import { runCommand as run } from './run.ts';

onEachDatabase('invite', (database) => {
  test('beside a server, a printed code admits as many users as it says, is listed, and ends when it is revoked', async (t) => {
    const env = { REGISTRATION: 'invite', PUBLIC_URL: 'https://chat.example.com' };
    const settings = settingsOf(await database.create(t), env);
    await using server = await startServer(settings);
    const register = async (username: string, invite: string) =>
      (await server.post('/api/register', { username, password: 'a password', invite })).body;

    const { code, output, errors } = await runCommand(settings, ['invite', '--uses', '3', '--days', '2']);
    assert.equal(code, 0);
    const [, invited = '', linked] =
      /^(\S{5}-\S{5})\nhttps:\/\/chat\.example\.com\/sign-up#invite=(\S+)\n$/.exec(output) ?? [];
    assert.equal(invited, linked, output);
    const [, until, id = ''] = /^good for 3 registrations until (\S+); its id is (\S+)\n$/.exec(errors) ?? [];
    const days = (Date.parse(until ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 1.9 && days <= 2, errors);
    assert.equal((await register('alice', invited)).code, 200);

    const { output: list } = await runCommand(settings, ['invite', 'list']);
    assert.equal(list, `${'id'.padEnd(36)}  left    expires\n${id}  2 of 3  ${until}\n`);
    assert.equal((await runCommand(settings, ['invite', 'revoke', id])).output, `revoked ${id}\n`);
    assert.equal((await register('bob', invited)).error, 'invite_required');
    assert.deepEqual(await runCommand(settings, ['invite', 'revoke', id]), {
      code: 1,
      output: '',
      errors: `there is no invite with the id "${id}": invite list shows the ids\n`,
    });
    const local = await runCommand({ ...settings, PUBLIC_URL: '', REGISTRATION: 'open' }, ['invite']);
    assert.match(local.errors, /^this link works only on this machine: set PUBLIC_URL, .*\ngood for 1 /);
    assert.match(
      local.errors,
      /\nREGISTRATION is open in this environment: on such a server no invite is needed\n$/,
    );
  });
});

test('numbers beyond the bounds, and other words, are no valid command', async () => {
  const bounds = {
    uses: '--uses must be a whole number from 1 to 100000',
    days: '--days must be a whole number from 1 to 365',
  };
  const cases: [words: string[], why: string][] = [
    ...['0', '-1', '1.5', 'x', '100001'].map((n): [string[], string] => [
      [`--uses=${n}`],
      `${bounds.uses}\n`,
    ]),
    ...['0', '366'].map((n): [string[], string] => [[`--days=${n}`], `${bounds.days}\n`]),
    [['list', 'all'], ''],
    [['list', '--uses=2'], ''],
    [['revoke'], ''],
    [['make'], ''],
  ];
  for (const [words, why] of cases) {
    let errors = '';
    const stream = new Writable({
      write(chunk, _, done) {
        errors += chunk;
        done();
      },
    });
    const context = { env: {}, input: process.stdin, output: stream, errors: stream };
    assert.equal(await run(commands, context, ['invite', ...words]), 2, words.join(' '));
    assert.equal(
      errors,
      `${why}Usage: npm run --silent doorman -- invite [--uses N] [--days N] | list | revoke ID\n`,
    );
  }
});
