import type { PrivacyRow } from '../users/privacy.ts';
import { notAccepting } from './blocks.ts';
import { DECLINED_MS } from './message-requests.ts';

/** What a recipient takes from strangers. */
export type ReachFacts = Pick<PrivacyRow, 'who_friend_requests'> & {
  /** When they declined the sender's message request, if they did; epoch milliseconds. */
  readonly declined_at: number | null;
};

/**
 * Refuses a friend request that its recipient takes from no one, or whose sender's messages they declined within 30 days: otherwise the
 * sender could tell that from a block. A request that answers theirs is none. To be decided after `refusalBetween`, by what was read
 * behind the same locks.
 *
 * @throws {ServiceError} `forbidden`, word `not_accepting`, as after a block
 */
export function refuseUnlessReachable({ who_friend_requests, declined_at }: ReachFacts, now: number): void {
  if (who_friend_requests === 'nobody' || (declined_at !== null && now - declined_at < DECLINED_MS))
    throw notAccepting();
}
