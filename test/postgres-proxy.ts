import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What a proxy passes on instead of the bytes; `cut` destroys the connection. */
type Intercept = (bytes: Buffer, to: 'server' | 'client') => Buffer | 'cut';

/** A TCP proxy before a PostgreSQL server. It can delay, hold, freeze, cut, restore and change connections, and counts packets to the server. */
export async function openProxy(t: { after(end: () => Promise<void>): void }, url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const packets = { count: 0 };
  let isHeld = false;
  let delayMs = 0;
  let frozen = new WeakSet<Socket>();
  let intercept: Intercept = (bytes) => bytes;
  const server = createServer((client) => {
    const backend = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, backend],
      [backend, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => {
        if (from === client) packets.count += 1;
        if (isHeld || frozen.has(from)) return;
        const passed = intercept(bytes, from === client ? 'server' : 'client');
        if (passed === 'cut') from.destroy();
        else if (delayMs > 0) setTimeout(() => to.write(passed), delayMs);
        else to.write(passed);
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
    /** From now on everything arrives so much later, in each direction. */
    slow: (ms: number) => {
      delayMs = ms;
    },
    /** Present connections pass nothing on any more and stay open; new connections work. */
    freeze: () => {
      frozen = new WeakSet(sockets);
    },
    intercept: (by: Intercept) => {
      intercept = by;
    },
    /** Refuses new connections; present ones go on. */
    refuse: () => void server.close(),
    /** Closes all connections, and refuses new ones until `restore`. */
    cut,
    restore: () => {
      isHeld = false;
      return listen(port);
    },
  };
}
