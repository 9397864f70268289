import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A line to the server that can be held up, frozen, cut and mended, and on which our sendings are counted. */
export async function openLine(t: TestContext, url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const flights = { count: 0 };
  let held = false;
  let frozen = new WeakSet<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (from === near) flights.count += 1;
        if (!held && !frozen.has(from)) to.write(bytes);
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
  const through = new URL(url);
  through.port = String(port);
  return {
    url: through.href,
    flights,
    hold: () => {
      held = true;
    },
    /** What is connected now falls silent for good, and neither end hears of it; new connections are as ever. */
    freeze: () => {
      frozen = new WeakSet(sockets);
    },
    cut,
    mend: () => {
      held = false;
      return listen(port);
    },
  };
}
