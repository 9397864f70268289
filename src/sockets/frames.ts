import type { Authentication } from '../accounts/authentication.ts';
import { ServiceError } from '../errors.ts';
import { defineFrame, defineLocalFrame, type FrameHandler } from '../frames/define-frame.ts';
import type { Caller } from '../http/authenticate.ts';
import { refusal } from '../http/errors.ts';
import type { Start } from '../sync/start.ts';
import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';
import {
  Bye,
  type FieldsOf,
  type FrameName,
  Hello,
  Ping,
  type ReplyTo,
  Token,
  type Welcome,
} from './frames-in.ts';
import { HEARTBEAT_MS } from './heartbeat.ts';
import type { SocketSession } from './socket-session.ts';

/** Bytes of one message (docs/protocol.md, Frames). */
export const MAX_FRAME_BYTES = 64 * 1024;

/** A handler for every frame that a client may send. */
export type FrameHandlers = HelloHandler & {
  readonly [Name in Exclude<FrameName, 'hello'>]: FrameHandler<SocketSession, FieldsOf<Name>, ReplyTo<Name>>;
};

/** Only `hello` is answered without a session. It has no reply if the connection ended meanwhile. */
interface HelloHandler {
  readonly hello: FrameHandler<Connection, typeof Hello, Welcome | undefined>;
}

/** The handlers that other rooms bring. */
export type RoomFrames = Omit<FrameHandlers, 'hello' | keyof ReturnType<typeof sessionFrames>>;

/**
 * The frame `hello`, which opens a session.
 *
 * @param addressOf the network address of a connection that has not sent `hello`
 * @param epochNow the epoch of this database
 * @param findStart finds where the log begins for the device
 * @param admit opens the session, without awaiting anything
 * @param serve begins to write the log to the session
 */
export function helloFrame(
  authentication: Pick<Authentication, 'confirm' | 'identify' | 'recall'>,
  addressOf: (connection: Connection) => string,
  epochNow: () => string,
  findStart: (userId: string, hello: Hello) => Promise<Start>,
  admit: (connection: Connection, caller: Caller, hello: Hello, start: Start) => void,
  serve: (connection: Connection) => void,
): HelloHandler['hello'] {
  return defineFrame(
    Hello,
    async (from: Connection, hello: Hello): Promise<Welcome | undefined> => {
      if (from.session) throw new ServiceError('invalid', 'hello_twice', '不能重复发送 hello');
      const { token = '' } = hello;
      const findAddress = () => addressOf(from);
      for (;;) {
        const known =
          authentication.recall(token, findAddress) ?? (await authentication.identify(token, findAddress));
        if (!known) throw unauthenticated();
        const start = await findStart(known.userId, hello);
        // The session may have ended since the database was read. A remembered token is forgotten at once when its
        // session ends, and nothing is awaited from here on: a later end finds this connection and closes it.
        const caller = authentication.confirm(token);
        // So may the epoch have been renewed.
        if (!caller || start.epoch !== epochNow()) continue;
        if (!from.isOpen) return undefined;
        admit(from, caller, hello, start);
        return {
          userId: caller.userId,
          session: caller.sessionId,
          epoch: start.epoch,
          seq: start.head,
          resumed: start.resumed,
          heartbeat: HEARTBEAT_MS,
          maxFrame: MAX_FRAME_BYTES,
        };
      }
    },
    serve,
  );
}

/** The frames that keep a session open and end it. */
export function sessionFrames(authentication: Pick<Authentication, 'identify'>) {
  return {
    token: defineFrame(Token, async (from: SocketSession, { token }) => {
      const caller = await authentication.identify(token);
      if (!caller) throw unauthenticated();
      if (caller.userId !== from.userId || caller.sessionId !== from.sessionId)
        throw new ServiceError('unauthenticated', 'other_session', '该令牌属于其他会话');
      from.extendUntil(caller.expiresAt);
      return undefined;
    }),
    ping: defineLocalFrame(Ping, (from: SocketSession) => from.transport.sendFrame({ type: 'pong' })),
    bye: defineLocalFrame(
      Bye,
      (from: SocketSession) => from.sayGoodbye(),
      (from: SocketSession) => from.transport.close(closeCodes.goodbye, 'bye'),
    ),
  };
}

function unauthenticated(): ServiceError {
  return refusal('unauthenticated', 'unauthenticated');
}
