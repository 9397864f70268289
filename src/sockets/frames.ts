import type { Authentication, Caller } from '../accounts/authentication.ts';
import { ServiceError } from '../errors.ts';
import { refusal } from '../http/errors.ts';
import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';
import { type FrameTable, frameKind } from './frame-kinds.ts';
import { Bye, Hello, Ping, Token } from './frames-in.ts';
import type { Welcome } from './frames-out.ts';
import { HEARTBEAT_MS } from './heartbeat.ts';

/** Bytes of one message (DESIGN 5). */
export const MAX_FRAME_BYTES = 64 * 1024;

interface Hosts {
  readonly authentication: Pick<Authentication, 'identify' | 'recall'>;
  /** Makes the connection the caller's, at once. */
  readonly letIn: (connection: Connection, caller: Caller) => void;
}

/** The frames by which a connection comes to be, stays and goes. */
export function connectionFrames({ authentication, letIn }: Hosts): FrameTable {
  return new Map([
    [
      'hello',
      frameKind(Hello, async (from, { token = '' }): Promise<Welcome | undefined> => {
        if (from.userId !== '') throw new ServiceError('invalid', 'hello_twice', '不能重复发送 hello');
        let caller = authentication.recall(token);
        while (!caller) {
          if (!(await authentication.identify(token))) throw unauthenticated();
          // That was true when the database was asked. What is remembered is forgotten at once when a session ends, and
          // nothing is awaited from here on: a session that ends later finds the connection, and ends it.
          caller = authentication.recall(token);
        }
        if (!from.isOpen) return undefined;
        letIn(from, caller);
        return {
          userId: caller.userId,
          session: caller.sessionId,
          heartbeat: HEARTBEAT_MS,
          maxFrame: MAX_FRAME_BYTES,
        };
      }),
    ],
    [
      'token',
      frameKind(Token, async (from, { token }) => {
        const caller = await authentication.identify(token);
        if (!caller) throw unauthenticated();
        if (caller.userId !== from.userId || caller.sessionId !== from.sessionId)
          throw new ServiceError('unauthenticated', 'other_session', '该令牌属于其他会话');
        from.expiresAt = Math.max(from.expiresAt, caller.expiresAt);
        return undefined;
      }),
    ],
    [
      'ping',
      frameKind(Ping, (from) => {
        from.sendFrame({ type: 'pong' });
        return undefined;
      }),
    ],
    [
      'bye',
      frameKind(Bye, (from) => {
        // After the reply, if one was asked for.
        queueMicrotask(() => from.close(closeCodes.goodbye, 'bye'));
        return undefined;
      }),
    ],
  ]);
}

function unauthenticated(): ServiceError {
  return refusal('unauthenticated', 'unauthenticated');
}
