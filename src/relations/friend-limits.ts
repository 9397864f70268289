import { ServiceError } from '../errors.ts';
import { openRateLimit } from '../http/rate-limits.ts';
import type { FriendAction, FriendState } from './schemas.ts';

const HOUR_MS = 60 * 60 * 1000;
const MAX_USERS = 100_000;
/** Each user has sent requests to at most 30 others within the hour. */
const MAX_PAIRS = 300_000;

/** A user has at most this many open requests of their own. */
export const MAX_OPEN_REQUESTS = 200;

/**
 * Limits the friend actions of a user in an hour: 30 requests in all, and 6 requests and cancels to one user. Each
 * friendship begins with a request, so this bounds the events of every cycle too, including those of accept and remove;
 * accept, decline and remove are never refused (docs/decisions/006-rate-limits.md).
 */
export class FriendLimits {
  readonly #requests = openRateLimit({ limit: 30, windowMs: HOUR_MS, maxKeys: MAX_USERS });
  readonly #toPeer = openRateLimit({ limit: 6, windowMs: HOUR_MS, maxKeys: MAX_PAIRS });
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Counts an action that is about to change a state to `next`. A refused one does not count.
   *
   * @throws {ServiceError} `rate-limited`, word `too_many_friend_requests` or `too_many_requests_to_user`
   */
  take(userId: string, action: FriendAction, peerId: string, next: FriendState): void {
    // A request to a user who already sent one is an acceptance.
    const isRequest = action === 'request' && next === 'requested';
    if (!isRequest && action !== 'cancel') return;
    const now = this.#monotonicMs();
    const pair = `${userId} ${peerId}`;
    const toPeer = this.#toPeer.peek(pair, now);
    if (!toPeer.allowed)
      throw refused('too_many_requests_to_user', '对该用户的好友操作过于频繁', toPeer.retryAfterSeconds);
    if (isRequest) {
      const { allowed, retryAfterSeconds } = this.#requests.take(userId, now);
      if (!allowed) throw refused('too_many_friend_requests', '发送好友申请过于频繁', retryAfterSeconds);
    }
    this.#toPeer.take(pair, now);
  }
}

function refused(word: string, what: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('rate-limited', word, `${what}，请稍后再试`, { retryAfterSeconds });
}
