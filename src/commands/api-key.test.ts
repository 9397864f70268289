import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { openOf } from '../../test/imported.ts';
import { addCrowd } from '../../test/people.ts';
import { settingsOf, startCommand, startServer } from '../../test/processes.ts';

/** Whose sessions end in many slices. */
const SENDERS = 20_000;
const ADDED = /^dk_[\w-]{43}\n$/;

onEachDatabase('api-key', (database) => {
  test('beside a server, a printed key calls what it may, is listed without itself, and ends when it is revoked', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const run = (...words: string[]) => runCommand(settings, ['api-key', ...words]);
    const call = async (token: string) =>
      (await server.get('/api/admin/presence?ids=x', token)).body.error ?? 'good';

    const { code, output, errors } = await run('add', 'shop-1');
    assert.match(output, ADDED);
    assert.deepEqual(
      [code, errors],
      [0, 'the key shop-1 may call: users, sessions, relations, messages; it is not shown again\n'],
    );
    const all = output.trim();
    const some = (await run('add', 'bot', '--may', 'messages,relations')).output.trim();
    assert.deepEqual([await call(all), await call(some)], ['good', 'key_not_allowed']);
    assert.deepEqual(await run('add', 'bot'), {
      code: 1,
      output: '',
      errors: 'there is an API key with the name bot: revoke it, or choose another name\n',
    });

    const list = (await run('list')).output;
    const lines = list.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^name {4}may {32}created {19}used \(hour\)$/);
    assert.match(lines[1] ?? '', /^bot {5}relations,messages {17}20\S+Z {2}never$/);
    assert.match(lines[2] ?? '', /^shop-1 {2}users,sessions,relations,messages {2}20\S+Z {2}never$/);
    assert.ok(!list.includes(all.slice(3)));

    assert.deepEqual(await run('revoke', 'shop-1'), { code: 0, output: 'revoked shop-1\n', errors: '' });
    await eventually(async () => (await call(all)) === 'key_required');
    assert.equal(await call(some), 'key_not_allowed');
    assert.deepEqual(await run('revoke', 'shop-1'), {
      code: 1,
      output: '',
      errors: 'there is no API key with the name "shop-1": api-key list shows the names\n',
    });
    assert.match((await run('add', 'shop-1')).output, ADDED);
  });

  test('a revocation that was killed halfway holds, and a server that starts ends the sessions that it left', async (t) => {
    const data = await database.create(t);
    const settings = settingsOf(data);
    const token = (await runCommand(settings, ['api-key', 'add', 'shop'])).output.trim();
    await using db = await openOf(data);
    await addCrowd(db, SENDERS);
    await db.run`
      insert into sessions (id, user_id, device, created_at, used_at)
      select 's' || id, id, 'API key shop', ${Date.now()}, ${Date.now()} from users`;
    await db.run`
      insert into api_key_sessions (key_id, user_id, session_id)
      select api_keys.id, users.id, 's' || users.id from api_keys, users`;
    const left = async () => Number((await db.get<{ n: number }>`select count(*) as n from sessions`)?.n);

    await using revoke = startCommand(settings, ['api-key', 'revoke', 'shop']);
    await eventually(async () => (await left()) < SENDERS);
    revoke.child.kill('SIGKILL');
    assert.equal((await revoke.ended).code, null);
    const count = await left();
    assert.ok(count > 0 && count < SENDERS, String(count));
    assert.equal((await runCommand(settings, ['api-key', 'revoke', 'shop'])).code, 1, 'the name is free');

    await using server = await startServer(settings);
    assert.equal((await server.get('/api/admin/presence?ids=x', token)).status, 401);
    await eventually(async () => (await db.all`select id from api_keys`).length === 0);
    assert.equal(await left(), 0);
    const logged = await db.get<{ n: number }>`
      select count(distinct session_id) as n from account_log where what = 'session_ended'`;
    assert.deepEqual(logged, { n: SENDERS }, 'each session ended once');
  });
});

test('names and rights that are none, and other words, are no valid command', async () => {
  const name = 'NAME must have 1 to 32 of a-z, 0-9 and -\n';
  const may = '--may takes some of users,sessions,relations,messages, each once, separated by commas\n';
  const cases: [words: string[], why: string][] = [
    ...['', 'Shop', 'a b', 'a_b', 'ä', 'x'.repeat(33)].map((one): [string[], string] => [['add', one], name]),
    ...['', 'all', 'users,', 'users,users', 'Users', 'users, sessions'].map((one): [string[], string] => [
      ['add', 'shop', `--may=${one}`],
      may,
    ]),
    [[], ''],
    [['add'], ''],
    [['add', 'a', 'b'], ''],
    [['list', 'all'], ''],
    [['list', '--may=users'], ''],
    [['revoke'], ''],
    [['show', 'shop'], ''],
  ];
  for (const [words, why] of cases) {
    const { code, errors } = await runCommand({}, ['api-key', ...words]);
    assert.equal(code, 2, words.join(' '));
    assert.ok(errors.startsWith(`${why}Usage: npm run --silent doorman -- api-key add NAME`), errors);
  }
});
