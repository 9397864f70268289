import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { endingsOf, type Scope } from './endings.ts';
import { findSubmissionFlaw, readBody, type Submission } from './push-submission.ts';

/** A frame of Firefox, with the fields that are read here. */
interface Frame {
  messageType?: string;
  uaid?: string;
  channelID?: string;
  key?: string;
  updates?: { version: string; code: number }[];
  [field: string]: unknown;
}

/** An accepted push. */
export interface QueuedPush extends Submission {
  /** The answer of the browser: 100 delivered, 101 not decrypted, 102 not delivered; absent until it answers. */
  ack?: number;
}

export interface FirefoxPushService {
  /** The address for Firefox. */
  readonly url: string;
  /** The origin of all endpoints. */
  readonly origin: string;
  /** Every frame of every socket, in order. */
  readonly journal: readonly { from: 'browser' | 'service'; frame: Frame }[];
  /** All posted pushes, accepted or not, in order. */
  readonly submissions: readonly QueuedPush[];
  /** The ids of all known browsers, connected or not. */
  browsers(): string[];
  /** Whether this endpoint answers 410, because its browser unsubscribed. */
  isGone(endpoint: string): boolean;
  /** Answers 410 at this endpoint from now on, without notifying the browser. */
  expire(endpoint: string): void;
  /** Loses a browser with all its endpoints; it gets another id, and its workers are notified that their subscriptions are lost. */
  forget(browser: string): void;
}

interface Subscription {
  browser: string;
  channel: string;
  applicationServerKey: string | undefined;
  gone: boolean;
  /** Pushes that the browser has not acknowledged, by their names in the protocol. */
  queue: Map<string, { push: QueuedPush; expiresAt: number; tried: boolean }>;
}

interface Agent {
  socket: WebSocket | undefined;
}

/**
 * A small version of Mozilla's push service, on a free port of 127.0.0.1: Firefox connects to it (its `dom.push.serverURL`), and
 * application servers post to it (RFC 8030, 8292). It keeps accepted pushes until the browser
 * has acknowledged them. It ends with `scope`.
 */
export async function startFirefoxPushService(scope: Scope): Promise<FirefoxPushService> {
  const agents = new Map<string, Agent>();
  /** By endpoint. */
  const subscriptions = new Map<string, Subscription>();
  const journal: { from: 'browser' | 'service'; frame: Frame }[] = [];
  const submissions: QueuedPush[] = [];

  const server = createServer((request, response) => void submit(request, response));
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'push-notification' });
  sockets.on('connection', serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a TCP server is an object.
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  function serve(socket: WebSocket): void {
    let browser = '';
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const frame: Frame = JSON.parse(String(data));
      journal.push({ from: 'browser', frame });
      if (frame.messageType === 'hello') browser = greet(socket, frame);
      else if (frame.messageType === 'register') register(socket, browser, frame);
      else if (frame.messageType === 'unregister') unregister(socket, browser, frame);
      else if (frame.messageType === 'ack') acknowledge(frame);
      // A ping is an empty object, and so is its answer.
      else if (frame.messageType === undefined) socket.send('{}');
    });
    socket.on('close', () => {
      const agent = agents.get(browser);
      if (agent?.socket === socket) agent.socket = undefined;
    });
  }

  function sendFrame(socket: WebSocket, frame: Frame): void {
    journal.push({ from: 'service', frame });
    socket.send(JSON.stringify(frame));
  }

  /** A browser sends its id only if it has subscriptions. An unknown one gets another id, and drops them. */
  function greet(socket: WebSocket, { uaid = '' }: Frame): string {
    const browser = agents.has(uaid) ? uaid : randomUUID().replaceAll('-', '');
    agents.set(browser, { socket });
    sendFrame(socket, {
      messageType: 'hello',
      status: 200,
      uaid: browser,
      use_webpush: true,
      broadcasts: {},
    });
    for (const subscription of subscriptions.values())
      if (subscription.browser === browser) deliver(subscription);
    return browser;
  }

  /** A second registration of a channel must get the same endpoint. */
  function register(socket: WebSocket, browser: string, { channelID: channel = '', key }: Frame): void {
    const known = findChannel(browser, channel);
    const endpoint = known ?? `${origin}/push/${randomBytes(24).toString('base64url')}`;
    if (!known) {
      const applicationServerKey = key && Buffer.from(key, 'base64url').toString('base64url');
      subscriptions.set(endpoint, { browser, channel, applicationServerKey, gone: false, queue: new Map() });
    }
    sendFrame(socket, { messageType: 'register', channelID: channel, status: 200, pushEndpoint: endpoint });
  }

  function unregister(socket: WebSocket, browser: string, { channelID: channel = '' }: Frame): void {
    const endpoint = findChannel(browser, channel);
    if (endpoint) markGone(endpoint);
    sendFrame(socket, { messageType: 'unregister', channelID: channel, status: 200 });
  }

  function findChannel(browser: string, channel: string): string | undefined {
    for (const [endpoint, subscription] of subscriptions) {
      if (subscription.browser === browser && subscription.channel === channel && !subscription.gone)
        return endpoint;
    }
    return undefined;
  }

  function acknowledge({ updates = [] }: Frame): void {
    for (const { version, code } of updates) {
      for (const { queue } of subscriptions.values()) {
        const queued = queue.get(version);
        if (!queued) continue;
        queue.delete(version);
        queued.push.ack = code;
      }
    }
  }

  async function submit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const endpoint = `${origin}${request.url}`;
    const push: QueuedPush = {
      endpoint,
      headers: request.headers,
      body: await readBody(request),
      status: 201,
      reason: undefined,
    };
    const subscription = subscriptions.get(endpoint);
    const flaw =
      (request.method !== 'POST' && { status: 405, reason: 'method' }) ||
      (!subscription && { status: 404, reason: 'unknown' }) ||
      (subscription?.gone && { status: 410, reason: 'gone' }) ||
      (subscription && findSubmissionFlaw(push, { ...subscription, origin }));
    if (flaw) Object.assign(push, flaw);
    else if (subscription) enqueue(subscription, push);
    submissions.push(push);
    response
      .writeHead(push.status, push.status === 201 ? { location: `${endpoint}/sent` } : {})
      .end(push.reason);
  }

  function enqueue(subscription: Subscription, push: QueuedPush): void {
    const { topic, ttl } = push.headers;
    for (const [version, { push: older, tried }] of subscription.queue) {
      if (topic !== undefined && older.headers.topic === topic && !tried) subscription.queue.delete(version);
    }
    const expiresAt = Date.now() + Number(ttl) * 1000;
    subscription.queue.set(randomBytes(16).toString('base64url'), { push, expiresAt, tried: false });
    deliver(subscription);
  }

  /** Sends the waiting pushes of connected browsers. A TTL of 0 means now or never (RFC 8030 5.2). */
  function deliver({ browser, channel, queue }: Subscription): void {
    const socket = agents.get(browser)?.socket;
    for (const [version, queued] of queue) {
      const { headers, body } = queued.push;
      if (queued.expiresAt <= Date.now() && (queued.tried || !socket)) queue.delete(version);
      else if (socket) {
        queued.tried = true;
        const content = {
          data: body.toString('base64url'),
          headers: { encoding: headers['content-encoding'] },
        };
        const frame = { messageType: 'notification', channelID: channel, version, ttl: Number(headers.ttl) };
        sendFrame(socket, { ...frame, ...(body.length > 0 && content) });
      }
    }
  }

  function markGone(endpoint: string): void {
    const subscription = subscriptions.get(endpoint);
    if (!subscription) throw new Error(`No such endpoint: ${endpoint}`);
    subscription.gone = true;
    subscription.queue.clear();
  }

  endingsOf(scope).defer(async () => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return {
    url: `ws://127.0.0.1:${port}/`,
    origin,
    journal,
    submissions,
    browsers: () => [...agents.keys()],
    isGone: (endpoint) => subscriptions.get(endpoint)?.gone === true,
    expire: markGone,
    forget(browser) {
      for (const [endpoint, subscription] of subscriptions) {
        if (subscription.browser === browser) markGone(endpoint);
      }
      agents.get(browser)?.socket?.terminate();
      agents.delete(browser);
    },
  };
}
