import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { emptyShape } from '../src/nodes/membership.ts';
import type { PresentConnection } from '../src/presence/online-users.ts';
import type { Services, World } from '../src/services.ts';
import type { Scope } from './dispose-after.ts';
import { eventually } from './eventually.ts';
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
  return { port: ports.length === 1 ? only : await openBalancer(t, () => ports), ports };
}

/**
 * A TCP load balancer without sticky sessions: each connection goes to the next of these ports of 127.0.0.1. One that refuses
 * ends the connection.
 *
 * @param of the ports at this time
 * @returns its port
 */
export async function openBalancer(t: Scope, of: () => readonly number[]): Promise<number> {
  let next = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const ports = of();
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
  t.after(async () => {
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

/**
 * Waits until each node has received what the others have sent, and shows the same users as online.
 *
 * @param ms how long at most
 */
export async function settled(nodes: readonly TestNode[], ms?: number): Promise<void> {
  if (nodes.length === 1) return;
  await allKnown(nodes, ms);
  await new Promise(setImmediate); // messages of one turn of the event loop are sent together
  await Promise.all(nodes.map(({ services }) => received(services, nodes)));
  await eventually(() => haveSamePresence(nodes), ms);
}

/** Waits until the other nodes have received a message that this one sends now: then they have all earlier ones. */
async function received({ nodes: own }: Services, nodes: readonly TestNode[]): Promise<void> {
  const id = crypto.randomUUID();
  let missing = nodes.length - 1;
  for (const { services } of nodes)
    services.nodes?.membership.handle(`settled ${id}`, emptyShape, () => {
      missing--;
    });
  own?.membership.broadcast(`settled ${id}`, null);
  await eventually(() => missing === 0);
}

/** Whether each node knows to which others each user is connected, and shows who is online, with the same connections. */
function haveSamePresence(nodes: readonly TestNode[]): boolean {
  const all = nodes.map(({ services }) => services.presence.online);
  const ids = [...new Set(all.flatMap((online) => online.idsHere()))];
  return all.every((online) => {
    const isSame = (id: string) => {
      const connections = all.filter((other) => other !== online).flatMap((other) => other.here(id));
      return textOf(online.elsewhere(id)) === textOf(connections);
    };
    return online.onlineIds().length === ids.length && ids.every(isSame);
  });
}

function textOf(connections: readonly PresentConnection[]): string {
  return connections
    .map(({ sessionId, openedAt, isActive, isAttentive }) =>
      [sessionId, openedAt, isActive, isAttentive].join(),
    )
    .sort()
    .join(' ');
}

/**
 * Short times between nodes, but long ones for an answer of another node or of Redis, which waits for nothing when it is there.
 * No node ends by silence where a test moves the clock faster than messages travel.
 */
export function nodeTimesOf(world: World = {}): NonNullable<World['nodeTimes']> {
  const isMoved = world.monotonicMs !== undefined;
  return {
    limitMs: 10_000,
    lateMs: 10_000,
    readMs: 10_000,
    unknownMs: 0, // allKnown has waited
    ...(isMoved
      ? { leaseMs: Number.POSITIVE_INFINITY, linkDownMs: Number.POSITIVE_INFINITY }
      : { heartbeatMs: 300, leaseMs: 3_000, linkDownMs: 6_000, pingMs: 200, retryMs: 100 }),
    ...world.nodeTimes,
  };
}

/** Waits until each node knows all others. */
export async function allKnown(nodes: readonly TestNode[], ms?: number): Promise<void> {
  if (nodes.length === 1) return;
  const count = nodes.length - 1;
  const isKnown = ({ services }: TestNode) => services.nodes?.membership.peers().length === count;
  await eventually(() => nodes.every(isKnown), ms);
}
