import type { IncomingMessage } from 'node:http';
import type { Config } from '../config/config.ts';
import { isLoopback } from '../config/fields.ts';
import { ServiceError } from '../errors.ts';
import { addressKeyOf } from '../http/client-address.ts';
import { refusal } from '../http/errors.ts';
import { hasValidHost } from '../http/parse/host.ts';
import { parseWebUrl } from '../http/parse/web-url.ts';
import type { LiveConnections } from './live-connections.ts';

export const PATH = '/ws';
export const SUBPROTOCOL = 'doorman.v1';

/** By then, connections of the address that sent no `hello` are closed. */
const RETRY_AFTER_SECONDS = 10;

/**
 * Decides whether a request may become a socket, by the rules of RFC 6455, 4.2.1, and our own (docs/protocol.md, Opening),
 * in the order limit, form, rights (architecture 10.1).
 *
 * @returns why it may not, or `undefined`
 */
export function findRefusal(
  request: IncomingMessage,
  config: Pick<Config, 'origins' | 'publicUrl' | 'trustProxy' | 'tryingLocally'>,
  live: Pick<LiveConnections, 'hasTooManyPending'>,
): ServiceError | undefined {
  if (!isHandshake(request)) return invalid('upgrade_required', '此地址只接受 WebSocket 连接');
  if (live.hasTooManyPending(addressKeyOf(request, config.trustProxy)))
    return refusal('rate-limited', 'rate_limited', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  const { origin, 'sec-websocket-key': key = '', 'sec-websocket-protocol': offered } = request.headers;
  if (!hasValidHost(request)) return refusal('invalid', 'malformed_request');
  if (request.headers['sec-websocket-version'] !== '13')
    return invalid('websocket_version', 'WebSocket 版本需为 13');
  if (!/^[+/\dA-Za-z]{22}==$/.test(key)) return invalid('malformed_request', '请求格式不正确');
  if (offered !== undefined && !offersSubprotocol(offered))
    return invalid('subprotocol', `不支持的子协议，请使用 ${SUBPROTOCOL}`);
  if (origin !== undefined && !isAllowedOrigin(origin, request.socket.localPort, config))
    return new ServiceError('forbidden', 'origin', '不允许的来源');
  return undefined;
}

/** Whether a request asks for a socket. Any other request, also one that offers HTTP/2, is a plain one. */
function isHandshake({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
  if (!/(^|,)\s*upgrade\s*(,|$)/i.test(headers.connection ?? '')) return false;
  return url === PATH || url.startsWith(`${PATH}?`);
}

/** Whether the list has our subprotocol and is valid: tokens, each of them once (RFC 6455, 4.1). */
function offersSubprotocol(offered: string): boolean {
  const names = offered.split(',').map((name) => name.trim());
  const areTokens = names.every((name) => /^[!#$%&'*+\-.^`|~\w]+$/.test(name));
  return areTokens && new Set(names).size === names.length && names.includes(SUBPROTOCOL);
}

/**
 * Whether pages of an origin may open sockets. Browsers name the origin and send cookies for any page, so other origins are
 * refused. When the service is tried on one machine, all names of that machine are the same origin: http://localhost:3000
 * and http://127.0.0.1:3000.
 */
function isAllowedOrigin(
  origin: string,
  localPort: number | undefined,
  { origins, publicUrl, tryingLocally }: Pick<Config, 'origins' | 'publicUrl' | 'tryingLocally'>,
): boolean {
  if (origin === publicUrl || origins.includes(origin)) return true;
  const url = tryingLocally ? parseWebUrl(origin) : null;
  return url?.protocol === 'http:' && Number(url.port || 80) === localPort && isLoopback(url.hostname);
}

function invalid(word: string, message: string): ServiceError {
  return new ServiceError('invalid', word, message);
}
