import { type Static, type TSchema, Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { LOG_EVENTS, type LogEvent } from '../events/log-events.ts';
import { codeOf } from '../http/envelope.ts';
import { CODES, errorText } from '../http/errors.ts';
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

const Pong = Type.Object({ type: Type.Literal('pong') });

/** This process stops: clients reconnect at a random moment within `spreadMs` milliseconds. */
const Drain = Type.Object({ type: Type.Literal('drain'), spreadMs: Type.Integer() });

/**
 * One event of the user's log; the numbers that one connection gets have no gaps. It is sent without validation.
 */
const Event = Type.Union(
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

/** All events that were in the log when `hello` was answered have been sent. */
const Live = Type.Object({ type: Type.Literal('live') });

/** The presence of users that this connection watches, as of now. */
const Presence = Type.Object({
  type: Type.Literal('presence'),
  users: Type.Array(PresenceState),
});

const Typing = Type.Object({ type: Type.Literal('typing'), from: Type.String() });

export type FrameOut =
  | Static<typeof Reply>
  | Static<typeof ErrorReply>
  | Static<typeof Pong>
  | Static<typeof Drain>
  | Static<typeof Live>
  | ({ readonly type: 'event' } & LogEvent)
  | { readonly type: 'presence'; readonly users: readonly PresenceState[] }
  | Static<typeof Typing>;

/** Every frame that the service sends in `doorman.v1`. */
export const FRAMES_OUT = {
  reply: Type.Union([Reply, ErrorReply]),
  event: Event,
  live: Live,
  presence: Presence,
  typing: Typing,
  pong: Pong,
  drain: Drain,
} satisfies Record<FrameOut['type'], TSchema>;

/** Whether a frame holds what was read before, or has its place among frames that do. */
export function carriesData(frame: FrameOut): boolean {
  if (frame.type === 'reply') return 'data' in frame;
  return frame.type !== 'pong' && frame.type !== 'drain';
}

export function toReply(id: string, data: object | undefined): Static<typeof Reply> {
  return { type: 'reply', id, code: 200, ...(data && { data }) };
}

/** A `ServiceError` with its code, word and text; anything else is a fault, which gets fixed ones. */
export function toErrorReply(id: string, error: unknown, isEnglish: boolean): Static<typeof ErrorReply> {
  const msg = errorText(error, isEnglish);
  return error instanceof ServiceError
    ? { type: 'reply', id, code: CODES[error.kind], error: error.word, msg }
    : { type: 'reply', id, code: 500, error: 'internal', msg };
}
