import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A TCP proxy before a PostgreSQL server. It can hold, freeze, cut and restore connections, and counts packets to the server. */
export async function openProxy(t: TestContext, url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const packets = { count: 0 };
  let isHeld = false;
  let frozen = new WeakSet<Socket>();
  const server = createServer((client) => {
    const backend = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, backend],
      [backend, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (from === client) packets.count += 1;
        if (!isHeld && !frozen.has(from)) to.write(bytes);
      });
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    if (server.listening) await once(server, 'close');
  };
  await listen(0);
  t.after(cut);
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const { port } = address;
  const proxied = new URL(url);
  proxied.port = String(port);
  return {
    url: proxied.href,
    packets,
    /** Passes nothing on, in either direction, until `restore`. */
    hold: () => {
      isHeld = true;
    },
    /** Present connections pass nothing on any more and stay open; new connections work. */
    freeze: () => {
      frozen = new WeakSet(sockets);
    },
    /** Closes all connections, and refuses new ones until `restore`. */
    cut,
    restore: () => {
      isHeld = false;
      return listen(port);
    },
  };
}
