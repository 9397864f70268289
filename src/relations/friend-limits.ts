import { ServiceError } from '../errors.ts';
import type { FriendState } from '../events/log-events.ts';
import { openRateLimit } from '../http/rate-limits.ts';
import type { FriendAction } from './schemas.ts';

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
   * Refuses an action that would change a state to `next` beyond a limit; counts nothing.
   *
   * @throws {ServiceError} `rate-limited`, word `too_many_friend_requests` or `too_many_requests_to_user`
   */
  check(userId: string, action: FriendAction, peerId: string, next: FriendState): void {
    if (!isLimited(action, next)) return;
    const now = this.#monotonicMs();
    const toPeer = this.#toPeer.peek(pairOf(userId, peerId), now);
    if (!toPeer.allowed)
      throw refused('too_many_requests_to_user', '对该用户的好友操作过于频繁', toPeer.retryAfterSeconds);
    if (!isRequest(action, next)) return;
    const { allowed, retryAfterSeconds } = this.#requests.peek(userId, now);
    if (!allowed) throw refused('too_many_friend_requests', '发送好友申请过于频繁', retryAfterSeconds);
  }

  /**
   * Counts an action that is about to change a state to `next`. A refused one does not count.
   *
   * @throws {ServiceError} as {@link check}
   */
  take(userId: string, action: FriendAction, peerId: string, next: FriendState): void {
    this.check(userId, action, peerId, next);
    if (!isLimited(action, next)) return;
    const now = this.#monotonicMs();
    if (isRequest(action, next)) this.#requests.take(userId, now);
    this.#toPeer.take(pairOf(userId, peerId), now);
  }
}

/** A request to a user who already sent one is an acceptance. */
function isRequest(action: FriendAction, next: FriendState): boolean {
  return action === 'request' && next === 'requested';
}

function isLimited(action: FriendAction, next: FriendState): boolean {
  return isRequest(action, next) || action === 'cancel';
}

// Ids hold no spaces.
const pairOf = (userId: string, peerId: string) => `${userId} ${peerId}`;

function refused(word: string, what: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('rate-limited', word, `${what}，请稍后再试`, { retryAfterSeconds });
}
