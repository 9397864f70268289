import { ServiceError } from '../errors.ts';
import { openRateLimit } from '../http/rate-limits.ts';
import type { FriendAct, FriendState } from './schemas.ts';

const HOUR_MS = 60 * 60 * 1000;
const MAX_USERS = 100_000;
/** A user has at most 30 people to whom they sent a request within the hour. */
const MAX_PAIRS = 300_000;

/** Requests of one user that may be open at once. */
export const MAX_OPEN_REQUESTS = 200;

/**
 * How many friend acts a user may do in an hour: 30 requests in all, and 6 requests and cancels towards one person. Each
 * friendship begins with a request, so these bound the events of every cycle too, among them those of accept and remove;
 * accept, decline and remove are never refused, whatever the other side does (docs/decisions/006-rate-limits.md).
 */
export class FriendLimits {
  readonly #requests = openRateLimit({ limit: 30, windowMs: HOUR_MS, maxKeys: MAX_USERS });
  readonly #towardsOne = openRateLimit({ limit: 6, windowMs: HOUR_MS, maxKeys: MAX_PAIRS });
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Counts an act that is about to change a state to `next`. A refused one does not count.
   *
   * @throws {ServiceError} `rate-limited`, word `too_many_friend_requests` or `too_many_requests_to_user`
   */
  take(userId: string, act: FriendAct, peerId: string, next: FriendState): void {
    // A request that answers a request is an acceptance.
    const isRequest = act === 'request' && next === 'requested';
    if (!isRequest && act !== 'cancel') return;
    const now = this.#monotonicMs();
    const pair = `${userId} ${peerId}`;
    const towardsOne = this.#towardsOne.peek(pair, now);
    if (!towardsOne.allowed)
      throw refused('too_many_requests_to_user', '对该用户的好友操作过于频繁', towardsOne.retryAfterSeconds);
    if (isRequest) {
      const { allowed, retryAfterSeconds } = this.#requests.take(userId, now);
      if (!allowed) throw refused('too_many_friend_requests', '发送好友申请过于频繁', retryAfterSeconds);
    }
    this.#towardsOne.take(pair, now);
  }
}

function refused(word: string, what: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('rate-limited', word, `${what}，请稍后再试`, { retryAfterSeconds });
}
