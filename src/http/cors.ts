import type { App } from './server.ts';

const EXPOSED = 'Device-Proof, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const ORIGIN_LINE = /^origin:[ \t]*(\S+)[ \t]*\r?$/im;

/** Lets pages of these origins call the API and read its headers, also those of answers that no route gives. */
export function allowOrigins(app: App, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  const isAllowed = (origin: string | undefined) => origin !== undefined && allowed.has(origin);
  const of = (origin: string | undefined) => ({
    vary: 'Origin',
    ...(origin !== undefined &&
      isAllowed(origin) && {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED,
      }),
  });
  app.hooks.originHeaders = of;
  // Without the line, the origin may have arrived before: the answer names one, and browsers show it to no page of another.
  app.hooks.originHeadersOfUnreadable = (bytes) =>
    of(ORIGIN_LINE.exec(bytes.toString('latin1'))?.[1] ?? origins[0]);
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    reply.headers(of(origin));
    if (request.method !== 'OPTIONS' || !isAllowed(origin)) return done();
    reply.header('access-control-allow-methods', 'GET, HEAD, POST');
    reply.header('access-control-allow-headers', 'Authorization, Content-Type, Device-Proof');
    reply.header('access-control-max-age', '600');
    reply.header('content-type', 'application/json; charset=utf-8').send('{"code":200}');
  });
}
