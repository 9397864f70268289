import type { Static } from 'typebox';
import type { Authentication } from '../accounts/authentication.ts';
import { ServiceError } from '../errors.ts';
import { type FrameTable, frameKind } from '../frames/frame-kinds.ts';
import type { Caller } from '../http/authenticate.ts';
import { refusal } from '../http/errors.ts';
import type { Start } from '../sync/start.ts';
import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';
import { Bye, Hello, Ping, Token } from './frames-in.ts';
import type { Welcome } from './frames-out.ts';
import { HEARTBEAT_MS } from './heartbeat.ts';

/** Bytes of one message (docs/protocol.md, Frames). */
export const MAX_FRAME_BYTES = 64 * 1024;

interface Hosts {
  readonly authentication: Pick<Authentication, 'identify' | 'recall'>;
  /** From where a device is served that asks so in its `hello`. */
  readonly findStart: (userId: string, hello: Hello) => Promise<Start>;
  readonly epoch: string;
  /** Makes the connection the caller's, at once. */
  readonly letIn: (connection: Connection, caller: Caller, hello: Hello, start: Start) => void;
  /** Begins to serve the log to it. */
  readonly serve: (connection: Connection) => void;
}

/** The frames by which a connection comes to be, stays and goes. */
export function connectionFrames({
  authentication,
  findStart,
  epoch,
  letIn,
  serve,
}: Hosts): FrameTable<Connection> {
  return new Map([
    [
      'hello',
      frameKind(
        Hello,
        async (from: Connection, hello: Hello): Promise<Welcome | undefined> => {
          if (from.userId !== '') throw new ServiceError('invalid', 'hello_twice', '不能重复发送 hello');
          const { token = '' } = hello;
          for (;;) {
            const known = authentication.recall(token) ?? (await authentication.identify(token));
            if (!known) throw unauthenticated();
            const start = await findStart(known.userId, hello);
            // That was true when the database was asked. What is remembered is forgotten at once when a session ends, and
            // nothing is awaited from here on: a session that ends later finds the connection, and ends it.
            const caller = authentication.recall(token);
            if (!caller) continue;
            if (!from.isOpen) return undefined;
            letIn(from, caller, hello, start);
            return {
              userId: caller.userId,
              session: caller.sessionId,
              epoch,
              seq: start.head,
              resumed: start.resumed,
              heartbeat: HEARTBEAT_MS,
              maxFrame: MAX_FRAME_BYTES,
            };
          }
        },
        serve,
      ),
    ],
    [
      'token',
      frameKind(Token, async (from: Connection, { token }: Static<typeof Token>) => {
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
      frameKind(Ping, (from: Connection) => {
        from.sendFrame({ type: 'pong' });
        return undefined;
      }),
    ],
    [
      'bye',
      frameKind(
        Bye,
        (from: Connection) => {
          from.saidBye = true;
          return undefined;
        },
        (from: Connection) => from.close(closeCodes.goodbye, 'bye'),
      ),
    ],
  ]);
}

function unauthenticated(): ServiceError {
  return refusal('unauthenticated', 'unauthenticated');
}
