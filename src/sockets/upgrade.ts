import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../config-fields.ts';
import { ServiceError } from '../errors.ts';
import { clientKey, type TrustedNetworks } from '../http/client-address.ts';
import { refusal } from '../http/errors.ts';

export const PATH = '/ws';
export const SUBPROTOCOL = 'doorman.v1';

/** After so long, connections of an address without `hello` have lost their slots. */
const RETRY_AFTER_SECONDS = 10;

/** What a request would have to be to become a socket. */
interface Door {
  /** Our own origin, and the further ones whose pages may open sockets. */
  readonly publicUrl: string;
  readonly origins: readonly string[];
  readonly trustProxy: TrustedNetworks;
  readonly tryingLocally: boolean;
  /** Whether this address has no place left. */
  readonly isFull: (addressKey: string) => boolean;
}

/**
 * Why a request cannot become a socket, `undefined` if it can: the judgement of a WebSocket handshake (RFC 6455, 4.2.1)
 * and of what is ours (docs/protocol.md, Opening), in the order limit, form, rights (architecture 10.1).
 */
export function findFlaw(request: IncomingMessage, door: Door): ServiceError | undefined {
  if (!isHandshake(request)) return invalid('upgrade_required', '此地址只接受 WebSocket 连接');
  if (door.isFull(addressKeyOf(request, door.trustProxy)))
    return refusal('rate-limited', 'rate_limited', RETRY_AFTER_SECONDS);
  const { origin, 'sec-websocket-key': key = '', 'sec-websocket-protocol': offered } = request.headers;
  if (request.headers['sec-websocket-version'] !== '13')
    return invalid('websocket_version', 'WebSocket 版本需为 13');
  if (!/^[+/\dA-Za-z]{22}==$/.test(key)) return invalid('malformed_request', '请求格式不正确');
  if (offered !== undefined && !offersOurs(offered))
    return invalid('subprotocol', `不支持的子协议，请使用 ${SUBPROTOCOL}`);
  if (origin !== undefined && !isOurs(origin, request.socket.localPort, door))
    return new ServiceError('forbidden', 'origin', '不允许的来源');
  return undefined;
}

/** Whether a request asks for a socket at all. Anything else, also what asks to speak HTTP/2, is a plain request. */
function isHandshake({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
  if (!/(^|,)\s*upgrade\s*(,|$)/i.test(headers.connection ?? '')) return false;
  return url === PATH || url.startsWith(`${PATH}?`);
}

/** What the connections without `hello` are counted by. */
export function addressKeyOf({ headers, socket }: IncomingMessage, trustProxy: TrustedNetworks): string {
  const forwarded = headers['x-forwarded-for'];
  return clientKey(
    socket.remoteAddress,
    Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
    trustProxy,
  );
}

/** RFC 6455, 4.1: a list of different tokens; one of them has to be ours. */
function offersOurs(offered: string): boolean {
  const names = offered.split(',').map((name) => name.trim());
  const areTokens = names.every((name) => /^[!#$%&'*+\-.^`|~\w]+$/.test(name));
  return areTokens && new Set(names).size === names.length && names.includes(SUBPROTOCOL);
}

/**
 * Browsers name the page's origin, and send cookies whatever page asks: pages of other origins are refused.
 * While everything is tried on one machine, all its names are one: http://localhost:3000 and http://127.0.0.1:3000.
 */
function isOurs(
  origin: string,
  localPort: number | undefined,
  { origins, publicUrl, tryingLocally }: Pick<Door, 'origins' | 'publicUrl' | 'tryingLocally'>,
): boolean {
  if (origin === publicUrl || origins.includes(origin)) return true;
  if (!tryingLocally || !URL.canParse(origin)) return false;
  const { hostname, port, protocol } = new URL(origin);
  return protocol === 'http:' && Number(port || 80) === localPort && isLoopback(hostname);
}

function invalid(word: string, message: string): ServiceError {
  return new ServiceError('invalid', word, message);
}
