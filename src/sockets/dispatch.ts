import type { Logger } from 'pino';
import { type ErrorKind, ServiceError } from '../errors.ts';
import { holdsBadText, parseUncheckedObject } from '../http/body.ts';
import { refusal } from '../http/errors.ts';
import type { ServerHooks } from '../http/server.ts';
import { readFields } from '../http/validation.ts';
import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';
import type { FrameHandlers } from './frames.ts';
import {
  FRAMES_IN,
  type FrameIn,
  type FrameName,
  FrameType,
  type Hello,
  RequestIdField,
  type Welcome,
} from './frames-in.ts';
import { toErrorReply, toReply } from './frames-out.ts';
import type { SocketSession } from './socket-session.ts';
import type { SocketSessions } from './socket-sessions.ts';
import type { StallDetector } from './stall-detector.ts';

/** Any frame before `hello` closes the connection. */
const HELLO_FIRST = new ServiceError('unauthenticated', 'hello_first', '请先发送 hello');
/** The close code after a refused `hello`. */
const HELLO_CLOSE_CODES: Record<ErrorKind, number> = {
  invalid: closeCodes.badFrame,
  unauthenticated: closeCodes.token,
  forbidden: closeCodes.accountClosed,
  'not-found': closeCodes.token,
  'rate-limited': closeCodes.tryLater,
};

interface KnownFrame extends FrameIn {
  /** @param from the connection for `hello`, for all others its session */
  readonly answer: (
    from: Connection | SocketSession,
    fields: object,
  ) => object | undefined | Promise<object | undefined>;
}

/** Why frames are refused while the database cannot be read. It is logged there, not for each frame. */
const CUT_OFF = new Error('what other processes changed could not be read');

/**
 * Calls the handlers of the frames of all connections. The frames of one connection are answered in order, one after the
 * other. While a request is in flight, or too much output waits, further frames wait and the connection is paused. While the process
 * is cut off from the database, frames that need it are refused at once.
 */
export class Dispatch {
  readonly #sessions: SocketSessions;
  readonly #frames: ReadonlyMap<string, KnownFrame>;
  readonly #stall: StallDetector;
  readonly #log: Logger;
  readonly #hooks: Pick<ServerHooks, 'countRefusal'>;
  /** The requests whose answer is awaited. */
  readonly #inFlight = new Map<Connection, { readonly id: string | undefined }>();
  /** Frames that wait until the request in flight is answered and the output has drained. */
  readonly #waiting = new Map<Connection, Buffer[]>();
  #isDraining = false;

  /** @param hooks count each frame that a limit refused */
  constructor(
    sessions: SocketSessions,
    handlers: FrameHandlers,
    stall: StallDetector,
    log: Logger,
    hooks: Pick<ServerHooks, 'countRefusal'>,
  ) {
    this.#sessions = sessions;
    const hello = (from: Connection, frame: Hello) => sessions.welcome(from, frame);
    const answers = Object.entries({ hello, ...handlers });
    this.#frames = new Map(
      answers.map(([name, answer]) => [name, { ...FRAMES_IN[name as FrameName], answer } as KnownFrame]),
    );
    this.#stall = stall;
    this.#log = log;
    this.#hooks = hooks;
  }

  /** Handles a message, now or later. Never throws: an invalid message closes the connection. */
  receive(connection: Connection, message: Buffer, isBinary: boolean): void {
    const waiting = this.#waiting.get(connection);
    if (isBinary) {
      connection.close(closeCodes.binaryFrame, 'binary_frame');
    } else if (waiting) {
      waiting.push(message);
    } else if (this.#inFlight.has(connection) || connection.isBackedUp) {
      this.#waiting.set(connection, [message]);
      connection.pause();
    } else {
      this.#handle(connection, message);
    }
  }

  /** Some output of the connection has drained: handles the frames that waited for it. */
  onDrain(connection: Connection): void {
    if (this.#waiting.has(connection) && !this.#inFlight.has(connection)) this.#handleWaiting(connection);
  }

  /** Answers every request that is in flight or waits for the reading, when the process is cut off from the database. */
  onCutOff(): void {
    for (const connection of new Set([...this.#inFlight.keys(), ...this.#waiting.keys()])) {
      const request = this.#inFlight.get(connection);
      this.#inFlight.delete(connection);
      if (request) this.#refuse(connection, request.id, CUT_OFF);
      this.#handleWaiting(connection);
    }
  }

  /** Closes these connections: at once, or when the request in flight and the frames behind it are answered. */
  drain(connections: Iterable<Connection>): void {
    this.#isDraining = true;
    for (const connection of connections)
      if (!this.#inFlight.has(connection)) connection.close(closeCodes.restart, 'restart');
  }

  /** Drops what waits of a connection that has left. */
  forget(connection: Connection): void {
    this.#inFlight.delete(connection);
    this.#waiting.delete(connection);
  }

  #handle(connection: Connection, message: Buffer): void {
    let id: string | undefined;
    try {
      const text = message.toString('utf8');
      const frame = parseUncheckedObject(text);
      id = readFields(RequestIdField, frame).id;
      if (holdsBadText(text, frame)) throw badText(id);
      this.#answer(connection, id, readFields(FrameType, frame).type, frame);
    } catch (error) {
      this.#refuse(connection, id, error);
    }
  }

  #answer(connection: Connection, id: string | undefined, type: string, frame: object): void {
    const from = type === 'hello' ? connection : connection.session;
    if (!from) throw HELLO_FIRST;
    const known = this.#frames.get(type);
    if (!known) throw new ServiceError('invalid', 'unknown_frame', '未知的消息类型');
    if (!known.isLocal && this.#stall.state === 'cut-off') throw CUT_OFF;
    const reply = (data: object | undefined) => {
      if (id !== undefined) connection.sendFrame(toReply(id, data));
      if (type === 'hello') this.#sessions.serve(connection, data as Welcome | undefined);
      if (type === 'bye') connection.close(closeCodes.goodbye, 'bye');
    };
    const answer = known.answer(from, readFields(known.fields, frame));
    if (!(answer instanceof Promise)) {
      reply(answer);
      return;
    }
    const request = { id };
    this.#inFlight.set(connection, request);
    answer
      .then(
        (data) => () => reply(data),
        (error) => () => this.#refuse(connection, id, error),
      )
      .then((end) => this.#finish(connection, request, end));
  }

  /** @param end sends the reply; not called if the request was refused meanwhile, or the connection has left */
  async #finish(connection: Connection, request: object, end: () => void): Promise<void> {
    while (this.#stall.state === 'reading') await this.#stall.settled;
    if (this.#inFlight.get(connection) !== request) return;
    this.#inFlight.delete(connection);
    end();
    this.#handleWaiting(connection);
  }

  /** Handles the frames that wait, until one of them is in flight or too much output waits. Not to be called during a request. */
  #handleWaiting(connection: Connection): void {
    const waiting = this.#waiting.get(connection) ?? [];
    while (connection.isOpen) {
      if (waiting.length > 0 && connection.isBackedUp) return;
      const message = waiting.shift();
      if (!message) break;
      this.#handle(connection, message);
      if (this.#inFlight.has(connection)) return;
    }
    this.#waiting.delete(connection);
    connection.resume();
    if (this.#isDraining) connection.close(closeCodes.restart, 'restart');
  }

  /** Sends the error reply, if there is an `id`. A malformed frame without one, and a refused `hello`, close the connection. */
  #refuse(connection: Connection, id: string | undefined, error: unknown): void {
    const refused = error instanceof ServiceError ? error : undefined;
    if (!refused && error !== CUT_OFF)
      this.#log.error({ err: error, userId: connection.session?.userId }, 'fault in a frame');
    if (refused?.kind === 'rate-limited')
      this.#hooks.countRefusal(refused, connection.session?.userId, connection.addressKey);
    if (id !== undefined) connection.sendFrame(toErrorReply(id, error, connection.readsEnglish));
    if (!connection.session) connection.close(closeCodeBeforeHello(refused), refused?.word ?? 'internal');
    else if (id === undefined && refused?.kind === 'invalid')
      connection.close(closeCodes.badFrame, refused.word);
  }
}

/** A request gets a word of its own, so that its client can distinguish it from a frame that closed the connection. */
function badText(id: string | undefined): ServiceError {
  if (id === undefined) return refusal('invalid', 'body_bad_text');
  return new ServiceError('invalid', 'bad_text', '消息包含无效字符');
}

/** @param refused undefined after a fault */
function closeCodeBeforeHello(refused: ServiceError | undefined): number {
  if (!refused) return closeCodes.fault;
  return refused === HELLO_FIRST ? closeCodes.noHello : HELLO_CLOSE_CODES[refused.kind];
}
