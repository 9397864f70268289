import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { ApiLimits } from './api-limits.ts';
import { addressKeyOf, addressOf, type TrustedNetworks } from './client-address.ts';
import { refusal } from './errors.ts';
import type { ProxyWarnings } from './log/proxy-warnings.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import type { RateLimit, Verdict } from './rate-limits.ts';
import type { Refusals } from './refusals.ts';
import { pathOf } from './request-path.ts';
import type { App } from './server.ts';

/** The user of a valid token whose session has not ended. */
export interface Caller {
  readonly userId: string;
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Turns tokens into callers. `findAddress` finds the client's address; it is called only when the use of a session is stored. */
export interface Authenticator {
  /** The caller of a cached token. `undefined` says only that the token is not cached. */
  recall(token: string, findAddress?: () => string): Caller | undefined;
  /** The caller of a token; `undefined` if it is invalid or its session has ended (interface 5.5). */
  identify(token: string, findAddress?: () => string): Promise<Caller | undefined>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `public` opens a route to callers without a token; every other route answers them 401 (interface 5.5). */
    access?: 'public';
    /** The limit that counts the calls (interface 8); `api` by default. */
    limit?: 'auth' | 'api';
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
}

interface GuardOptions {
  readonly authentication: Authenticator;
  readonly limits: Pick<ApiLimits, 'api' | 'auth'> & {
    readonly refusals: Pick<Refusals, 'count'>;
    readonly proxyWarnings: Pick<ProxyWarnings, 'look' | 'noteUser'>;
  };
  readonly trustProxy: TrustedNetworks;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Authorizes every request before its body is read: first the limit, then the token (architecture 10.1).
 * An invalid token counts as none: the limit then counts the client's address, and a public route goes on.
 */
export function guardRequests(app: App, { authentication, limits, trustProxy, clock }: GuardOptions): void {
  app.decorateRequest('caller', null);

  app.addHook('onRequest', authorizeRequest);
  app.hooks.authorizeUnrouted = authorizeRequest;

  function authorizeRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (refused?: Error) => void,
  ): void {
    // Read once: the getter makes a new object at each access.
    const { url, config: route } = request.routeOptions;
    const path = url ?? pathOf(request);
    if (path.startsWith('/api/')) reply.header('cache-control', 'no-store');
    const token = bearerToken(request.headers.authorization);
    const findAddress = () => addressOf(request.raw, trustProxy);
    const cached = token === undefined ? undefined : authentication.recall(token, findAddress);
    const judge = (caller: Caller | undefined) => decide(request, reply, path, route, caller);
    // A call with a cached token skips the look: it costs nothing there, and the calls before it had theirs.
    if (!cached) limits.proxyWarnings.look(request.raw);
    if (token === undefined || cached) {
      const decided = judge(cached);
      if (decided instanceof Promise) decided.then(done, done);
      else done(decided);
    } else
      authentication
        .identify(token, findAddress)
        .then((caller) => {
          if (caller) limits.proxyWarnings.noteUser(caller.userId, findAddress());
          return judge(caller);
        })
        .then(done, done);
  }

  /** @param route `undefined` for a path that cannot be read */
  function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    route: FastifyContextConfig | undefined,
    caller: Caller | undefined,
  ): Error | undefined | Promise<Error | undefined> {
    const { access, limit = 'api' } = route ?? {};
    // Also for a call that is refused: its line of the log names the user.
    if (caller) request.caller = caller;
    const log = path.startsWith('/api/') ? limits[limit] : null;
    if (!log) return admit(request, access);
    // Signing in is counted by address only, so that many tokens give a caller no more attempts.
    const key = caller && limit === 'api' ? caller.userId : addressKeyOf(request.raw, trustProxy);
    const report = (verdict: Verdict) =>
      reportLimit(request, reply, limit, log, verdict) ?? admit(request, access);
    const verdict = log.take(key, clock.monotonicMs());
    return verdict instanceof Promise ? verdict.then(report) : report(verdict);
  }

  /** Writes the headers of a limit. @returns the refusal of a call above it */
  function reportLimit(
    request: FastifyRequest,
    reply: FastifyReply,
    name: 'auth' | 'api',
    limit: RateLimit,
    verdict: Verdict,
  ): Error | undefined {
    reply.headers({ ...rateLimitHeaders(name, limit, verdict) });
    if (verdict.allowed) return undefined;
    limits.refusals.count(name, addressKeyOf(request.raw, trustProxy));
    return refusal('rate-limited', 'rate_limited', verdict.retryAfterSeconds);
  }
}

function admit(request: FastifyRequest, access: 'public' | undefined): Error | undefined {
  if (request.caller || access === 'public' || request.is404) return undefined;
  return refusal('unauthenticated', 'unauthenticated');
}

/** RFC 6750, 2.1; the scheme's name is case-insensitive (RFC 9110, 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^bearer +([\w~+/.-]+=*) *$/i.exec(authorization)?.[1];
}

/** The caller of a route that is not public. @throws {Error} on a public route without a caller */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('a public route requires a caller');
  return request.caller;
}

/** A signal that aborts when the client disconnects before the answer is sent. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnect = new AbortController();
  if (reply.raw.destroyed) disconnect.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) disconnect.abort();
  });
  return disconnect.signal;
}
