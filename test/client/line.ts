import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import type { Body } from '../harness.ts';

/** One socket through the line. */
interface Passing {
  readonly near: WebSocket;
  readonly far: WebSocket;
  isFrozen: boolean;
}

/** A proxy between a client and the service that can do what networks and proxies do. */
export class Line {
  /** Where the service is. */
  target: string;
  /** While it is down nothing comes through. */
  isDown = false;
  /** While it is stalled, requests over HTTP are not answered. */
  isStalled = false;
  /** Called with each frame that the service sends; `false` swallows it. */
  passes: (frame: Body) => boolean = () => true;
  /** Called with each frame of a client; with a number, the service does not get it, and the socket ends with that code. */
  rejects: (frame: Body) => number | undefined = () => undefined;
  /** Answers a request instead of the service. */
  answers: (
    request: IncomingMessage,
  ) => { status: number; headers?: Record<string, string>; text: string } | undefined = () => undefined;
  /** A request waits until this resolves. */
  holds: (path: string) => Promise<void> | undefined = () => undefined;
  /** When each socket was opened, in milliseconds. */
  readonly arrivals: number[] = [];
  /** Frames of the clients, in their order. */
  readonly frames: Body[] = [];
  /** Requests over HTTP: method, path and the Authorization header. */
  readonly requests: { method: string; path: string; authorization: string | undefined }[] = [];
  readonly #sockets = new Set<Passing>();
  readonly #server: Server;
  readonly #near = new WebSocketServer({ noServer: true });

  constructor(target: string) {
    this.target = target;
    this.#server = createServer((from, to) => void this.#pass(from, to));
    this.#server.on('upgrade', (from, socket, head) => this.#upgrade(from, socket, head));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port
    return `http://127.0.0.1:${port}`;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** Ends all sockets as the service would with this code. */
  close(code: number, reason = ''): void {
    for (const { near, far } of this.#sockets) {
      near.close(code, reason);
      far.terminate();
    }
  }

  /** Sends a frame to all clients. */
  say(frame: object): void {
    for (const { near } of this.#sockets) near.send(JSON.stringify(frame));
  }

  /** Ends all sockets without a close frame. */
  cut(): void {
    for (const { near } of this.#sockets) near.terminate();
  }

  /** From now on nothing passes on the open sockets, and no side is notified. */
  freeze(): void {
    for (const passing of this.#sockets) passing.isFrozen = true;
  }

  end(): void {
    this.isDown = true;
    this.cut();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = from;
    this.requests.push({ method, path: url, authorization: headers.authorization });
    if (this.isDown) {
      from.destroy();
      return;
    }
    if (this.isStalled) return;
    await this.holds(url);
    const own = this.answers(from);
    if (own) {
      to.writeHead(own.status, own.headers).end(own.text);
      return;
    }
    const onwards = request(this.target + url, { method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(to);
    });
    onwards.on('error', () => to.destroy());
    from.pipe(onwards);
  }

  #upgrade(from: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.isDown) {
      socket.destroy();
      return;
    }
    this.arrivals.push(Date.now());
    const far = new WebSocket(`${this.target.replace('http', 'ws')}/ws`, 'doorman.v1');
    far.on('error', () => socket.destroy());
    far.once('open', () =>
      this.#near.handleUpgrade(from, socket, head, (near) => this.#join({ near, far, isFrozen: false })),
    );
  }

  #join(passing: Passing): void {
    const { near, far } = passing;
    this.#sockets.add(passing);
    near.on('message', (data) => {
      const frame = JSON.parse(String(data));
      this.frames.push(frame);
      const code = this.rejects(frame);
      if (code !== undefined) {
        near.close(code);
        far.terminate();
      } else if (!passing.isFrozen) far.send(String(data));
    });
    far.on('message', (data) => {
      if (!passing.isFrozen && this.passes(JSON.parse(String(data)))) near.send(String(data));
    });
    near.on('close', () => {
      this.#sockets.delete(passing);
      if (!passing.isFrozen) far.terminate();
    });
    far.on('close', (code, reason) => {
      if (passing.isFrozen) return;
      if (code === 1005 || code === 1006) near.terminate();
      else near.close(code, String(reason));
    });
    near.on('error', () => {});
  }
}

/** A line to the service that ends with the test. */
export async function startLine(t: TestContext, target: string): Promise<Line> {
  const line = new Line(target);
  await line.listen();
  t.after(() => line.end());
  return line;
}
