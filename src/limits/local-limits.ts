import { ServiceError } from '../errors.ts';
import { type KeyedLimit, SlidingLog, type Verdict } from './sliding-log.ts';

/** A word and its text; without a text the usual one. */
export type Refusal = readonly [word: string, text?: string];

interface LocalLimit extends KeyedLimit {
  readonly refusal: Refusal;
}

/** @throws {ServiceError} `rate-limited`, unless the call is allowed */
export function refuseAbove(
  { allowed, resetSeconds }: Verdict,
  [word, text = '请求过于频繁，请稍后再试']: Refusal,
  userId?: string,
): void {
  if (allowed) return;
  const options = { retryAfterSeconds: resetSeconds, ...(userId !== undefined && { userId }) };
  throw new ServiceError('rate-limited', word, text, options);
}

/** Limits of this process alone that count together: a call that one of them refuses counts in none. */
export class LocalLimits {
  readonly #limits: readonly { log: SlidingLog; refusal: Refusal }[];
  readonly #names = new WeakMap<object, string>();
  #named = 0;

  constructor(limits: readonly LocalLimit[], monotonicMs: () => number) {
    this.#limits = limits.map(({ refusal, ...limit }) => ({
      log: new SlidingLog(limit, monotonicMs),
      refusal,
    }));
  }

  /**
   * Counts a call.
   *
   * @param keys one for each limit, a text or an object such as a connection; undefined where a limit does not concern the call
   * @throws {ServiceError} `rate-limited`, with the word of the first limit that is reached
   */
  take(...keys: (string | object | undefined)[]): void {
    this.check(...keys);
    for (const [{ log }, key] of this.#concerned(keys)) log.take(key);
  }

  /** Counts nothing. @throws {ServiceError} as {@link take} */
  check(...keys: (string | object | undefined)[]): void {
    for (const [{ log, refusal }, key] of this.#concerned(keys)) refuseAbove(log.peek(key), refusal);
  }

  #concerned(keys: readonly (string | object | undefined)[]) {
    return this.#limits.flatMap((limit, i) => {
      const key = keys[i];
      if (key === undefined) return [];
      return [[limit, typeof key === 'string' ? key : this.#nameOf(key)] as const];
    });
  }

  #nameOf(object: object): string {
    const name = this.#names.get(object) ?? String(++this.#named);
    this.#names.set(object, name);
    return name;
  }
}

const READ_WINDOW_MS = 10_000;
const MAX_READERS = 100_000;

/** Limits how often an expensive read may be requested in 10 s, by one connection and by all devices of one user: the keys in this order. */
export function openReadLimits(
  word: string,
  { ofConnection, ofUser }: { ofConnection: number; ofUser: number },
  monotonicMs: () => number,
): LocalLimits {
  const shared = { windowMs: READ_WINDOW_MS, maxKeys: MAX_READERS, refusal: [word] } as const;
  return new LocalLimits(
    [
      { limit: ofConnection, ...shared },
      { limit: ofUser, ...shared },
    ],
    monotonicMs,
  );
}
