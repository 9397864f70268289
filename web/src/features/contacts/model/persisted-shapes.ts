import { isNumber, isString, list, oneOf, record } from '../../../data/persisted-shapes.ts';
import type { PersistedName } from './name-cache.ts';
import type { BlockedView, FriendView } from './views.ts';

export const isPersistedNames = list(
  record<PersistedName>({
    id: isString,
    username: isString,
    avatar: isString,
    nickname: isString,
    at: isNumber,
  }),
);

export const isPersistedFriend = record<FriendView>({
  id: isString,
  state: oneOf('requested', 'asked', 'friends'),
  at: isNumber,
});

export const isPersistedBlock = record<BlockedView>({ id: isString, at: isNumber });
