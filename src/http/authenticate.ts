import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Verdict } from '../limits/sliding-log.ts';
import type { ApiLimits } from './api-limits.ts';
import { addressKeyOf, addressOf } from './client-address.ts';
import { refusal } from './errors.ts';
import type { ProxyWarnings } from './log/proxy-warnings.ts';
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
interface Authenticator {
  /** The caller of a cached token. `undefined` says only that the token is not cached. */
  recall(token: string, findAddress?: () => string): Caller | undefined;
  /** The caller of a token; `undefined` if it is invalid or its session has ended (interface 5.5). */
  identify(token: string, findAddress?: () => string): Promise<Caller | undefined>;
}

/** What an API key may do: each route for keys needs one of these. */
export const RIGHTS = ['users', 'sessions', 'relations', 'messages'] as const;
export type Right = (typeof RIGHTS)[number];

/** An API key that was not revoked. */
export interface ApiKey {
  readonly id: string;
  /** What logs name it by. */
  readonly name: string;
  readonly may: readonly Right[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `public` opens a route to callers without a token; every other route answers them 401 (interface 5.5). `key`: the route takes an
     * API key instead of a token.
     */
    access?: 'public' | 'key';
    /** What a key needs for a route with `access: 'key'`. */
    right?: Right;
    /** The limit that counts the calls (interface 8); `api` by default. */
    limit?: 'auth' | 'api' | 'pictureReads';
  }
  interface FastifyRequest {
    caller: Caller | null;
    /** Set on routes with `access: 'key'`, also for a call that is refused for want of a right. */
    key: ApiKey | null;
  }
}

interface GuardOptions {
  readonly authentication: Authenticator;
  readonly apiKeys: { find(key: string): Promise<ApiKey | undefined> };
  readonly limits: Pick<ApiLimits, 'api' | 'auth' | 'pictureReads' | 'keys'> & {
    readonly proxyWarnings: Pick<ProxyWarnings, 'look' | 'noteUser'>;
  };
}

/**
 * Authorizes every request before its body is read: first the limit, then the token (architecture 10.1).
 * An invalid token counts as none: the limit then counts the client's address, and a public route goes on.
 */
export function guardRequests(app: App, { authentication, apiKeys, limits }: GuardOptions): void {
  const { trustProxy } = app;
  app.decorateRequest('caller', null);
  app.decorateRequest('key', null);

  app.addHook('onRequest', (request, reply, done) => {
    // Read once: the getter makes a new object at each access.
    const { url, config: route } = request.routeOptions;
    const path = url ?? pathOf(request);
    if (path.startsWith('/api/')) reply.header('cache-control', 'no-store');
    if (route.access === 'key') {
      decideOnKey(request, reply, route.right).then(done, done);
      return;
    }
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
  });

  function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    route: FastifyContextConfig,
    caller: Caller | undefined,
  ): Error | undefined | Promise<Error | undefined> {
    const { access, limit = 'api' } = route;
    // Also for a call that is refused: its line of the log names the user.
    if (caller) request.caller = caller;
    if (!path.startsWith('/api/')) return admit(request, access);
    // Signing in is counted by address only, so that many tokens give a caller no more attempts.
    const isByUser = caller && limit !== 'auth';
    const subject = isByUser ? caller.userId : addressSubject(request);
    return count(reply, isByUser || limit === 'auth' ? limit : 'api', subject, () => admit(request, access));
  }

  /** An id may look like an address, but has no space: users and addresses are counted in one limit. */
  function addressSubject(request: FastifyRequest): string {
    return `address ${addressKeyOf(request.raw, trustProxy)}`;
  }

  /** Counts what has no good key for its address, and good keys in a limit of their own alone. */
  async function decideOnKey(
    request: FastifyRequest,
    reply: FastifyReply,
    right: Right | undefined,
  ): Promise<Error | undefined> {
    const { authorization, origin } = request.headers;
    const sent = origin === undefined ? bearerToken(authorization) : undefined;
    const key = sent === undefined ? undefined : await apiKeys.find(sent);
    if (!key) {
      limits.proxyWarnings.look(request.raw);
      return count(reply, 'api', addressSubject(request), () =>
        origin === undefined
          ? refusal('unauthenticated', 'key_required')
          : refusal('forbidden', 'key_in_browser'),
      );
    }
    request.key = key;
    const isAllowed = right !== undefined && key.may.includes(right);
    return count(reply, 'keys', key.id, () =>
      isAllowed ? undefined : refusal('forbidden', 'key_not_allowed'),
    );
  }

  /** Counts a call and refuses it if there were too many; else `decided` says whether it is admitted. */
  function count(
    reply: FastifyReply,
    limit: 'api' | 'auth' | 'pictureReads' | 'keys',
    subject: string,
    decided: () => Error | undefined,
  ): Error | undefined | Promise<Error | undefined> {
    const log = limits[limit];
    if (!log) return decided();
    const report = (verdict: Verdict) => {
      // As in draft-ietf-httpapi-ratelimit-headers-11: `q` calls in `w` seconds, of which `r` are left until `t` seconds from now.
      reply.header('ratelimit-policy', `"${limit}";q=${log.limit};w=${Math.ceil(log.windowMs / 1000)}`);
      reply.header('ratelimit', `"${limit}";r=${verdict.remaining};t=${verdict.resetSeconds}`);
      if (verdict.allowed) return decided();
      return refusal('rate-limited', 'rate_limited', { retryAfterSeconds: verdict.resetSeconds, limit });
    };
    const verdict = log.take(subject);
    return verdict instanceof Promise ? verdict.then(report) : report(verdict);
  }
}

function admit(request: FastifyRequest, access: FastifyContextConfig['access']): Error | undefined {
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

/** The key that calls a route with `access: 'key'`. @throws {Error} on any other route */
export function keyOf(request: FastifyRequest): ApiKey {
  if (!request.key) throw new Error('only a route for API keys has a key');
  return request.key;
}

/** A signal that aborts when the client disconnects before the answer is sent. That of Fastify aborts once a body was read. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnect = new AbortController();
  if (reply.raw.destroyed) disconnect.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) disconnect.abort();
  });
  return disconnect.signal;
}
