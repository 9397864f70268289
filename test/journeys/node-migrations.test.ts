import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLog } from '../../src/log.ts';
import { openServices } from '../../src/services.ts';
import { onNodes } from '../databases.ts';
import { startService } from '../harness.ts';
import { connectPostgres } from '../postgres-client.ts';

const HANGS_MS = 20_000;
const WAITS = 'another server uses the database; waiting until it ends';
const NAME = '0027-proofs-of-sessions';

onNodes('an update with a migration that is not additive', (database) => {
  test('waits until the nodes of the earlier version have ended, and is run once', async (t) => {
    const service = await startService(t, database, { count: 1 });
    const { config } = service.services;
    assert(config.databaseUrl);
    await using sql = await connectPostgres(config.databaseUrl);
    const row = () => sql.rows(`select name from migrations where name = '${NAME}'`);
    // As the version before this migration had it.
    await sql.rows(
      `delete from migrations where name = '${NAME}'; alter table device_proofs drop column session_id`,
    );

    const lines: string[] = [];
    const log = openLog('info', { write: (line: string) => void lines.push(line) });
    const starting = [openServices(config, log), openServices(config, log)];
    await t.waitFor(() => assert.equal(lines.filter((line) => line.includes(WAITS)).length, 2), {
      interval: 20,
      timeout: HANGS_MS,
    });
    await service.join('alice');
    assert.deepEqual(await row(), []);
    for (const node of service.nodes) await node[Symbol.asyncDispose]();
    for (const services of await Promise.all(starting)) await services[Symbol.asyncDispose]();
    assert.deepEqual(await row(), [{ name: NAME }]);
  });
});
