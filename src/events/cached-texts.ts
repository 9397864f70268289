import { Multimap } from '../collections/multimap.ts';
import type { Events } from './hints.ts';

interface Answer {
  readonly text: string;
  /** The users about whom it says something. */
  readonly userIds: readonly string[];
}

interface Options {
  /** Makes the answer for a key. */
  read(key: string): Promise<Answer>;
  /** Bounds the memory: how many users all answers name, and one more for each; beyond it the least recently loaded are dropped. */
  readonly maxEntries: number;
  /** Longer answers are read each time: one of them would drop many others. */
  readonly maxUsers?: number;
}

/**
 * Texts of ready answers by key (measured: docs/performance.md). One is dropped when one of its users changes, so that no answer is
 * older than a change that was answered before.
 */
export class CachedTexts {
  readonly #options: Options;
  readonly #events: Pick<Events, 'isCurrent'>;
  readonly #cached = new Map<string, Answer>();
  /** By user, the keys of the answers that name them. */
  readonly #keysOf = new Multimap<string, string>();
  #entries = 0;
  /** Rises with every change, so that what was read before a change is not cached after it. */
  #changes = 0;

  constructor(events: Events, options: Options) {
    this.#options = options;
    this.#events = events;
    events.subscribe((event) => {
      if (event.type === 'user-changed')
        for (const key of [...this.#keysOf.get(event.userId)]) this.#remove(key);
      else if (event.type === 'external-change') for (const key of this.#cached.keys()) this.#remove(key);
      else return;
      this.#changes++;
    });
  }

  recall(key: string): string | undefined {
    return this.#events.isCurrent ? this.#cached.get(key)?.text : undefined;
  }

  /** Reads and caches an answer. @throws what reading it throws */
  async load(key: string): Promise<string> {
    const { read, maxEntries, maxUsers = maxEntries } = this.#options;
    const before = this.#changes;
    const answer = await read(key);
    if (before !== this.#changes || answer.userIds.length > maxUsers) return answer.text;
    this.#remove(key);
    this.#entries += answer.userIds.length + 1;
    this.#cached.set(key, answer);
    for (const id of answer.userIds) this.#keysOf.add(id, key);
    for (const [oldest] of this.#cached) {
      if (this.#entries <= maxEntries) break;
      this.#remove(oldest);
    }
    return answer.text;
  }

  /** Drops an answer that a change of another kind concerns. */
  drop(key: string): void {
    this.#changes++;
    this.#remove(key);
  }

  #remove(key: string): void {
    const answer = this.#cached.get(key);
    if (!answer) return;
    this.#cached.delete(key);
    this.#entries -= answer.userIds.length + 1;
    for (const id of answer.userIds) this.#keysOf.delete(id, key);
  }
}
