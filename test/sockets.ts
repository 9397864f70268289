import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { type ClientOptions, WebSocket } from 'ws';
import { guardRequests } from '../src/http/authenticate.ts';
import { openServer } from '../src/http/server.ts';
import { Connection } from '../src/sockets/connection.ts';
import type { FrameHandlers, RoomFrames } from '../src/sockets/frames.ts';
import { socketRoutes } from '../src/sockets/routes.ts';
import type { SocketSession } from '../src/sockets/socket-session.ts';
import type { TestDatabase } from './databases.ts';
import { type Body, type Person, type ServiceOptions, startService, type TestService } from './harness.ts';
import { listen, settled } from './nodes.ts';

/**
 * With the library's limit, a client that reads much at once terminates itself: pings whose pongs wait behind its own output
 * count against it. The library's types do not know the option.
 */
const ANY_PONGS: ClientOptions & { maxPendingAutoPongs: number } = { maxPendingAutoPongs: 0 };

/** How a connection ended for its client. 1006: without a close frame. */
export interface Ending {
  code: number;
  reason: string;
}

/** A client of the socket that keeps the frames it received until the test takes them. */
export class TestSocket {
  readonly ws: WebSocket;
  readonly ended: Promise<Ending>;
  #ending: Ending | undefined;
  readonly #frames: Body[] = [];
  #wake: () => void = () => {};
  #asked = 0;

  constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', (text) => {
      this.#frames.push(JSON.parse(String(text)));
      this.#wake();
    });
    ws.on('error', () => {}); // the close event follows
    this.ended = new Promise((resolve) => {
      ws.on('close', (code, reason) => {
        this.#ending = { code, reason: String(reason) };
        resolve(this.#ending);
        this.#wake();
      });
    });
  }

  get isOpen(): boolean {
    return this.ws.readyState === WebSocket.OPEN;
  }

  /** Takes the next frame; throws if the connection ends instead. */
  async next(): Promise<Body> {
    return this.first(() => true);
  }

  /** Takes the first frame that matches; frames before it stay. Throws if the connection ends instead. */
  async first(matches: (frame: Body) => boolean): Promise<Body> {
    for (;;) {
      const at = this.#frames.findIndex(matches);
      if (at >= 0) return this.#frames.splice(at, 1)[0];
      if (this.#ending) throw new Error(`closed with ${this.#ending.code} ${this.#ending.reason}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The frames that were received and not taken yet. */
  get unread(): readonly Body[] {
    return this.#frames;
  }

  send(frame: object | string): void {
    this.ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Sends a request with a new `id`. @returns its reply */
  async ask(frame: object): Promise<Body> {
    const id = `ask-${++this.#asked}`;
    this.send({ ...frame, id });
    return this.first((reply) => reply.type === 'reply' && reply.id === id);
  }

  /**
   * Sends a ping of RFC 6455 and waits for its pong: everything that the service wrote before was received. Throws if the
   * connection ends instead.
   */
  async roundTrip(): Promise<void> {
    const closed = this.ended.then(({ code, reason }) => {
      throw new Error(`closed with ${code} ${reason}`);
    });
    this.ws.ping();
    await Promise.race([once(this.ws, 'pong'), closed]);
  }

  /** Sends `hello` and waits for `live`. @returns the reply */
  async hello(fields: { token: string } & Record<string, unknown>): Promise<Body> {
    const reply = await this.ask({ type: 'hello', ...fields });
    if (reply.code !== 200) throw new Error(`hello was refused: ${JSON.stringify(reply)}`);
    await this.first(({ type }) => type === 'live');
    return reply;
  }
}

/** Why an upgrade was refused: the HTTP answer, its body parsed. */
export interface Refusal {
  status: number;
  headers: Record<string, unknown>;
  body: Body;
}

/** `node`: the place of the node to connect to, or a multiple; else the load balancer chooses one. */
type ConnectOptions = ClientOptions & { protocol?: string; path?: string; node?: number };

export interface SocketService extends TestService {
  /** Of the server, or of the load balancer before several nodes. */
  readonly port: number;
  /** Opens a connection without `hello`. */
  connect(options?: ConnectOptions): Promise<TestSocket>;
  /** Opens a connection that the service has to refuse. @returns its answer */
  refuse(options?: ConnectOptions): Promise<Refusal>;
  /** Opens a connection and sends `hello` with the token. */
  enter(person: Pick<Person, 'token'>, options?: ConnectOptions): Promise<TestSocket>;
  /** Another session of the same person. */
  logIn(person: Person): Promise<Person>;
  /** `isOnline` as the public profile says it. */
  isOnline(person: Person): Promise<number>;
  /** Waits until each node has received what the others have sent, and shows the same users as online. */
  settled(): Promise<void>;
  /** Sends the presence and the receipts that each node has collected. */
  flush(): Promise<void>;
}

/** The whole service on a real port; several nodes have a load balancer before them. */
export async function startSockets(
  t: TestContext,
  database: TestDatabase,
  options: ServiceOptions = {},
): Promise<SocketService> {
  const service = await startService(t, database, options);
  const { port, ports } = await listen(t, service.nodes);
  const open = ({ protocol, path = '/ws', node, ...rest }: ConnectOptions = {}) => {
    const url = `ws://127.0.0.1:${node === undefined ? port : ports[node % ports.length]}${path}`;
    return new WebSocket(url, protocol === undefined ? [] : protocol.split(','), rest);
  };

  const connect: SocketService['connect'] = async (options) => {
    const socket = new TestSocket(open(options));
    await once(socket.ws, 'open');
    return socket;
  };
  return {
    ...service,
    port,
    connect,
    refuse: (options) =>
      new Promise((resolve, reject) => {
        const ws = open(options);
        ws.on('error', () => {}); // what it is about is in the answer
        ws.on('open', () => {
          ws.terminate();
          reject(new Error('not refused'));
        });
        ws.on('unexpected-response', async (_request, response) => {
          const chunks: Buffer[] = await response.toArray();
          const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
          ws.terminate();
        });
      }),
    async enter({ token }, options) {
      const socket = await connect(options);
      await socket.hello({ token });
      return socket;
    },
    async logIn(person) {
      const { username, password } = person;
      const { body } = await service.post('/api/login', { username, password });
      return { ...person, token: body.data.token };
    },
    async isOnline({ id }) {
      const { body } = await service.get(`/api/user/profile/${id}`);
      return body.data.isOnline;
    },
    settled: () => settled(service.nodes),
    async flush() {
      for (const { services } of service.nodes) {
        await services.presence.watchers.flush();
        await services.chat.deliveryReceipts.flush();
      }
    },
  };
}

/** Serves sockets of the same service on another port, with these handlers of frames, which may reply with any data, instead of the rooms'. */
export async function serveFrames(
  t: TestContext,
  { services }: TestService,
  frames: { [Name in keyof RoomFrames]?: (...args: Parameters<FrameHandlers[Name]>) => unknown },
) {
  const { accounts, config, limits } = services;
  const app = openServer(services.log, { trustProxy: config.trustProxy });
  guardRequests(app, { ...accounts, limits });
  app.register(socketRoutes, { ...services, frames: frames as RoomFrames }); // the test sends no others
  t.after(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const enter = async ({ token }: Pick<Person, 'token'>) => {
    const socket = new TestSocket(new WebSocket(`${url.replace('http', 'ws')}/ws`, ANY_PONGS));
    await once(socket.ws, 'open');
    await socket.hello({ token });
    return socket;
  };
  return { app, enter };
}

/** The service's end of the connection that sent a frame. */
export function connectionOf({ transport }: SocketSession): Connection {
  if (!(transport instanceof Connection)) throw new Error('not a connection');
  return transport;
}

/** What happens to users and their connections in this service from now on, in order. */
export function recordOrder({ app, services }: TestService): string[] {
  const order: string[] = [];
  services.presence.online.onChange((_userId, isOnline) => order.push(isOnline ? 'online' : 'offline'));
  app.server.on('connection', (socket) => socket.on('close', () => order.push('disconnected')));
  return order;
}

/** How many TCP connections the service has. */
export function countConnections({ app }: Pick<TestService, 'app'>): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
}
