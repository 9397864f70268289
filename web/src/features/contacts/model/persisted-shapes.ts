import { isNumber, isString, list, oneOf, record } from '../../../data/persisted-shapes.ts';
import type { KeptName } from './name-cache.ts';
import type { BlockedView, FriendView } from './views.ts';

export const isKeptNames = list(
  record<KeptName>({ id: isString, username: isString, avatar: isString, nickname: isString, at: isNumber }),
);

export const isKeptFriend = record<FriendView>({
  id: isString,
  state: oneOf('requested', 'asked', 'friends'),
  at: isNumber,
});

export const isKeptBlock = record<BlockedView>({ id: isString, at: isNumber });
