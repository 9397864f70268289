import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onSqlite } from '../../test/databases.ts';
import { settingsOf, startCommand, startServer } from '../../test/processes.ts';

const usage = `Usage: npm run --silent doorman -- COMMAND

  import FILE.jsonl [--dry-run]                                     store users, friendships, blocks and messages, one a line; - reads standard input
  export                                                            write all users to standard output, as import reads them
  keys rotate jwt|vapid [--revoke]                                  make a new key for tokens, or for push subscriptions; --revoke: earlier tokens end
  user show|suspend|restore|delete|password|link|export NAME-OR-ID  show a user, suspend, restore or delete their account, make a new password or a link to set one, write all data of a user as lines of JSON; suspend: --reason TEXT, --until TIME; --id, --name: what the word is; delete --ids FILE: all whose ids are in a file
  reports [--open]                                                  list what users reported, a line each; --open: only what is not decided on
  report ID [--act dismiss|suspend --note TEXT]                     show a report, or decide on it; the note of suspend is the reason that the user reads; --until TIME ends the suspension; --pictures FOLDER writes the pictures of its messages
  invite [--uses N] [--days N] | list | revoke ID                   make an invite for new users (1 use, 7 days), list or revoke invites
  api-key add NAME [--may RIGHTS] | list | revoke NAME              make an API key for a product's backend, list or revoke keys; --may: what it may do, else everything
  mail test ADDRESS                                                 send a mail to an address, to see whether SMTP_URL works
  backup FILE                                                       copy the embedded database to a new file, also beside a server
  restore FILE                                                      make the database of an empty folder from a backup
  restored                                                          after a backup was restored by another tool: make every device start from a new snapshot
  copy                                                              copy the embedded database into an empty PostgreSQL database
  check                                                             check the settings, the database and the keys
  health [--url URL]                                                ask whether the server answers

The settings are those of the server, from the environment. See docs/commands.md.
`;

test('no command, or help, lists the commands', async () => {
  for (const words of [[], ['help'], ['--help']])
    assert.deepEqual(await runCommand({}, words), { code: 0, output: usage, errors: '' });
});

test('an unknown command is reported on standard error', async () => {
  const errors = `There is no command "exprot".\n\n${usage}`;
  assert.deepEqual(await runCommand({}, ['exprot']), { code: 2, output: '', errors });
  assert.equal((await runCommand({}, ['constructor'])).code, 2);
});

test('a command with invalid arguments shows its usage', async () => {
  const wrong = {
    'import FILE.jsonl [--dry-run]': [['import'], ['import', 'a', 'b'], ['import', '--dry', '-']],
    export: [['export', 'file']],
    'keys rotate jwt|vapid [--revoke]': [
      ['keys'],
      ['keys', 'rotate', 'toString'],
      ['keys', 'rotate', 'jwt', 'now'],
      ['keys', 'rotate', 'vapid', '--revoke'],
    ],
    'user show|suspend|restore|delete|password|link|export NAME-OR-ID': [
      ['user', 'show'],
      ['user', 'ban', 'bob'],
      ['user', 'show', 'a', 'b'],
    ],
    'backup FILE': [['backup'], ['backup', 'a', 'b']],
    'restore FILE': [['restore'], ['restore', '--force', 'a']],
    check: [['check', '--fix']],
    'health [--url URL]': [
      ['health', 'now'],
      ['health', '--url', 'localhost:3000'],
      ['health', '--url', 'https://localhost'],
    ],
  };
  for (const [command, attempts] of Object.entries(wrong)) {
    const errors = `Usage: npm run --silent doorman -- ${command}\n`;
    const answers = await Promise.all(attempts.map((words) => runCommand({}, words)));
    for (const answer of answers) assert.deepEqual(answer, { code: 2, output: '', errors });
  }
});

test('invalid settings are reported together, before anything is done', async () => {
  const errors =
    'PORT must be a whole number from 0 to 65535\nBCRYPT_COST must be a whole number from 4 to 15\n';
  const settings = { PORT: '-1', BCRYPT_COST: '3' };
  assert.deepEqual(await runCommand(settings, ['export']), { code: 1, output: '', errors });
  assert.deepEqual(await runCommand(settings, ['import', '-']), { code: 1, output: '', errors });
});

onSqlite('Commands', (database) => {
  test('each runs as a process of its own', async (t) => {
    const settings = settingsOf(await database.create(t));
    const { DATA_DIR: folder = '' } = settings;
    await using server = await startServer(settings);
    const backup = join(folder, 'backup');
    const restored = { ...settings, DATA_DIR: join(folder, 'restored') };
    const run = async (words: string[], { env = settings, input = '' } = {}) => {
      await using command = startCommand(env, words);
      command.child.stdin.end(input);
      return await command.ended;
    };
    await server.post('/api/register', { username: 'alice', password: 'password' });
    const exported = (await run(['export'])).output;
    assert.match(exported, /^\{.*"alice"/);
    assert.match((await run(['import', '-'], { input: exported })).output, /already there 1/);
    assert.match((await run(['keys', 'rotate', 'jwt'])).output, /good keys: 2\n$/);
    assert.match((await run(['user', 'show', 'alice'])).output, /"username": "alice"/);
    assert.match((await run(['invite'])).output, /^\S{5}-\S{5}\n/);
    assert.equal((await run(['backup', backup])).code, 0);
    assert.equal((await run(['restore', backup], { env: restored })).code, 0);
    assert.equal((await run(['restored'], { env: restored })).code, 0);
    assert.equal((await run(['check'])).code, 0);
    assert.match((await run(['health', '--url', server.url])).output, /is healthy/);
  });
});
