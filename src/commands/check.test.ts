import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { type DatabaseSettings, onEachDatabase, onSqlite } from '../../test/databases.ts';
import { settingsOf, startServer } from '../../test/processes.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';

function openDatabase(settings: DatabaseSettings) {
  return 'dataDir' in settings
    ? openSqlite({ folder: settings.dataDir })
    : openPostgres({ url: settings.databaseUrl });
}

onEachDatabase('check', (database) => {
  const name = database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL';

  test('beside a server there is no fault, and a line for each part', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const { publicKey } = (await server.get('/api/push/public-key')).body;
    const { kid } = (await server.get('/.well-known/jwks.json')).body.keys[0];
    const { code, output } = await runCommand(settings, ['check']);
    const [schema = ''] = /\d{4}-[a-z-]+/.exec(output) ?? [];
    const expected = [
      'config: good',
      `database: ${name}, schema ${schema}`,
      'tables: good',
      ...(database.kind === 'sqlite' ? ['file: good'] : []),
      ...[
        'references',
        'event logs',
        'conversations',
        'messages',
        'unread counts',
        'friends',
        'message requests',
        'pictures',
        'addresses',
        'push queue',
        'erased users',
      ].map((subject) => `${subject}: good`),
      `token keys: 1, new tokens are signed with ${kid}`,
      `push keys: new subscriptions get ${publicKey}`,
    ];
    assert.deepEqual([code, output.trimEnd().split('\n')], [0, expected]);
  });

  test('with mail it says by which server, without the password', async (t) => {
    const settings = settingsOf(await database.create(t), {
      SMTP_URL: 'smtp://chat:geheim@mail.example.com:587',
      PUBLIC_URL: 'https://chat.example.com',
    });
    const { output } = await runCommand(settings, ['check']);
    const [warning = '', good, mail] = output.split('\n');
    assert.match(warning, /^config: WARNING: SMTP_URL has a password, which is sent without TLS/);
    assert.equal(good, 'config: good');
    assert.equal(
      mail,
      'mail: by mail.example.com:587 from no-reply@chat.example.com; the command `mail test` sends one',
    );
    assert.doesNotMatch(output, /geheim/);
  });

  test('missing keys are a fault, and are not made', async (t) => {
    const data = await database.create(t);
    for (let time = 0; time < 2; time++) {
      const { code, output } = await runCommand(settingsOf(data), ['check']);
      assert.equal(code, 1);
      assert.deepEqual(output.trimEnd().split('\n').slice(-2), [
        'token keys: FAULT: there are none; the first start of the server makes them',
        'push keys: FAULT: there are none; the first start of the server makes them',
      ]);
    }
  });

  test('push keys that are no pair are a fault', async (t) => {
    const data = await database.create(t);
    for (const kind of ['jwt', 'vapid', 'vapid'])
      await runCommand(settingsOf(data), ['keys', 'rotate', kind]);
    {
      await using db = await openDatabase(data);
      const stored = await db.get<{ value: string }>`select value from service where name = 'vapid-keys'`;
      const [first, second] = JSON.parse(stored?.value ?? '');
      const mixed = JSON.stringify([{ ...first, publicKey: second.publicKey }]);
      await db.run`update service set value = ${mixed} where name = 'vapid-keys'`;
    }
    const { code, output } = await runCommand(settingsOf(data), ['check']);
    assert.equal(code, 1);
    const fault = 'push keys: FAULT: The VAPID public key does not belong to the private key';
    assert.equal(output.trimEnd().split('\n').at(-1), fault);
  });
});

onSqlite('check and the settings', (database) => {
  test('all invalid settings are reported together', async (t) => {
    const settings = settingsOf(await database.create(t), {
      PORT: 'http',
      TOKEN_TTL: '1',
      DOORMAN_HOST: '::',
    });
    assert.deepEqual(await runCommand(settings, ['check']), {
      code: 1,
      output: [
        'config: FAULT: PORT must be a whole number from 0 to 65535\n',
        'config: FAULT: TOKEN_TTL must be a time such as 7d, 12h, 30m or 90s, from 60s to 180d\n',
        'config: FAULT: DOORMAN_HOST is not a setting; HOST is\n',
      ].join(''),
      errors: '',
    });
  });

  test('a misspelt setting is a warning', async (t) => {
    const settings = settingsOf(await database.create(t), { RATE_LIMIT_APl: 'off' });
    const { output } = await runCommand(settings, ['check']);
    const [first] = output.split('\n');
    assert.equal(first, 'config: WARNING: RATE_LIMIT_APl is not a setting; did you mean RATE_LIMIT_API?');
  });

  test('a missing database, or one that does not answer, is a fault', async (t) => {
    const data = await database.create(t);
    assert.ok('dataDir' in data);
    const fresh = settingsOf({ dataDir: `${data.dataDir}/fresh` });
    const absent = `config: good\ndatabase: FAULT: there is none in ${data.dataDir}/fresh; the first start of the server makes it\n`;
    assert.deepEqual(await runCommand(fresh, ['check']), { code: 1, output: absent, errors: '' });
    const unreachable = settingsOf({ databaseUrl: 'postgres://doorman:secret@127.0.0.1:1/doorman' });
    const { code, output } = await runCommand(unreachable, ['check']);
    assert.equal(code, 1);
    assert.match(output, /^config: good\ndatabase: FAULT: .*ECONNREFUSED/);
    assert.doesNotMatch(output, /secret/);
  });
});
