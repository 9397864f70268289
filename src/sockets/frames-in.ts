import { type Static, Type } from 'typebox';
import { hasBadText } from '../http/body.ts';
import { refusal } from '../http/errors.ts';
import { text } from '../http/validation.ts';

/** All that a client may say in `doorman.v1`; what further fields a frame carries is ignored. */

/** The client's word for a request, which comes back in its reply; it is read before the other texts are checked. */
export const RequestId = text({
  minLength: 1,
  maxLength: 64,
  refine: (id) => {
    if (hasBadText(id)) throw refusal('invalid', 'body_bad_text');
  },
});

/** What makes a frame a request: a frame with an `id` gets exactly one reply. */
export const Asked = Type.Object({ id: Type.Optional(RequestId) });
export const Named = Type.Object({ type: text({ minLength: 1, maxLength: 64 }) });

/** The first frame: the user of the connection. Without a token it is refused (interface 5.5). */
export const Hello = Type.Object({
  id: RequestId,
  token: Type.Optional(text()),
  device: Type.Optional(text({ maxLength: 64, description: "The client's own word for itself" })),
  epoch: Type.Optional(text({ maxLength: 64 })),
  seq: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  visible: Type.Optional(Type.Boolean({ description: 'Left out: true' })),
  active: Type.Optional(Type.Boolean({ description: 'Left out: as visible' })),
});
export type Hello = Static<typeof Hello>;

/** A newer token of the same session, before the one in use expires. */
export const Token = Type.Object({ id: RequestId, token: text() });

/** For clients that cannot ping as RFC 6455 does, such as browsers. */
export const Ping = Type.Object({});

/** The user goes on purpose. */
export const Bye = Type.Object({});
