import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { SubscriptionJson } from './push-service.ts';

/** A push service that answers only when the test says so. */
export async function startHeld(t: TestContext) {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      waiting.push(response);
      server.emit('held');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections() ?? server.close());
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a pipe's name
  async function untilHeld(): Promise<void> {
    const signal = AbortSignal.timeout(20_000);
    while (waiting.length === 0) await once(server, 'held', { signal });
  }
  return {
    untilHeld,
    /** The same device at this push service. */
    at: (of: SubscriptionJson): SubscriptionJson => ({ ...of, endpoint: `http://127.0.0.1:${port}/held` }),
    async answer(status: number) {
      await untilHeld();
      waiting.shift()?.writeHead(status).end();
    },
    count: () => waiting.length,
  };
}
