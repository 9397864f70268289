import { type Static, Type } from 'typebox';
import { flag, text } from '../http/validation.ts';

/** How many users one device watches at most (docs/protocol.md, `watch`). */
const MAX_WATCHED = 500;

export const WatchFields = Type.Object({
  userIds: Type.Array(text({ minLength: 1, maxLength: 100 }), { maxItems: MAX_WATCHED }),
});

export const ViewFields = Type.Object({
  visible: Type.Boolean(),
  active: Type.Optional(Type.Boolean({ description: 'Left out: as visible' })),
});

/** The presence of one user as another sees it over the socket. */
export const PresenceState = Type.Object({
  id: Type.String(),
  online: flag(),
  idle: flag('1 when online and no device is used'),
  lastSeen: Type.Integer({ description: 'Epoch milliseconds of going offline; 0 while online, or unknown' }),
});
export type PresenceState = Static<typeof PresenceState>;
