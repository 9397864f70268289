import type { Logger } from 'pino';
import { type ErrorKind, ServiceError } from '../errors.ts';
import { type FrameKind, type FrameTable, unknownFrame } from '../frames/frame-kinds.ts';
import { holdsBadText, parseUncheckedObject } from '../http/body.ts';
import { refusal } from '../http/errors.ts';
import { readFields } from '../http/validation.ts';
import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';
import { Asked, Named } from './frames-in.ts';
import { toDone, toRefused } from './frames-out.ts';

/** How a connection ends whose `hello` was refused. */
const helloCodes: Record<ErrorKind, number> = {
  invalid: closeCodes.badFrame,
  unauthenticated: closeCodes.token,
  forbidden: closeCodes.suspended,
  'not-found': closeCodes.token,
  'rate-limited': closeCodes.tryLater,
};

/**
 * Takes the frames of all connections to those who answer them. The frames of one connection are answered one after
 * the other, in their order: while one is worked on, or too much output waits for the client, what comes waits, and
 * nothing more is read than came with it.
 */
export class Dispatch {
  readonly #frames: FrameTable<Connection>;
  readonly #log: Logger;
  /** Called when a connection has nothing under way any more. */
  readonly #onIdle: (connection: Connection) => void;

  constructor(frames: FrameTable<Connection>, log: Logger, onIdle: (connection: Connection) => void) {
    this.#frames = frames;
    this.#log = log;
    this.#onIdle = onIdle;
  }

  /** Takes one message in. Whatever is wrong with it, nothing is thrown. */
  receive(connection: Connection, message: Buffer, isBinary: boolean): void {
    if (isBinary) {
      connection.close(closeCodes.binaryFrame, 'binary_frame');
    } else if (connection.waiting || connection.isBackedUp) {
      connection.isHeld ||= connection.waiting === null;
      connection.waiting ??= [];
      connection.waiting.push(message);
      connection.pause();
    } else {
      this.#take(connection, message);
    }
  }

  /** Some output of the connection has left: what was held back until then is taken. */
  drained(connection: Connection): void {
    if (!connection.isHeld || connection.isBackedUp) return;
    connection.isHeld = false;
    this.#goOn(connection);
  }

  #take(connection: Connection, message: Buffer): void {
    let id: string | undefined;
    try {
      const text = message.toString('utf8');
      const frame = parseUncheckedObject(text);
      id = readFields(Asked, frame).id;
      if (holdsBadText(text, frame)) throw badText(id);
      const { type } = readFields(Named, frame);
      if (connection.userId === '' && type !== 'hello') refuseStranger(connection, id);
      else this.#answer(connection, id, this.#kindOf(type), frame);
    } catch (error) {
      this.#refuse(connection, id, error);
    }
  }

  #kindOf(type: string): FrameKind<Connection> {
    const kind = this.#frames.get(type);
    if (!kind) throw unknownFrame();
    return kind;
  }

  #answer(connection: Connection, id: string | undefined, kind: FrameKind<Connection>, frame: object): void {
    const reply = (data: object | undefined) => {
      if (id !== undefined) connection.sendFrame(toDone(id, data));
      kind.after?.(connection);
    };
    const answer = kind.answer(connection, frame);
    if (!(answer instanceof Promise)) {
      reply(answer);
      return;
    }
    connection.waiting = [];
    answer.then(reply, (error) => this.#refuse(connection, id, error)).then(() => this.#goOn(connection));
  }

  /** Takes what waited. */
  #goOn(connection: Connection): void {
    const { waiting } = connection;
    connection.waiting = null;
    while (waiting && waiting.length > 0 && connection.isOpen) {
      if (connection.isBackedUp) {
        connection.isHeld = true;
        connection.waiting = waiting;
        return;
      }
      const message = waiting.shift();
      if (message) this.#take(connection, message);
      // Asked again, because that may have begun a request.
      if (this.#isBusy(connection)) {
        connection.waiting = waiting;
        return;
      }
    }
    connection.resume();
    this.#onIdle(connection);
  }

  #isBusy(connection: Connection): boolean {
    return connection.waiting !== null;
  }

  /** Answers a request that failed. An unreadable frame, or a refused `hello`, ends the connection. */
  #refuse(connection: Connection, id: string | undefined, error: unknown): void {
    const refused = error instanceof ServiceError ? error : undefined;
    if (!refused) this.#log.error({ err: error, userId: connection.userId }, 'fault in a frame');
    if (id !== undefined) connection.sendFrame(toRefused(id, error));
    if (connection.userId === '')
      connection.close(refused ? helloCodes[refused.kind] : closeCodes.fault, refused?.word ?? 'internal');
    else if (id === undefined && refused?.kind === 'invalid')
      connection.close(closeCodes.badFrame, refused.word);
  }
}

/** For a request a refusal of its own, so that its client can distinguish it from a frame that ended the connection. */
function badText(id: string | undefined): ServiceError {
  if (id === undefined) return refusal('invalid', 'body_bad_text');
  return new ServiceError('invalid', 'bad_text', '消息包含无效字符');
}

/** Any other frame before `hello` ends the connection. */
function refuseStranger(connection: Connection, id: string | undefined): void {
  if (id !== undefined)
    connection.sendFrame(toRefused(id, new ServiceError('unauthenticated', 'hello_first', '请先发送 hello')));
  connection.close(closeCodes.noHello, 'hello_first');
}
