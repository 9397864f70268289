import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Round } from './measure.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

export interface LoadOptions {
  readonly port: number;
  /** Complete requests, sent in turn; after the last the first again. */
  readonly requests: readonly Buffer[];
  /** Connections, each with one call at a time. */
  readonly connections: number;
  /** No call starts after this time. */
  readonly seconds: number;
  /** The most calls; unlimited by default. */
  readonly calls?: number;
  /** The status that every answer must have; 200 by default. */
  readonly status?: number;
}

export interface LoadResult extends Round {
  /** Milliseconds of each call, in no order. */
  readonly latenciesMs: number[];
}

/** The bytes of a request on a keep-alive connection. */
export function requestBytes(
  method: string,
  path: string,
  call: { token?: string; body?: object } = {},
): Buffer {
  const body = call.body === undefined ? '' : JSON.stringify(call.body);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  if (call.token !== undefined) lines.push(`Authorization: Bearer ${call.token}`);
  if (body !== '') lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Calls without a pause on each connection, one at a time as browsers do. The requests are encoded beforehand, and of an
 * answer only status and length are read, so that a caller costs less than any server it measures.
 *
 * @returns the rate up to the last answer
 * @throws {Error} at the first answer with another status
 */
export async function runLoad({
  port,
  requests,
  connections,
  seconds,
  calls = Infinity,
  status = 200,
}: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const onAnswer = (caller: Caller) => {
    lastAt = performance.now();
    latenciesMs.push(lastAt - caller.sentAt);
    if (started < calls && lastAt < endsAt) caller.send(nextRequest());
    else caller.close();
  };
  const nextRequest = () => requests[started++ % requests.length] ?? Buffer.alloc(0);
  let started = 0;
  const opened = Array.from({ length: Math.min(connections, calls) }, () =>
    openCaller(port, status, onAnswer),
  );
  const callers = await Promise.all(opened);
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let lastAt = startedAt;
  for (const caller of callers) caller.send(nextRequest());
  await Promise.all(callers.map((caller) => caller.ended));
  const count = latenciesMs.length;
  return { perSecond: count / ((lastAt - startedAt) / 1000), count, latenciesMs };
}

export interface Caller {
  /** When the last request went out, by `performance.now()`. */
  readonly sentAt: number;
  /** Settles when the connection is closed; rejects when it broke, or on an unexpected answer. */
  readonly ended: Promise<void>;
  send(request: Buffer): void;
  close(): void;
}

/**
 * One connection; `onAnswer` is called when an answer is complete, by its `content-length` or its last chunk.
 *
 * @param status any other status breaks the connection
 */
export async function openCaller(
  port: number,
  status: number,
  onAnswer: (caller: Caller) => void,
): Promise<Caller> {
  const answers = new AnswerReader(status);
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => {}); // handled where it is awaited, also later
  const buffer = Buffer.allocUnsafeSlow(128 * 1024);
  let sentAt = 0;
  let isClosing = false;
  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer,
      callback(length) {
        try {
          if (answers.read(buffer.subarray(0, length))) onAnswer(caller);
        } catch (error) {
          socket.destroy(error as Error); // the reader throws nothing but errors
        }
        return true;
      },
    },
  });
  const caller: Caller = {
    get sentAt() {
      return sentAt;
    },
    ended: ended.promise,
    send(request) {
      sentAt = performance.now();
      socket.write(request);
    },
    close() {
      isClosing = true;
      socket.destroy();
    },
  };
  socket.on('error', ended.reject);
  socket.on('close', () =>
    isClosing ? ended.resolve() : ended.reject(new Error('the server closed the connection')),
  );
  await once(socket, 'connect');
  return caller;
}

/** Finds the ends of answers, on a connection with one request at a time. */
class AnswerReader {
  readonly #status: string;
  #head = Buffer.alloc(0);
  /** Missing bytes of the body; `Infinity` for a chunked one. */
  #missing = 0;
  #tail = Buffer.alloc(0);

  constructor(status: number) {
    this.#status = `HTTP/1.1 ${status} `;
  }

  /** @returns whether an answer ended with these bytes */
  read(bytes: Buffer): boolean {
    const body = this.#missing === 0 ? this.#readHead(bytes) : bytes;
    if (!body) return false;
    if (this.#missing !== Infinity) {
      this.#missing -= body.length;
      return this.#missing === 0;
    }
    // JSON contains no line breaks, so the last chunk is unambiguous.
    const end = body.length >= LAST_CHUNK.length ? body : Buffer.concat([this.#tail, body]);
    this.#tail = Buffer.from(end.subarray(-LAST_CHUNK.length));
    if (!this.#tail.equals(LAST_CHUNK)) return false;
    this.#missing = 0;
    return true;
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const all = this.#head.length > 0 ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = all.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = Buffer.from(all);
      return undefined;
    }
    const head = all.toString('latin1', 0, end);
    if (!head.startsWith(this.#status))
      throw new Error(`unexpected answer: ${all.toString('utf8', 0, 1000)}`);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    this.#head = Buffer.alloc(0);
    this.#missing = length === undefined ? Infinity : Number(length);
    return all.subarray(end + HEAD_END.length);
  }
}
