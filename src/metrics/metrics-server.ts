import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from '../config/fields.ts';
import type { ScrapedMetrics } from './scraped-metrics.ts';

type Metrics = Pick<ScrapedMetrics, 'contentType' | 'render'>;

/** How long a request may take to arrive, and its connection to be idle. */
const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 64;

/** The address of `METRICS_HOST` and `METRICS_PORT` cannot be listened on; `cause` has Node's error. */
export class MetricsAddressError extends Error {
  override readonly name = 'MetricsAddressError';
}

/**
 * Serves `/metrics`, and nothing else, at an address of its own. On loopback it answers only calls that name an IP address or
 * `localhost`: a page in a browser of this machine could otherwise read it by a name of its own that leads here (DNS rebinding).
 *
 * @param onFault called when the metrics could not be rendered, which the scrape is answered with 500
 * @throws {MetricsAddressError}
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  metrics: Metrics,
  onFault: (error: unknown) => void,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(
    {
      requestTimeout: TIMEOUT_MS,
      headersTimeout: TIMEOUT_MS,
      keepAliveTimeout: TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_MS / 2,
    },
    (request, response) => {
      const isServed = isMetricsRequest(request) && (!isLoopback(host) || namesAddress(request));
      void answer(request, response, isServed ? metrics : undefined, onFault);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(TIMEOUT_MS);
  server.listen({ host, port });
  await once(server, 'listening').catch((cause) => {
    throw new MetricsAddressError('/metrics cannot be served at its address', { cause });
  });
  return {
    url: urlOf(server),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

function isMetricsRequest({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === '/metrics';
}

/** Whether its `Host` is an IP address or `localhost`, with or without a port. */
function namesAddress({ headers: { host = '' } }: IncomingMessage): boolean {
  const name = host.replace(/:\d*$/, '');
  return name.toLowerCase() === 'localhost' || isIPv4(name) || isIPv6(/^\[(.*)\]$/.exec(name)?.[1] ?? '');
}

/** @param metrics absent: the answer is 404 */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: Metrics | undefined,
  onFault: (error: unknown) => void,
): Promise<void> {
  request.resume();
  const [status, type, text] = metrics
    ? await metrics.render().then(
        (rendered) => [200, metrics.contentType, rendered] as const,
        (error: unknown) => {
          onFault(error);
          return [500, 'text/plain', 'The metrics could not be read.\n'] as const;
        },
      )
    : ([404, 'text/plain', 'Only /metrics is served here.\n'] as const);
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

function urlOf(server: Server): string {
  // A server that listens on a port has this kind of address.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`;
}
