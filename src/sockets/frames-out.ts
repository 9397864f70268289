import { type Static, Type } from 'typebox';
import { LOG_EVENTS, type LogEvent } from '../events/log-events.ts';
import { codeOf } from '../http/envelope.ts';
import { failureOf } from '../http/errors.ts';
import { PresenceState } from '../presence/schemas.ts';
import { RequestId } from './frames-in.ts';

/** The answer to a request, in the envelope of the HTTP interface (4.1, 7). */
const Reply = Type.Object({
  type: Type.Literal('reply'),
  id: RequestId,
  code: codeOf(200),
  data: Type.Optional(Type.Union([Type.Object({}), Type.Array(Type.Object({}))])),
});
const ErrorReply = Type.Object({
  type: Type.Literal('reply'),
  id: RequestId,
  code: Type.Integer({ minimum: 400, maximum: 599 }),
  error: Type.String({ description: 'A stable word for programs' }),
  msg: Type.String(),
});

/** Every frame that the service sends in `doorman.v1`. */
export const FRAMES_OUT = {
  reply: Type.Union([Reply, ErrorReply]),
  /** One event of the user's log; the numbers that one connection gets have no gaps. It is sent without validation. */
  event: Type.Union(
    Object.entries(LOG_EVENTS).map(([event, data]) =>
      Type.Object({
        type: Type.Literal('event'),
        seq: Type.Integer(),
        at: Type.Integer({ description: 'Epoch milliseconds' }),
        event: Type.Literal(event),
        data,
      }),
    ),
  ),
  /** All events that were in the log when `hello` was answered have been sent. */
  live: Type.Object({ type: Type.Literal('live') }),
  /** The presence of users that this connection watches, as of now. */
  presence: Type.Object({ type: Type.Literal('presence'), users: Type.Array(PresenceState) }),
  typing: Type.Object({ type: Type.Literal('typing'), from: Type.String() }),
  pong: Type.Object({ type: Type.Literal('pong') }),
  /** This process stops: clients reconnect at a random moment within `spreadMs` milliseconds. */
  drain: Type.Object({ type: Type.Literal('drain'), spreadMs: Type.Integer() }),
};

export type FrameOut =
  | Static<(typeof FRAMES_OUT)['reply' | 'live' | 'typing' | 'pong' | 'drain']>
  | ({ readonly type: 'event' } & LogEvent)
  | { readonly type: 'presence'; readonly users: readonly PresenceState[] };

export function toReply(id: string, data: object | undefined): Static<typeof Reply> {
  return { type: 'reply', id, code: 200, ...(data && { data }) };
}

/** A `ServiceError` with its code, word and text; anything else is a fault, which gets fixed ones. */
export function toErrorReply(id: string, error: unknown, isEnglish: boolean): Static<typeof ErrorReply> {
  return { type: 'reply', id, ...failureOf(error, isEnglish) };
}
