import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { TestNode } from './harness.ts';

/**
 * Opens a port of each node.
 *
 * @returns `port`: of the only one, or of a load balancer before them
 */
export async function listen(
  t: TestContext,
  nodes: readonly TestNode[],
): Promise<{ port: number; ports: readonly number[] }> {
  const ports = await Promise.all(
    nodes.map(async ({ app }) => {
      await app.listen({ port: 0, host: '127.0.0.1' });
      return portOf(app.server);
    }),
  );
  const [only = 0] = ports;
  return { port: ports.length === 1 ? only : await openBalancer(t, ports), ports };
}

/**
 * A TCP load balancer without sticky sessions: each connection goes to the next of these ports of 127.0.0.1. One that refuses
 * ends the connection.
 *
 * @returns its port
 */
async function openBalancer(t: TestContext, ports: readonly number[]): Promise<number> {
  let next = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const node = connect({ port: ports[next++ % ports.length] ?? 0, allowHalfOpen: true });
    client.pipe(node).pipe(client);
    for (const [from, to] of [
      [client, node],
      [node, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}); // the close event follows
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}

function portOf(server: Server): number {
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}
