import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { settingsOf, startServer } from '../../test/processes.ts';

const alice = { username: 'alice', password: 'secret' };

onEachDatabase('restored', (database) => {
  test('the epoch is new afterwards, so that earlier positions are invalid', async (t) => {
    const settings = settingsOf(await database.create(t));
    const epochOf = async (path: string) => {
      await using server = await startServer(settings);
      const { token } = (await server.post(path, alice)).body.data;
      return (await server.get('/api/sync', token)).body.data.epoch;
    };
    const before = await epochOf('/api/register');
    assert.equal(await epochOf('/api/login'), before);
    const { code, output, errors } = await runCommand(settings, ['restored']);
    assert.match(errors, /^accounts that were erased since the backup are back: /);
    const [, renewed] =
      /^every device will start from a new snapshot, in epoch ([0-9a-f]{8})\n$/.exec(output) ?? [];
    assert.equal(code, 0);
    assert.notEqual(renewed, before);
    assert.equal(await epochOf('/api/login'), renewed);
  });
});

onSqlite('restored', (database) => {
  test('is refused while a server runs, which would keep the old epoch', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using _server = await startServer(settings);
    const { code, output, errors } = await runCommand(settings, ['restored']);
    assert.deepEqual([code, output], [1, '']);
    assert.match(errors, /Another Doorman server is running/);
  });
});
