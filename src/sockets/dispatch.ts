import type { Logger } from 'pino';
import { type ErrorKind, ServiceError } from '../errors.ts';
import type { FrameHandler } from '../frames/define-frame.ts';
import { holdsBadText, parseUncheckedObject } from '../http/body.ts';
import { refusal } from '../http/errors.ts';
import { readFields } from '../http/validation.ts';
import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';
import type { FrameHandlers } from './frames.ts';
import { FrameType, RequestIdField } from './frames-in.ts';
import { toErrorReply, toReply } from './frames-out.ts';
import type { SocketSession } from './socket-session.ts';
import type { StallDetector } from './stall-detector.ts';

/** The close code after a refused `hello`. */
const HELLO_CLOSE_CODES: Record<ErrorKind, number> = {
  invalid: closeCodes.badFrame,
  unauthenticated: closeCodes.token,
  forbidden: closeCodes.suspended,
  'not-found': closeCodes.token,
  'rate-limited': closeCodes.tryLater,
};

/** Frames of one connection that wait, and until when: the request in flight is answered, or the output has drained. */
interface Pending {
  readonly frames: Buffer[];
  readonly until: 'answered' | 'drained';
  readonly id?: string | undefined;
}

/** Why frames are refused while the database cannot be read. It is logged there, not for each frame. */
const CUT_OFF = new Error('what other processes changed could not be read');

/**
 * Calls the handlers of the frames of all connections. The frames of one connection are answered in order, one after the
 * other. While a request is in flight, or too much output waits, further frames wait and the connection is paused. While the process
 * is cut off from the database, frames that need it are refused at once.
 */
export class Dispatch {
  readonly #hello: FrameHandlers['hello'];
  readonly #handlers: ReadonlyMap<string, FrameHandler<SocketSession>>;
  readonly #stall: Pick<StallDetector, 'state' | 'settled'>;
  readonly #log: Logger;
  readonly #onIdle: (connection: Connection) => void;
  readonly #onLimited: (word: string, connection: Connection) => void;
  /** Only of connections with a request in flight or too much output. */
  readonly #pending = new Map<Connection, Pending>();

  /**
   * @param onIdle called when all frames of a connection are answered
   * @param onLimited called with the word of each frame that a limit refused
   */
  constructor(
    { hello, ...others }: FrameHandlers,
    stall: Pick<StallDetector, 'state' | 'settled'>,
    log: Logger,
    onIdle: (connection: Connection) => void,
    onLimited: (word: string, connection: Connection) => void,
  ) {
    this.#hello = hello;
    this.#handlers = new Map(Object.entries(others));
    this.#stall = stall;
    this.#log = log;
    this.#onIdle = onIdle;
    this.#onLimited = onLimited;
  }

  /** Handles a message, now or later. Never throws: an invalid message closes the connection. */
  receive(connection: Connection, message: Buffer, isBinary: boolean): void {
    const pending = this.#pending.get(connection);
    if (isBinary) {
      connection.close(closeCodes.binaryFrame, 'binary_frame');
    } else if (pending) {
      pending.frames.push(message);
      connection.pause();
    } else if (connection.isBackedUp) {
      this.#pending.set(connection, { frames: [message], until: 'drained' });
      connection.pause();
    } else {
      this.#handle(connection, message);
    }
  }

  isAnswering(connection: Connection): boolean {
    return this.#pending.get(connection)?.until === 'answered';
  }

  /** Some output of the connection has drained: handles the frames that waited for it. */
  onDrain(connection: Connection): void {
    if (this.#pending.get(connection)?.until === 'drained' && !connection.isBackedUp)
      this.#handlePending(connection);
  }

  /** Answers every request that is in flight or waits for the reading, when the process is cut off from the database. */
  onCutOff(): void {
    for (const [connection, { until, id }] of [...this.#pending]) {
      if (until === 'answered') this.#refuse(connection, id, CUT_OFF);
      this.#handlePending(connection);
    }
  }

  /** Drops the waiting frames of a connection that has left. */
  forget(connection: Connection): void {
    this.#pending.delete(connection);
  }

  #handle(connection: Connection, message: Buffer): void {
    let id: string | undefined;
    try {
      const text = message.toString('utf8');
      const frame = parseUncheckedObject(text);
      id = readFields(RequestIdField, frame).id;
      if (holdsBadText(text, frame)) throw badText(id);
      const { type } = readFields(FrameType, frame);
      const { session } = connection;
      if (type === 'hello') this.#answer(connection, id, this.#hello, connection, frame);
      else if (session) this.#answer(connection, id, this.#getHandler(type), session, frame);
      else refuseBeforeHello(connection, id);
    } catch (error) {
      this.#refuse(connection, id, error);
    }
  }

  #getHandler(type: string): FrameHandler<SocketSession> {
    const handler = this.#handlers.get(type);
    if (!handler) throw new ServiceError('invalid', 'unknown_frame', '未知的消息类型');
    return handler;
  }

  #answer<S>(
    connection: Connection,
    id: string | undefined,
    handler: FrameHandler<S>,
    from: S,
    frame: object,
  ): void {
    const reply = (data: object | undefined) => {
      if (id !== undefined) connection.sendFrame(toReply(id, data));
      handler.after?.(from);
    };
    if (!handler.isLocal && this.#stall.state === 'cut-off') throw CUT_OFF;
    const answer = handler.answer(from, frame);
    if (!(answer instanceof Promise)) {
      reply(answer);
      return;
    }
    const pending: Pending = { frames: [], until: 'answered', id };
    this.#pending.set(connection, pending);
    answer
      .then(
        (data) => () => reply(data),
        (error) => () => this.#refuse(connection, id, error),
      )
      .then((end) => this.#finish(connection, pending, end));
  }

  /** @param end sends the reply; not called if the request was refused meanwhile, or the connection has left */
  async #finish(connection: Connection, pending: Pending, end: () => void): Promise<void> {
    if (this.#stall.state === 'reading') await this.#stall.settled;
    if (this.#pending.get(connection) !== pending) return;
    end();
    this.#handlePending(connection);
  }

  #handlePending(connection: Connection): void {
    const frames = this.#pending.get(connection)?.frames ?? [];
    this.#pending.delete(connection);
    while (frames.length > 0 && connection.isOpen) {
      if (connection.isBackedUp) {
        this.#pending.set(connection, { frames, until: 'drained' });
        return;
      }
      const message = frames.shift();
      if (message) this.#handle(connection, message);
      // That may have started a request.
      const next = this.#pending.get(connection);
      if (next) {
        next.frames.push(...frames);
        return;
      }
    }
    connection.resume();
    this.#onIdle(connection);
  }

  /** Sends the error reply, if there is an `id`. A malformed frame without one, and a refused `hello`, close the connection. */
  #refuse(connection: Connection, id: string | undefined, error: unknown): void {
    const refused = error instanceof ServiceError ? error : undefined;
    if (!refused && error !== CUT_OFF)
      this.#log.error({ err: error, userId: connection.session?.userId }, 'fault in a frame');
    if (refused?.kind === 'rate-limited') this.#onLimited(refused.word, connection);
    if (id !== undefined) connection.sendFrame(toErrorReply(id, error, connection.readsEnglish));
    if (!connection.session)
      connection.close(
        refused ? HELLO_CLOSE_CODES[refused.kind] : closeCodes.fault,
        refused?.word ?? 'internal',
      );
    else if (id === undefined && refused?.kind === 'invalid')
      connection.close(closeCodes.badFrame, refused.word);
  }
}

/** A request gets a word of its own, so that its client can distinguish it from a frame that closed the connection. */
function badText(id: string | undefined): ServiceError {
  if (id === undefined) return refusal('invalid', 'body_bad_text');
  return new ServiceError('invalid', 'bad_text', '消息包含无效字符');
}

/** Any frame before `hello` closes the connection. */
function refuseBeforeHello(connection: Connection, id: string | undefined): void {
  if (id !== undefined)
    connection.sendFrame(
      toErrorReply(
        id,
        new ServiceError('unauthenticated', 'hello_first', '请先发送 hello'),
        connection.readsEnglish,
      ),
    );
  connection.close(closeCodes.noHello, 'hello_first');
}
