import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { guardedConnector } from './connector.ts';
import { isPublicAddress, PrivateAddressError } from './endpoint-guard.ts';

test('the connector checks literal addresses, which net never looks up, and makes no connection', async (t) => {
  const server = createServer((socket) => socket.destroy());
  let connections = 0;
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const port = String((server.address() as AddressInfo).port); // listening on TCP, so never a pipe's name
  const connect = guardedConnector({ isAllowed: isPublicAddress, timeoutMs: 1_000 });
  for (const protocol of ['http:', 'https:']) {
    for (const hostname of ['127.0.0.1', '::ffff:127.0.0.1']) {
      const error = await new Promise((done) => {
        connect({ hostname, protocol, port }, (...[refusal]) => done(refusal));
      });
      assert.ok(error instanceof PrivateAddressError, `${protocol} ${hostname}`);
    }
  }
  assert.equal(connections, 0);
});
