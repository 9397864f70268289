import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { isLoopback } from '../config/fields.ts';
import { parseWebUrl } from '../http/parse/web-url.ts';
import type { Reach } from './webpush/endpoint-guard.ts';

/** Headers that proxies add (RFC 7239; RFC 9110, 7.6.3). */
const PROXY_HEADER = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/i;

/**
 * Decides the reach of the endpoints that a request stores or sends to: `widest`, but `loopback` only for requests from
 * this machine. A request through a proxy may come from anyone, and so may that of a page whose name resolves to this
 * machine (DNS rebinding). The first such request is logged, as a setting is missing then.
 */
export function openRequestReach(widest: Reach, log: Logger): (request: IncomingMessage) => Reach {
  let isLogged = false;
  return (request) => {
    const why = widest === 'loopback' ? whyFromElsewhere(request) : undefined;
    if (why === undefined) return widest;
    if (!isLogged)
      log.warn(
        { why },
        'push endpoints on this machine are refused to requests that may come from elsewhere; set PUBLIC_URL and TRUST_PROXY if a proxy stands before the service, or PUSH_ALLOW_PRIVATE=1',
      );
    isLogged = true;
    return 'public';
  };
}

/** @returns `undefined` if nothing says that the request may come from elsewhere */
function whyFromElsewhere({ httpVersion, rawHeaders, url = '' }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1') return 'HTTP/1.0';
  // A target in absolute form names its host itself (RFC 9112, 3.2.2).
  const hosts = url.startsWith('/') ? [] : [parseWebUrl(url)?.host ?? ''];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (PROXY_HEADER.test(name)) return 'a header that proxies add';
    if (/^host$/i.test(name)) hosts.push(rawHeaders[i + 1] ?? '');
  }
  return hosts.length > 0 && hosts.every(isLoopbackHost) ? undefined : 'a Host that is not of this machine';
}

/** @param host as a request names it, with or without a port */
function isLoopbackHost(host: string): boolean {
  const [, name = ''] = /^(\[[^[\]]+\]|[^:[\]]+?)\.?(?::\d*)?$/.exec(host) ?? [];
  return isLoopback(name);
}
