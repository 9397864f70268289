import type { Refusals } from '../http/refusals.ts';

/** The words of refusals by limits that no setting names; docs/interface.md and docs/protocol.md describe them. */
const WORDS: readonly string[] = [
  'overloaded',
  'too_many_friend_requests',
  'too_many_messages',
  'too_many_open_requests',
  'too_many_requests_to_user',
  'too_many_syncs',
  'too_many_test_sends',
  'too_many_watches',
];
/** The words of the limits that {@link Refusals} counts by name. */
const COUNTED_BY_NAME = new Set(['rate_limited', 'too_many_logins']);

export class RefusalCounts {
  readonly #byName: Refusals['totals'];
  readonly #byWord = new Map(WORDS.map((word) => [word, 0]));
  #named = 0;
  #others = 0;

  constructor({ totals }: Pick<Refusals, 'totals'>) {
    this.#byName = totals;
  }

  /** Counts a refusal by its word. */
  readonly count = (word: string): void => {
    if (COUNTED_BY_NAME.has(word)) this.#named++;
    else {
      const known = this.#byWord.get(word);
      if (known === undefined) this.#others++;
      else this.#byWord.set(word, known + 1);
    }
  };

  /** By limit: `api`, `auth`, `account`, one of the words, or `other`. */
  read(): Record<string, number> {
    const { api, auth, account } = this.#byName;
    // Some limits without a setting refuse with the word of those that have one.
    const other = this.#others + Math.max(0, this.#named - api - auth - account);
    return { api, auth, account, ...Object.fromEntries(this.#byWord), other };
  }
}
