import { type Static, Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { LOG_EVENTS, type LogEvent } from '../events/log-events.ts';
import { CODES } from '../http/errors.ts';
import { PresenceState } from '../presence/schemas.ts';
import { RequestId } from './frames-in.ts';

/** All that the service says in `doorman.v1`. */

/** The answer to a request, in the envelope of the HTTP interface (4.1, 7). */
export const Done = Type.Object({
  type: Type.Literal('reply'),
  id: RequestId,
  code: Type.Literal(200),
  data: Type.Optional(Type.Union([Type.Object({}), Type.Array(Type.Object({}))])),
});
export const Refused = Type.Object({
  type: Type.Literal('reply'),
  id: RequestId,
  code: Type.Integer({ minimum: 400, maximum: 599 }),
  error: Type.String({ description: 'A stable word for programs' }),
  msg: Type.String(),
});

/** What the reply to `hello` carries. */
export const Welcome = Type.Object({
  userId: Type.String(),
  session: Type.String({ description: 'As in GET /api/sessions' }),
  epoch: Type.String({ description: 'Names this state of the database: positions of another are void' }),
  seq: Type.Integer({ description: "The number of the user's last event" }),
  resumed: Type.Boolean({ description: 'Whether all events after the position named in hello follow' }),
  heartbeat: Type.Integer({ description: 'Milliseconds between two pings of the service' }),
  maxFrame: Type.Integer({ description: 'Bytes that a frame may have' }),
});
export type Welcome = Static<typeof Welcome>;

export const Pong = Type.Object({ type: Type.Literal('pong') });

/** This process goes: come back at a random moment within `spreadMs` milliseconds. */
export const Drain = Type.Object({ type: Type.Literal('drain'), spreadMs: Type.Integer() });

/**
 * One event of the user's log; the numbers that one connection gets have no gaps. It is sent as it was stored, without being
 * compared with this.
 */
export const Event = Type.Union(
  Object.entries(LOG_EVENTS).map(([event, data]) =>
    Type.Object({
      type: Type.Literal('event'),
      seq: Type.Integer(),
      at: Type.Integer({ description: 'Epoch milliseconds' }),
      event: Type.Literal(event),
      data,
    }),
  ),
);

/** All that was in the log when `hello` was answered has been sent. */
export const Live = Type.Object({ type: Type.Literal('live') });

/** The presence of users whom this connection watches, as of now. */
export const PresenceFrame = Type.Object({
  type: Type.Literal('presence'),
  users: Type.Array(PresenceState),
});

export const TypingFrame = Type.Object({ type: Type.Literal('typing'), from: Type.String() });

export type FrameOut =
  | Static<typeof Done>
  | Static<typeof Refused>
  | Static<typeof Pong>
  | Static<typeof Drain>
  | Static<typeof Live>
  | ({ readonly type: 'event' } & LogEvent)
  | { readonly type: 'presence'; readonly users: readonly PresenceState[] }
  | Static<typeof TypingFrame>;

export function toDone(id: string, data: object | undefined): Static<typeof Done> {
  return { type: 'reply', id, code: 200, ...(data && { data }) };
}

/** A refusal as its reader may see it; of anything else that was thrown only that it is a fault. */
export function toRefused(id: string, error: unknown): Static<typeof Refused> {
  if (error instanceof ServiceError)
    return { type: 'reply', id, code: CODES[error.kind], error: error.word, msg: error.message };
  return { type: 'reply', id, code: 500, error: 'internal', msg: '服务器内部错误' };
}
