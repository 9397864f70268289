import type { IncomingMessage } from 'node:http';

/** RFC 3986, 3.2.2 and 3.2.3: an address in brackets, or a name, and a port. A name may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Whether a request names its host once and validly, or speaks HTTP/1.0 and does not name it (RFC 9112, 3.2). */
export function hasValidHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.1';
  return HOST.test(headers.host) && !namesHostAgain(rawHeaders);
}

/** Node keeps the first of several, and a proxy may have gone by another. */
function namesHostAgain(rawHeaders: readonly string[]): boolean {
  const isHost = (text: string, at: number) => at % 2 === 0 && text.length === 4 && /^host$/i.test(text);
  return rawHeaders.filter(isHost).length > 1;
}
