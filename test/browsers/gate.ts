import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endingsOf, type Scope } from './endings.ts';

/** What a browser meets: `open` lets it through, `closed` hangs up, `silent` says nothing, `broken` is a proxy without its service. */
export type GateState = 'open' | 'closed' | 'silent' | 'broken';

export interface Gate {
  /** The origin that browsers go to. */
  readonly url: string;
  /** Where what is let through goes. */
  target: string;
  state: GateState;
  /** What was asked for, such as `GET /people`, in order. */
  readonly asked: string[];
}

/** Stands between a browser and the service, as a network does, and fails as one does. Not for sockets. */
export async function openGate(scope: Scope): Promise<Gate> {
  const server = createServer((request, response) => {
    gate.asked.push(`${request.method} ${request.url}`);
    if (gate.state === 'closed') request.socket.destroy();
    if (gate.state === 'broken')
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    if (gate.state === 'open') pass(request, response, gate.target);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endingsOf(scope).defer(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  // A TCP server's address is never a pipe's name.
  const { port } = server.address() as AddressInfo;
  const gate: Gate = { url: `http://127.0.0.1:${port}`, target: '', state: 'open', asked: [] };
  return gate;
}

function pass(request: IncomingMessage, response: ServerResponse, target: string): void {
  const { method, headers, url = '/' } = request;
  const onward = forward(new URL(url, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
