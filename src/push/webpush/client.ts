import { Pool } from 'undici';
import { BoundedQueue } from '../../collections/bounded-queue.ts';
import { guardedConnector } from './connector.ts';
import { encrypt } from './encryption.ts';
import {
  type AddressRule,
  checkEndpoint,
  type EndpointCheck,
  type EndpointPolicy,
  originOf,
  type Resolve,
} from './endpoint-guard.ts';
import { countPush, type PushFigures } from './push-figures.ts';
import type { FailureWord } from './push-words.ts';
import { type PushRequest, type PushResponse, sendRequest } from './request.ts';
import type { VapidSigner } from './vapid.ts';

export interface PushClient extends AsyncDisposable {
  /** Never rejects. Any 2xx is `accepted`; any other answer, a redirect too, is `refused`. */
  send(request: PushRequest): Promise<PushResponse>;
}

interface PushService {
  readonly pool: Pool;
  /** Requests beyond the slots wait here: undici's own queue would connect for requests past their deadline. */
  readonly queue: BoundedQueue;
}

/** How long a push is worth sending, in the queue and at the push service. */
export const TTL_SECONDS = 24 * 60 * 60;
const MAX_ORIGINS = 256;
const IDLE_MS = 30_000;
/** Share of the deadline that a request may wait for a slot. After a longer wait too little time is left for an answer. */
const WAITING_SHARE = 0.9;

/**
 * The whole request for one subscription (RFC 8030 5, RFC 8291 4, RFC 8292 2).
 *
 * @param push `p256dh` and `auth`: Base64 of either alphabet, padded or not; `payload`: up to 3993 bytes;
 *   `topic`: 1 to 32 characters of URL-safe Base64 (RFC 8030 5.4)
 * @throws {InvalidKeysError} if the subscription's keys cannot be used
 * @throws {RangeError} if `payload` or `topic` is out of bounds
 */
export async function buildRequest(push: {
  endpoint: string;
  p256dh: string;
  auth: string;
  vapid: VapidSigner;
  payload: Uint8Array;
  topic?: string;
}): Promise<PushRequest> {
  const { endpoint, vapid, topic } = push;
  const origin = originOf(endpoint);
  if (origin === '') throw new TypeError('The endpoint is not a URL');
  const headers: Record<string, string> = {
    ttl: String(TTL_SECONDS),
    urgency: 'high',
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    authorization: vapid.header(origin),
  };
  if (topic !== undefined) {
    if (!/^[\w-]{1,32}$/.test(topic))
      throw new RangeError('A topic that is not 1 to 32 characters of Base64');
    headers.topic = topic;
  }
  const keys = { p256dh: Buffer.from(push.p256dh, 'base64'), auth: Buffer.from(push.auth, 'base64') };
  return { endpoint, headers, body: await encrypt(keys, push.payload) };
}

/**
 * Opens the HTTP client for push services. It connects only to addresses within `reach` (promise 8), follows no
 * redirects, reads at most 64 KiB of an answer, and sends at most `perOrigin` requests at once to one origin. Further
 * requests wait for a slot; the wait counts towards their deadline. Idle connections stay open for 30 s, for at most 256 origins.
 *
 * @param options.resolve in place of DNS
 * @param options.figures where requests are counted, if they are
 * @param options.deadlineMs from `send` to the answer; an answer whose status arrived in time counts
 */
export function openPushClient({
  reach,
  ports,
  resolve,
  deadlineMs = 10_000,
  perOrigin = 16,
  figures = null,
}: EndpointPolicy & {
  resolve?: Resolve | undefined;
  deadlineMs?: number | undefined;
  perOrigin?: number;
  figures?: PushFigures | null;
}): PushClient {
  /** In the order of their last use, the latest at the end. */
  const services = new Map<string, PushService>();
  let closed = false;

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
      connect: guardedConnector({ isAllowed, resolve, timeoutMs: deadlineMs }),
      connections: perOrigin,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // `sendRequest` has one deadline over both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const queue = new BoundedQueue({ concurrency: perOrigin, limit: Number.POSITIVE_INFINITY });
    const service: PushService = { pool, queue };
    services.set(origin, service);
    return service;
  }

  function evictOldestIdle(): boolean {
    for (const [origin, { pool, queue }] of services) {
      if (queue.running > 0) continue;
      services.delete(origin);
      void pool.destroy();
      return true;
    }
    return false;
  }

  async function send(request: PushRequest): Promise<PushResponse> {
    const check = checkEndpoint(request.endpoint, { reach: request.isPublicOnly ? 'public' : reach, ports });
    if (!check.ok) return { kind: 'failed', word: toFailureWord(check.word) };
    const { isAllowed, url } = check;
    const service = findService(url.origin, isAllowed);
    if (!service) return { kind: 'failed', word: 'connect' };
    const { pool, queue } = service;
    const endsAt = performance.now() + deadlineMs;
    const timeUp =
      queue.running < perOrigin ? undefined : AbortSignal.timeout(Math.ceil(deadlineMs * WAITING_SHARE));
    const { promise, resolve } = Promise.withResolvers<PushResponse>();
    queue
      .run(() => sendRequest(pool, url, request, endsAt - performance.now(), resolve), timeUp)
      // The time was up before it got a slot.
      .catch(() => resolve({ kind: 'failed', word: 'timeout' }));
    return promise;
  }

  return {
    async send(request) {
      const startedAt = performance.now();
      const response = await send(request);
      if (figures) countPush(figures, request.endpoint, response, performance.now() - startedAt);
      return response;
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
