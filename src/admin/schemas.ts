import { type Static, Type } from 'typebox';
import { flag, text } from '../http/validation.ts';

const ID = '[^,]{1,64}';

export const PresenceQuery = Type.Object({
  ids: text({
    maxLength: 6_500,
    pattern: `^${ID}(?:,${ID}){0,99}$`,
    description: 'Ids of 1 to 100 users, separated by commas',
  }),
});

export const UserPresence = Type.Object({
  id: Type.String(),
  isOnline: flag(),
  lastSeen: Type.Integer({ description: 'Epoch milliseconds of going offline; 0 while online, or unknown' }),
});
export type UserPresence = Static<typeof UserPresence>;
