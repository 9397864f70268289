import type { App } from './server.ts';

const EXPOSED = 'Device-Proof, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

/** Lets pages of these origins call the API and read its headers (Fetch standard, CORS). */
export function allowOrigins(app: App, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', EXPOSED);
    if (request.method !== 'OPTIONS') return done();
    reply.header('access-control-allow-methods', 'GET, HEAD, POST');
    reply.header('access-control-allow-headers', 'Authorization, Content-Type, Device-Proof');
    reply.header('access-control-max-age', '600');
    reply.header('content-type', 'application/json; charset=utf-8').send('{"code":200}');
  });
}
