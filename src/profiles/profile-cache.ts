import type { Events } from '../events/hints.ts';
import type { PublicUser } from './schemas.ts';

/** Bounds the memory: some 300 bytes each; beyond it the least recently loaded profile is dropped. */
const MAX_CACHED = 20_000;

/**
 * Public profiles as the text of their answers, cut before the value of `isOnline`. A profile is dropped when it changes
 * (measured: docs/performance.md).
 */
export class ProfileCache {
  readonly #read: (userId: string) => Promise<PublicUser>;
  readonly #events: Pick<Events, 'isCurrent'>;
  readonly #cached = new Map<string, string>();
  /** Rises with every change, so that what was read before a change is not cached after it. */
  #changes = 0;

  constructor(read: (userId: string) => Promise<PublicUser>, events: Events) {
    this.#read = read;
    this.#events = events;
    events.subscribe((event) => {
      if (event.type === 'user-changed') this.#cached.delete(event.userId);
      else if (event.type === 'external-change') this.#cached.clear();
      else return;
      this.#changes++;
    });
  }

  recall(userId: string): string | undefined {
    return this.#events.isCurrent ? this.#cached.get(userId) : undefined;
  }

  /** Reads and caches a profile. @throws what reading it throws */
  async load(userId: string): Promise<string> {
    const before = this.#changes;
    const data = JSON.stringify(await this.#read(userId));
    const text = `{"code":200,"data":${data.slice(0, -1)},"isOnline":`;
    if (before === this.#changes) {
      for (const [oldest] of this.#cached) {
        if (this.#cached.size < MAX_CACHED) break;
        this.#cached.delete(oldest);
      }
      this.#cached.set(userId, text);
    }
    return text;
  }
}
