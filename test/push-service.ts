import { createECDH, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { answer, type Behaviour } from './push-behaviour.ts';
import { decrypt, findVapidFlaw, type ReceiverKeys } from './push-receiver.ts';

/** What a browser's `PushSubscription` serializes to. */
export interface SubscriptionJson {
  endpoint: string;
  expirationTime: null;
  keys: { p256dh: string; auth: string };
}

/** The keys of a device, as base64url. */
export interface SavedKeys {
  privateKey: string;
  auth: string;
}

/** One POST to a subscription. `status` is missing where nothing was answered. */
export interface ReceivedPush {
  endpoint: string;
  headers: IncomingHttpHeaders;
  /** The decrypted payload; missing if the request was refused before it was read. */
  text: string | undefined;
  status: number | undefined;
  /** Why it was refused. */
  reason: string | undefined;
}

export interface PushService extends AsyncDisposable {
  readonly origin: string;
  /** Connections accepted so far. */
  readonly connections: number;
  /** Connections open now. */
  readonly open: number;
  /** The highest number of requests in flight at once so far. */
  readonly mostAtOnce: number;
  /** Requests of any kind seen so far. */
  readonly requests: number;
  /** @param applicationServerKey if given, only VAPID headers of this key pass */
  subscribe(applicationServerKey?: string): SubscriptionJson;
  /** Takes over a subscription that was made before. @param path of its endpoint */
  adopt(path: string, keys: SavedKeys, applicationServerKey: string): void;
  /** What the next request to the subscription gets; several calls queue up. */
  answerNext(endpoint: string, behaviour: Behaviour): void;
  /** What every request gets from now on; `undefined` goes back to 201. */
  answerAlways(endpoint: string, behaviour: Behaviour | undefined): void;
  /** Pushes that were accepted (201, 202), oldest first. */
  received(endpoint: string): ReceivedPush[];
  /** Every POST, whatever was answered, oldest first. */
  attempts(endpoint: string): ReceivedPush[];
  /** Waits for the first accepted push that no earlier `next` returned. */
  next(endpoint: string, ms: number): Promise<ReceivedPush>;
  /** Ends every connection; new ones are accepted. */
  dropConnections(): void;
}

interface Subscription {
  keys: ReceiverKeys;
  applicationServerKey: string | undefined;
  queued: Behaviour[];
  always: Behaviour | undefined;
  attempts: ReceivedPush[];
  taken: number;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * A push service on a free port of 127.0.0.1 (RFC 8030, 8291, 8292): it creates subscriptions as a browser does,
 * checks pushes as strictly as real services do, and decrypts them.
 */
export async function startPushService({
  tls,
  now = Date.now,
  name = '127.0.0.1',
}: {
  tls?: { key: string; cert: string };
  now?: () => number;
  /** Tokens are for this host, to which a test leads by `World.resolve`. */
  name?: string;
} = {}): Promise<PushService> {
  const subscriptions = new Map<string, Subscription>();
  const sockets = new Set<Socket>();
  const arrivals = new EventEmitter();
  let connections = 0;
  let requests = 0;
  let underWay = 0;
  let mostAtOnce = 0;

  const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a pipe's name.
  const { port } = server.address() as AddressInfo;
  // The sender ends idle connections.
  server.keepAliveTimeout = 0;
  const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    requests += 1;
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    request.on('error', () => {});
    void handle(request, response);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const endpoint = `${origin}${request.url}`;
    const subscription = subscriptions.get(endpoint);
    if (!subscription) return void response.writeHead(404).end('no such subscription');
    const { headers } = request;
    const push: ReceivedPush = { endpoint, headers, text: undefined, status: undefined, reason: undefined };
    let behaviour: Behaviour = subscription.queued.shift() ?? subscription.always ?? { status: 201 };
    try {
      push.text = await readPush(request, subscription);
    } catch (error) {
      if (!(error instanceof Refusal)) return void response.destroy();
      behaviour = { status: error.status, body: error.message };
      push.reason = error.message;
    }
    if (typeof behaviour === 'object') push.status = behaviour.status;
    subscription.attempts.push(push);
    answer(behaviour, response);
    arrivals.emit(endpoint);
  }

  async function readPush(request: IncomingMessage, subscription: Subscription): Promise<string> {
    const { method, headers } = request;
    if (method !== 'POST') throw new Refusal(405, 'method');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (body.length > 4096) throw new Refusal(413, 'body too large');
    if (!/^\d+$/.test(String(headers.ttl))) throw new Refusal(400, 'TTL');
    if (!/^(?:very-low|low|normal|high)$/.test(String(headers.urgency ?? 'normal')))
      throw new Refusal(400, 'urgency');
    if (headers.topic !== undefined && !/^[\w-]{1,32}$/.test(String(headers.topic)))
      throw new Refusal(400, 'topic');
    if (headers['content-encoding'] !== 'aes128gcm') throw new Refusal(415, 'content encoding');
    const { applicationServerKey } = subscription;
    const expected = { origin: origin.replace('127.0.0.1', name), now: now(), applicationServerKey };
    const flaw = findVapidFlaw(headers.authorization, expected);
    if (flaw) throw new Refusal(403, flaw);
    try {
      return decrypt(body, subscription.keys).toString();
    } catch {
      throw new Refusal(400, 'body does not decrypt');
    }
  }

  function add(endpoint: string, keys: ReceiverKeys, applicationServerKey: string | undefined): void {
    subscriptions.set(endpoint, {
      keys,
      applicationServerKey,
      queued: [],
      always: undefined,
      attempts: [],
      taken: 0,
    });
  }

  function find(endpoint: string): Subscription {
    const subscription = subscriptions.get(endpoint);
    if (!subscription) throw new Error(`No subscription was made with ${endpoint}`);
    return subscription;
  }

  const received = (endpoint: string) =>
    find(endpoint).attempts.filter(({ status }) => status === 201 || status === 202);

  return {
    origin,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    get requests() {
      return requests;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },

    subscribe(applicationServerKey) {
      const ecdh = createECDH('prime256v1');
      const p256dh = ecdh.generateKeys('base64url');
      const auth = randomBytes(16);
      const endpoint = `${origin}/push/${randomBytes(24).toString('base64url')}`;
      add(endpoint, { ecdh, auth }, applicationServerKey);
      return { endpoint, expirationTime: null, keys: { p256dh, auth: auth.toString('base64url') } };
    },
    adopt(path, { privateKey, auth }, applicationServerKey) {
      const ecdh = createECDH('prime256v1');
      ecdh.setPrivateKey(privateKey, 'base64url');
      add(`${origin}${path}`, { ecdh, auth: Buffer.from(auth, 'base64url') }, applicationServerKey);
    },
    answerNext: (endpoint, behaviour) => void find(endpoint).queued.push(behaviour),
    answerAlways(endpoint, behaviour) {
      find(endpoint).always = behaviour;
    },
    received,
    attempts: (endpoint) => [...find(endpoint).attempts],

    async next(endpoint, ms) {
      const subscription = find(endpoint);
      const signal = AbortSignal.timeout(ms);
      const index = subscription.taken++;
      try {
        for (;;) {
          const push = received(endpoint)[index];
          if (push) return push;
          await once(arrivals, endpoint, { signal });
        }
      } catch (cause) {
        subscription.taken -= 1;
        throw new Error(`No push within ${ms} ms`, { cause });
      }
    },

    dropConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
