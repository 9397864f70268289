import type { PrivacyRow } from '../users/privacy.ts';
import { notAccepting } from './blocks.ts';

/** What a recipient takes from strangers. */
export type ReachFacts = Pick<PrivacyRow, 'who_friend_requests'>;

/**
 * Refuses a friend request that its recipient takes from no one; a request that answers theirs is none. To be decided after
 * `refusalBetween`, by what was read behind the same locks.
 *
 * @throws {ServiceError} `forbidden`, word `not_accepting`, as after a block
 */
export function refuseUnlessReachable({ who_friend_requests }: ReachFacts): void {
  if (who_friend_requests === 'nobody') throw notAccepting();
}
