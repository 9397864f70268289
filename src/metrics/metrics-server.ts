import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long a request may take to arrive, and its connection to be idle. */
const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 64;

/** The address of `METRICS_HOST` and `METRICS_PORT` cannot be listened on; `cause` has Node's error. */
export class MetricsAddressError extends Error {
  override readonly name = 'MetricsAddressError';
}

/** What a scrape is answered. */
export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
}

/**
 * Serves `/metrics`, and nothing else, at an address of its own.
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
    (request, response) => void answer(request, response, metrics, onFault),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(TIMEOUT_MS);
  server.listen({ host, port });
  await once(server, 'listening').catch((cause) => {
    throw new MetricsAddressError('/metrics cannot be served at its address', { cause });
  });
  return { url: urlOf(server), [Symbol.asyncDispose]: () => close(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: Metrics,
  onFault: (error: unknown) => void,
): Promise<void> {
  const { method, url = '' } = request;
  request.resume();
  const isAsked = (method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === '/metrics';
  const [status, type, text] = isAsked
    ? await metrics.render().then(
        (rendered) => [200, metrics.contentType, rendered] as const,
        (error: unknown) => {
          onFault(error);
          return [500, 'text/plain', 'The metrics could not be read.\n'] as const;
        },
      )
    : ([404, 'text/plain', 'Only /metrics is served here.\n'] as const);
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(method === 'HEAD' ? undefined : text);
}

function urlOf(server: Server): string {
  // A server that listens on a port has this kind of address.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
