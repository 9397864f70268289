import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { settingsOf, startServer } from '../../test/processes.ts';

const secret = { username: 'alice', password: 'secret' };

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}

onEachDatabase('keys', (database) => {
  test('beside a server, a new token key signs within a second, and tokens of the old key stay valid until it is revoked', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const kids = async () => {
      const { body } = await server.get('/.well-known/jwks.json');
      return body.keys.map(({ kid }: { kid: string }) => kid);
    };
    const { token } = (await server.post('/api/register', secret)).body.data;
    assert.deepEqual(await kids(), [kidOf(token)]);

    const { code, output } = await runCommand(settings, ['keys', 'rotate', 'jwt']);
    const [, added = ''] = /^new tokens are signed with the key (\S+); good keys: 2\n$/.exec(output) ?? [];
    assert.deepEqual([code, added.length], [0, 43], output);
    assert.notEqual(added, kidOf(token));
    await t.waitFor(async () => assert.deepEqual(await kids(), [kidOf(token), added]), { timeout: 60_000 });
    const fresh = (await server.post('/api/login', secret)).body.data.token;
    assert.equal(kidOf(fresh), added);
    assert.equal((await server.get('/api/sessions', token)).status, 200);
    assert.equal((await server.get('/api/sessions', fresh)).status, 200);

    const revoking = await runCommand(settings, ['keys', 'rotate', 'jwt', '--revoke']);
    assert.match(revoking.output, /; good keys: 1\n$/);
    for (const refused of [token, fresh])
      await t.waitFor(async () => assert.equal((await server.get('/api/sessions', refused)).status, 401), {
        timeout: 60_000,
      });
    const { body } = await server.post('/api/login', secret);
    assert.equal((await server.get('/api/sessions', body.data.token)).status, 200);
  });

  test('beside a server, a new push key is handed out within a second', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using server = await startServer(settings);
    const publicKey = async () => (await server.get('/api/push/public-key')).body.publicKey;
    const before = await publicKey();
    const { code, output } = await runCommand(settings, ['keys', 'rotate', 'vapid']);
    const [, added] = /^new push subscriptions get the key (B[\w-]{86})\n$/.exec(output) ?? [];
    assert.equal(code, 0);
    assert.notEqual(added, before);
    await t.waitFor(async () => assert.equal(await publicKey(), added), { timeout: 60_000 });
  });

  test('missing keys are made first', async (t) => {
    const settings = settingsOf(await database.create(t));
    assert.match((await runCommand(settings, ['keys', 'rotate', 'jwt'])).output, /; good keys: 2\n$/);
    assert.equal((await runCommand(settings, ['keys', 'rotate', 'vapid'])).code, 0);
  });
});
