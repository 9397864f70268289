import { ServiceError } from '../errors.ts';
import { openRateLimit, type SlidingLog } from './rate-limits.ts';

const WINDOW_MS = 10_000;
const MAX_USERS = 100_000;

/**
 * Limits how often an expensive read may be requested in 10 s: by one connection, and by all devices of one user. A refused
 * request does not count.
 */
export class ReadLimit {
  readonly #ofConnection: number;
  readonly #ofUser: SlidingLog;
  readonly #refusal: string;
  readonly #monotonicMs: () => number;
  readonly #byConnection = new WeakMap<object, number[]>();

  /** @param refusal the refusal's word */
  constructor(limits: { ofConnection: number; ofUser: number }, refusal: string, monotonicMs: () => number) {
    this.#ofConnection = limits.ofConnection;
    this.#ofUser = openRateLimit({ limit: limits.ofUser, windowMs: WINDOW_MS, maxKeys: MAX_USERS });
    this.#refusal = refusal;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * @param connection left out for HTTP, where only the user is counted
   * @throws {ServiceError} `rate-limited`
   */
  take(userId: string, connection?: object): void {
    const now = this.#monotonicMs();
    const counted =
      connection && (this.#byConnection.get(connection) ?? []).filter((at) => now - at < WINDOW_MS);
    if (counted && counted.length >= this.#ofConnection)
      throw this.#refuse(WINDOW_MS - (now - (counted[0] ?? now)));
    const { allowed, retryAfterSeconds } = this.#ofUser.take(userId, now);
    if (!allowed) throw this.#refuse(retryAfterSeconds * 1000);
    if (connection && counted) this.#byConnection.set(connection, [...counted, now]);
  }

  #refuse(waitMs: number): ServiceError {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return new ServiceError('rate-limited', this.#refusal, '请求过于频繁，请稍后再试', { retryAfterSeconds });
  }
}
