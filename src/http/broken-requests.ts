import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { failureOf, refusal } from './errors.ts';
import type { RequestLog } from './log/request-log.ts';
import { prefersEnglish } from './texts/language.ts';

/** How long a refused connection stays open and ignores what it receives: closed at once, the answer might be lost. */
const LINGER_MS = 2_000;

/**
 * Answers what is no valid HTTP request with the envelope.
 *
 * @param originHeadersOf the headers for a page of another origin, by the bytes of the head
 * @returns the handler for Node's `clientError`
 */
export function answerBrokenRequests(
  server: Server,
  nextId: () => string,
  requestLog: Pick<RequestLog, 'malformed'> | null,
  originHeadersOf: (head: Buffer) => Record<string, string>,
) {
  /** The latest answer of each connection; earlier ones are written before it. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();

  server.prependListener('request', (request: IncomingMessage, answer: ServerResponse) => {
    latest.set(request.socket, answer);
  });
  // An unknown expectation need not be refused (RFC 9110, 10.1.1), and the interface has no code 417.
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    refuse(socket, failureOf(refusal('not-found', 'route_not_found'), prefersEnglish(request.headers)));
  });

  return (error: Error, socket: Duplex): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const answer = latest.get(socket);
    const bytes =
      'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
    const refuseMalformed = () =>
      refuse(socket, failureOf(refusal('invalid', 'malformed_request'), false), originHeadersOf(bytes));
    if (('code' in error && error.code === 'ECONNRESET') || !socket.writable) socket.destroy();
    else if (answer === undefined || answer.writableFinished) refuseMalformed();
    // Earlier requests are answered first, so that no answer is taken for that of another request.
    else if (answer.req.complete) answer.once('close', refuseMalformed);
    else if (answer.socket === socket && !answer.headersSent) refuseMalformed();
    else socket.destroy();
  };

  function refuse(socket: Duplex, failure: ReturnType<typeof failureOf>, more = {}): void {
    if (!socket.writable) return void socket.destroy();
    const { code } = failure;
    const body = JSON.stringify(failure);
    const id = nextId();
    requestLog?.malformed(id, code, Buffer.byteLength(body), socket);
    socket.end(
      [
        `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
        `x-request-id: ${id}`,
        'x-content-type-options: nosniff',
        'cache-control: no-store',
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
        ...Object.entries(more).map(([name, value]) => `${name}: ${value}`),
        '',
        body,
      ].join('\r\n'),
    );
    socket.resume();
    const lingering = setTimeout(() => socket.destroy(), LINGER_MS);
    lingering.unref();
    socket.once('close', () => clearTimeout(lingering));
  }
}
