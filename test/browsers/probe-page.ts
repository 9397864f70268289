import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endingsOf, type Scope } from './endings.ts';

/**
 * A page without code of ours, to test the browser and the checks of the page.
 * It has our page's policy. `/missing` is not there, and `/broken` hangs up.
 *
 * @returns its origin
 */
export async function startProbePage(scope: Scope): Promise<string> {
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; worker-src 'self'";
  const server = createServer(({ url, socket }, response) => {
    if (url === '/broken') return void socket.destroy();
    if (url === '/favicon.ico') return void response.writeHead(204).end();
    if (url === '/missing') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
    response.end('<!doctype html><html lang="en"><title>Probe</title><h1>Probe</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endingsOf(scope).defer(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  // The address of a TCP server is an object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
