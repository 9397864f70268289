import { Pool } from 'undici';
import { encrypt } from './encryption.ts';
import {
  type AddressRule,
  type EndpointJudgement,
  type EndpointPolicy,
  judgeEndpoint,
  type Resolve,
} from './endpoint-guard.ts';
import { exchange, type PushAnswer, type PushRequest } from './exchange.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { FailureWord } from './push-words.ts';
import type { Vapid } from './vapid.ts';

export interface PushSender extends AsyncDisposable {
  /** Never rejects. Any 2xx is `accepted`; any other answer, a redirect too, is `refused`. */
  send(request: PushRequest): Promise<PushAnswer>;
  /** How many push services it holds connections to, or is about to. */
  readonly openOrigins: number;
}

interface PushService {
  pool: Pool;
  underWay: number;
  /** Who waits for a turn, the first come first. undici's own queue would connect for what is too late already. */
  waiting: Set<() => void>;
}

const MAX_ORIGINS = 256;
const IDLE_MS = 30_000;
/** Of the deadline. What waits longer would be cut off before its answer, and is not worth a connection. */
const WAITING_SHARE = 0.9;

/**
 * The whole request for one subscription (RFC 8030 5, RFC 8291 4, RFC 8292 2).
 *
 * @param push `payload`: up to 3993 bytes; `topic`: 1 to 32 characters of URL-safe Base64 (RFC 8030 5.4)
 * @throws {UnusableKeysError} if the subscription's keys are none
 * @throws {RangeError} if `payload`, `ttlSeconds` or `topic` is out of bounds
 */
export function buildPush(push: {
  endpoint: string;
  p256dh: Uint8Array;
  auth: Uint8Array;
  vapid: Vapid;
  payload: Uint8Array;
  ttlSeconds: number;
  urgency: 'very-low' | 'low' | 'normal' | 'high';
  topic?: string;
}): PushRequest {
  const { endpoint, vapid, ttlSeconds, urgency, topic } = push;
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 0) throw new RangeError(`A TTL of ${ttlSeconds} s`);
  const headers: Record<string, string> = {
    ttl: String(ttlSeconds),
    urgency,
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    authorization: vapid.header(new URL(endpoint).origin),
  };
  if (topic !== undefined) {
    if (!/^[\w-]{1,32}$/.test(topic))
      throw new RangeError('A topic that is not 1 to 32 characters of Base64');
    headers.topic = topic;
  }
  return { endpoint, headers, body: encrypt(push, push.payload) };
}

/**
 * Carries requests to push services. It connects to addresses within its reach only (promise 8), follows no redirects,
 * reads at most 64 KiB of an answer, and has at most 16 requests at once under way with one origin; others wait their
 * turn, and their wait counts. Connections are kept for 30 s, and those of at most 256 origins at a time.
 *
 * @param options.resolve in place of DNS
 * @param options.deadlineMs for one request from `send` to its answer; an answer whose status came in time counts
 */
export function openPushSender({
  reach,
  ports,
  resolve,
  deadlineMs = 10_000,
  perOrigin = 16,
}: EndpointPolicy & {
  resolve?: Resolve;
  deadlineMs?: number;
  perOrigin?: number;
}): PushSender {
  const connectorOf = new Map<AddressRule, ReturnType<typeof guardedConnector>>();
  /** The one used last comes last. */
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
    if (closed || (services.size >= MAX_ORIGINS && !closeOldestIdle())) return undefined;
    const pool = new Pool(origin, {
      connect: findConnector(isAllowed),
      connections: perOrigin,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // `exchange` has one deadline over both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const service: PushService = { pool, underWay: 0, waiting: new Set() };
    pool.on('disconnect', () => closeIfUnused(origin, service));
    services.set(origin, service);
    return service;
  }

  function closeOldestIdle(): boolean {
    for (const [origin, { pool, underWay }] of services) {
      if (underWay > 0) continue;
      services.delete(origin);
      void pool.destroy();
      return true;
    }
    return false;
  }

  function closeIfUnused(origin: string, service: PushService): void {
    if (service.underWay > 0 || service.pool.stats.connected > 0 || services.get(origin) !== service) return;
    services.delete(origin);
    void service.pool.destroy();
  }

  function endTurn(origin: string, service: PushService): void {
    const [next] = service.waiting;
    if (next) {
      next();
      return;
    }
    service.underWay -= 1;
    // undici is still inside its own bookkeeping here.
    queueMicrotask(() => closeIfUnused(origin, service));
  }

  return {
    get openOrigins() {
      return services.size;
    },

    async send(request) {
      const judged = judgeEndpoint(request.endpoint, {
        reach: request.isPublicOnly ? 'public' : reach,
        ports,
      });
      if (!judged.ok) return { kind: 'failed', word: toFailureWord(judged.word) };
      const { origin } = judged.url;
      const service = findService(origin, judged.isAllowed);
      if (!service) return { kind: 'failed', word: 'connect' };
      const endsAt = performance.now() + deadlineMs;
      if (service.underWay < perOrigin) service.underWay += 1;
      else if (!(await waitForTurn(service, deadlineMs * WAITING_SHARE)))
        return { kind: 'failed', word: 'timeout' };
      const remainingMs = endsAt - performance.now();
      return exchange(service.pool, judged.url, request, remainingMs, () => endTurn(origin, service));
    },

    async [Symbol.asyncDispose]() {
      closed = true;
      const open = [...services.values()];
      services.clear();
      await Promise.all(open.map(({ pool }) => pool.destroy()));
    },
  };
}

function toFailureWord(word: Extract<EndpointJudgement, { ok: false }>['word']): FailureWord {
  if (word === 'endpoint_private') return 'private_address';
  return word === 'endpoint_port' ? 'port' : 'protocol';
}

/** @returns false if the time was up first */
function waitForTurn({ waiting }: PushService, ms: number): Promise<boolean> {
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
