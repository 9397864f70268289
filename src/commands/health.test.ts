import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onSqlite } from '../../test/databases.ts';
import { settingsOf, startServer } from '../../test/processes.ts';

/** @returns the port of a server that is none of ours */
async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return String((server.address() as AddressInfo).port); // it listens on a port
}

onSqlite('health', (database) => {
  test('succeeds while a server with these settings answers, and fails after its end', async (t) => {
    const settings = settingsOf(await database.create(t), { HOST: '0.0.0.0' });
    await using server = await startServer(settings);
    const PORT = new URL(server.url).port;
    const url = `http://127.0.0.1:${PORT}`;
    const healthy = { code: 0, output: `${url} is healthy\n`, errors: '' };
    assert.deepEqual(await runCommand({ ...settings, PORT }, ['health']), healthy);
    assert.deepEqual(await runCommand({}, ['health', '--url', url]), healthy);
    await server.kill();
    const errors = `${url} is not healthy: connect ECONNREFUSED 127.0.0.1:${PORT}\n`;
    assert.deepEqual(await runCommand({ PORT }, ['health']), { code: 1, output: '', errors });
  });
});

test('fails for another answer than 200, and when there is none within 3 s', async (t) => {
  const broken = await serve(t, (_request, response) => response.writeHead(500).end());
  const silent = await serve(t, () => {});
  const faults = { [broken]: 'the answer is 500', [silent]: 'no answer within 3 s' };
  const ends = Object.entries(faults).map(async ([PORT, fault]) => {
    const errors = `http://127.0.0.1:${PORT} is not healthy: ${fault}\n`;
    assert.deepEqual(await runCommand({ PORT }, ['health']), { code: 1, output: '', errors });
  });
  await Promise.all(ends);
});

test('fails with a line where it cannot know the port', async () => {
  const errors = 'PORT is 0, any free port: name the server by --url\n';
  assert.deepEqual(await runCommand({ PORT: '0' }, ['health']), { code: 1, output: '', errors });
});
