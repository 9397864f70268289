import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endingsOf, type Scope } from './endings.ts';

/** `open` forwards requests, `closed` hangs up, `silent` does not answer, `broken` is a proxy without its service. */
export type GateState = 'open' | 'closed' | 'silent' | 'broken';

export interface Gate {
  /** The origin for browsers. */
  readonly url: string;
  /** The origin to which requests are forwarded. */
  target: string;
  state: GateState;
  /** All requests in order, such as `GET /people`. */
  readonly asked: string[];
}

/** A proxy between browser and service that can fail as a network does. It forwards no sockets. */
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
  // The address of a TCP server is an object.
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
