import { Pool } from 'undici';
import { guardedConnector } from './connector.ts';
import { encrypt } from './encryption.ts';
import {
  type AddressRule,
  checkEndpoint,
  type EndpointCheck,
  type EndpointPolicy,
  type Resolve,
} from './endpoint-guard.ts';
import { originOf } from './origin.ts';
import type { FailureWord } from './push-words.ts';
import { type PushRequest, type PushResponse, sendRequest } from './request.ts';
import type { VapidSigner } from './vapid.ts';

export interface PushClient extends AsyncDisposable {
  /** Never rejects. Any 2xx is `accepted`; any other answer, a redirect too, is `refused`. */
  send(request: PushRequest): Promise<PushResponse>;
  /** How many origins it has connections to, or is connecting to. */
  readonly openOrigins: number;
}

interface PushService {
  pool: Pool;
  inFlight: number;
  /** Starts the requests that wait for a slot, in order. undici's own queue would connect for requests past their deadline. */
  waiting: Set<() => void>;
}

const MAX_ORIGINS = 256;
const IDLE_MS = 30_000;
/** Share of the deadline that a request may wait for a slot. After a longer wait too little time is left for an answer. */
const WAITING_SHARE = 0.9;

/**
 * The whole request for one subscription (RFC 8030 5, RFC 8291 4, RFC 8292 2).
 *
 * @param push `payload`: up to 3993 bytes; `topic`: 1 to 32 characters of URL-safe Base64 (RFC 8030 5.4)
 * @throws {InvalidKeysError} if the subscription's keys cannot be used
 * @throws {RangeError} if `payload`, `ttlSeconds` or `topic` is out of bounds
 */
export async function buildRequest(push: {
  endpoint: string;
  p256dh: Uint8Array;
  auth: Uint8Array;
  vapid: VapidSigner;
  payload: Uint8Array;
  ttlSeconds: number;
  urgency: 'very-low' | 'low' | 'normal' | 'high';
  topic?: string;
}): Promise<PushRequest> {
  const { endpoint, vapid, ttlSeconds, urgency, topic } = push;
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 0) throw new RangeError(`A TTL of ${ttlSeconds} s`);
  const origin = originOf(endpoint);
  if (origin === '') throw new TypeError('The endpoint is not a URL');
  const headers: Record<string, string> = {
    ttl: String(ttlSeconds),
    urgency,
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    authorization: vapid.header(origin),
  };
  if (topic !== undefined) {
    if (!/^[\w-]{1,32}$/.test(topic))
      throw new RangeError('A topic that is not 1 to 32 characters of Base64');
    headers.topic = topic;
  }
  return { endpoint, headers, body: await encrypt(push, push.payload) };
}

/**
 * Opens the HTTP client for push services. It connects only to addresses within `reach` (promise 8), follows no
 * redirects, reads at most 64 KiB of an answer, and sends at most `perOrigin` requests at once to one origin. Further
 * requests wait for a slot; the wait counts towards their deadline. Idle connections stay open for 30 s, for at most 256 origins.
 *
 * @param options.resolve in place of DNS
 * @param options.deadlineMs from `send` to the answer; an answer whose status arrived in time counts
 */
export function openPushClient({
  reach,
  ports,
  resolve,
  deadlineMs = 10_000,
  perOrigin = 16,
}: EndpointPolicy & {
  resolve?: Resolve;
  deadlineMs?: number;
  perOrigin?: number;
}): PushClient {
  const connectorOf = new Map<AddressRule, ReturnType<typeof guardedConnector>>();
  /** In the order of their last use, the latest at the end. */
  const services = new Map<string, PushService>();
  let closed = false;

  function findConnector(isAllowed: AddressRule): ReturnType<typeof guardedConnector> {
    const connector =
      connectorOf.get(isAllowed) ?? guardedConnector({ isAllowed, resolve, timeoutMs: deadlineMs });
    connectorOf.set(isAllowed, connector);
    return connector;
  }

  /** @param isAllowed the same for every endpoint of an origin */
  function findService(origin: string, isAllowed: AddressRule): PushService | undefined {
    const known = services.get(origin);
    if (known) {
      services.delete(origin);
      services.set(origin, known);
      return known;
    }
    if (closed || (services.size >= MAX_ORIGINS && !evictOldestIdle())) return undefined;
    const pool = new Pool(origin, {
      connect: findConnector(isAllowed),
      connections: perOrigin,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // `sendRequest` has one deadline over both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const service: PushService = { pool, inFlight: 0, waiting: new Set() };
    pool.on('disconnect', () => closeIfUnused(origin, service));
    services.set(origin, service);
    return service;
  }

  function evictOldestIdle(): boolean {
    for (const [origin, { pool, inFlight }] of services) {
      if (inFlight > 0) continue;
      services.delete(origin);
      void pool.destroy();
      return true;
    }
    return false;
  }

  function closeIfUnused(origin: string, service: PushService): void {
    if (service.inFlight > 0 || service.pool.stats.connected > 0 || services.get(origin) !== service) return;
    services.delete(origin);
    void service.pool.destroy();
  }

  function releaseSlot(origin: string, service: PushService): void {
    const [next] = service.waiting;
    if (next) {
      next();
      return;
    }
    service.inFlight -= 1;
    // undici is still inside its own bookkeeping here.
    queueMicrotask(() => closeIfUnused(origin, service));
  }

  return {
    get openOrigins() {
      return services.size;
    },

    async send(request) {
      const check = checkEndpoint(request.endpoint, {
        reach: request.isPublicOnly ? 'public' : reach,
        ports,
      });
      if (!check.ok) return { kind: 'failed', word: toFailureWord(check.word) };
      const { origin } = check.url;
      const service = findService(origin, check.isAllowed);
      if (!service) return { kind: 'failed', word: 'connect' };
      const endsAt = performance.now() + deadlineMs;
      if (service.inFlight < perOrigin) service.inFlight += 1;
      else if (!(await waitForSlot(service, deadlineMs * WAITING_SHARE)))
        return { kind: 'failed', word: 'timeout' };
      const remainingMs = endsAt - performance.now();
      return sendRequest(service.pool, check.url, request, remainingMs, () => releaseSlot(origin, service));
    },

    async [Symbol.asyncDispose]() {
      closed = true;
      const open = [...services.values()];
      services.clear();
      await Promise.all(open.map(({ pool }) => pool.destroy()));
    },
  };
}

function toFailureWord(word: Extract<EndpointCheck, { ok: false }>['word']): FailureWord {
  if (word === 'endpoint_private') return 'private_address';
  return word === 'endpoint_port' ? 'port' : 'protocol';
}

/** @returns false if the time was up first */
function waitForSlot({ waiting }: PushService, ms: number): Promise<boolean> {
  return new Promise((settle) => {
    const timer = setTimeout(() => leave(false), ms);
    const begin = () => leave(true);
    function leave(inTime: boolean): void {
      clearTimeout(timer);
      waiting.delete(begin);
      settle(inTime);
    }
    waiting.add(begin);
  });
}
