import { Multimap } from '../collections/multimap.ts';
import type { Events } from '../events/hints.ts';
import type { BlockedUser } from './schemas.ts';

/** Bounds the memory: some 300 bytes for each user of a list; beyond it the least recently loaded list is dropped. */
const MAX_CACHED_ENTRIES = 50_000;
/** Longer lists are read each time: one of them would drop many others. */
const MAX_LIST_ENTRIES = 1_000;

interface CachedList {
  readonly text: string;
  readonly userIds: readonly string[];
}

/**
 * Whole lists of blocked users as the texts of their answers (measured: docs/performance.md). A list is dropped when its owner blocks
 * or unblocks, and when one of its users changes, so that no answer is older than a change that was answered before.
 */
export class BlockedLists {
  readonly #read: (blockerId: string) => Promise<readonly BlockedUser[]>;
  readonly #events: Pick<Events, 'isCurrent'>;
  readonly #cached = new Map<string, CachedList>();
  /** By user, the owners of the cached lists that name them. */
  readonly #ownersOf = new Multimap<string, string>();
  #entries = 0;
  /** Rises with every change, so that what was read before a change is not cached after it. */
  #changes = 0;

  constructor(read: (blockerId: string) => Promise<readonly BlockedUser[]>, events: Events) {
    this.#read = read;
    this.#events = events;
    events.subscribe((event) => {
      if (event.type === 'block-changed') {
        this.#drop(event.blockerId);
      } else if (event.type === 'user-changed')
        for (const ownerId of [...this.#ownersOf.get(event.userId)]) this.#drop(ownerId);
      else if (event.type === 'external-change') this.#clear();
      else return;
      this.#changes++;
    });
  }

  recall(blockerId: string): string | undefined {
    return this.#events.isCurrent ? this.#cached.get(blockerId)?.text : undefined;
  }

  /** Reads and caches a list. @throws what reading it throws */
  async load(blockerId: string): Promise<string> {
    const before = this.#changes;
    const data = await this.#read(blockerId);
    const text = `{"code":200,"data":${JSON.stringify(data)}}`;
    if (before === this.#changes && data.length <= MAX_LIST_ENTRIES)
      this.#cache(blockerId, { text, userIds: data.map(({ id }) => id) });
    return text;
  }

  #cache(ownerId: string, list: CachedList): void {
    this.#drop(ownerId);
    this.#entries += sizeOf(list);
    this.#cached.set(ownerId, list);
    for (const id of list.userIds) this.#ownersOf.add(id, ownerId);
    for (const [oldest] of this.#cached) {
      if (this.#entries <= MAX_CACHED_ENTRIES) break;
      this.#drop(oldest);
    }
  }

  #drop(ownerId: string): void {
    const list = this.#cached.get(ownerId);
    if (!list) return;
    this.#cached.delete(ownerId);
    this.#entries -= sizeOf(list);
    for (const id of list.userIds) this.#ownersOf.delete(id, ownerId);
  }

  #clear(): void {
    this.#cached.clear();
    this.#ownersOf.clear();
    this.#entries = 0;
  }
}

/** An empty list takes memory too. */
function sizeOf({ userIds }: CachedList): number {
  return userIds.length + 1;
}
