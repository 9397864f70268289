import type { Events } from '../events/hints.ts';
import type { PublicUser } from './schemas.ts';

/** Bounds the memory: profiles of some 300 bytes, the least recently made given up first. */
const MAX_KEPT = 20_000;

/**
 * Public profiles as the text of their answers up to the value of `isOnline`, kept ready and dropped when they
 * change (measured: docs/performance.md).
 */
export class ReadyProfiles {
  readonly #read: (userId: string) => Promise<PublicUser>;
  readonly #kept = new Map<string, string>();
  /** Rises with every change, so that what was read before one is not kept after it. */
  #changes = 0;

  constructor(read: (userId: string) => Promise<PublicUser>, events: Events) {
    this.#read = read;
    events.subscribe((event) => {
      if (event.type === 'user-changed') this.#kept.delete(event.userId);
      else if (event.type === 'external-change') this.#kept.clear();
      else return;
      this.#changes++;
    });
  }

  recall(userId: string): string | undefined {
    return this.#kept.get(userId);
  }

  /** @throws what reading the profile throws */
  async make(userId: string): Promise<string> {
    const before = this.#changes;
    const data = JSON.stringify(await this.#read(userId));
    const text = `{"code":200,"data":${data.slice(0, -1)},"isOnline":`;
    if (before === this.#changes) {
      for (const [oldest] of this.#kept) {
        if (this.#kept.size < MAX_KEPT) break;
        this.#kept.delete(oldest);
      }
      this.#kept.set(userId, text);
    }
    return text;
  }
}
