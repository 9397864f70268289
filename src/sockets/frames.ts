import type { Static, TSchema } from 'typebox';
import type { Authentication } from '../accounts/authentication.ts';
import { ServiceError } from '../errors.ts';
import { refusal } from '../http/errors.ts';
import type { FieldsOf, FRAMES_IN, FrameName } from './frames-in.ts';
import type { SocketSession } from './socket-session.ts';

/** Bytes of one message (docs/protocol.md, Frames). */
export const MAX_FRAME_BYTES = 64 * 1024;

/** The `data` of a reply, or nothing for one without. */
type Answer<Reply> = Reply extends TSchema
  ? Promise<Extract<Static<Reply>, object>> | Extract<Static<Reply>, object>
  : Promise<void> | void;

/**
 * Handlers of the frames that a client may send, with their validated fields; they throw `ServiceError` as rules do. Only `hello` is not
 * here: it is answered without a session, which it opens.
 */
export type FrameHandlers = {
  readonly [Name in Exclude<FrameName, 'hello'>]: (
    from: SocketSession,
    frame: FieldsOf<Name>,
  ) => Answer<(typeof FRAMES_IN)[Name]['reply']>;
};

/** The handlers that other rooms bring. */
export type RoomFrames = Omit<FrameHandlers, keyof ReturnType<typeof sessionFrames>>;

/** The frames that keep a session open and end it. */
export function sessionFrames(authentication: Pick<Authentication, 'identify'>) {
  return {
    token: async (from: SocketSession, { token }: FieldsOf<'token'>) => {
      const caller = await authentication.identify(token);
      if (!caller) throw refusal('unauthenticated', 'unauthenticated');
      if (caller.userId !== from.userId || caller.sessionId !== from.sessionId)
        throw new ServiceError('unauthenticated', 'other_session', '该令牌属于其他会话');
      from.extendUntil(caller.expiresAt);
    },
    ping: (from: SocketSession) => from.transport.sendFrame({ type: 'pong' }),
    bye: (from: SocketSession) => {
      from.saidGoodbye = true;
    },
  };
}
