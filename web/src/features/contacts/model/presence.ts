import type { Doorman, PresenceState } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import type { Readable } from '../../../data/store.ts';
import type { PresenceStore } from './stores.ts';
import type { PresenceView } from './views.ts';

/** After so long without a connection nobody can say any more who is online. */
const STALE_MS = 10_000;
const UNKNOWN: PresenceView = { state: 'unknown', lastSeen: 0 };

interface PresenceOptions {
  readonly doorman: Doorman;
  isBlocked(userId: string): boolean;
}

/** How those appear who are on the screen. The kit gathers who is watched; here blocks and breaks are minded. */
export class Presence implements PresenceStore {
  readonly #options: PresenceOptions;
  readonly #views = new KeyedStore<PresenceView>({ view: (id) => this.#view(id) });
  #isStale = false;
  #goingStale: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  of(userId: string): Readable<PresenceView> {
    return this.#views.of(userId);
  }

  watch(userIds: readonly string[]): () => void {
    return this.#options.doorman.watch(userIds);
  }

  onPresence(sights: readonly PresenceState[]): void {
    for (const { id } of sights) this.#views.refresh(id);
  }

  /** Blocked, or no longer. */
  onBlock(userId: string): void {
    this.#views.refresh(userId);
  }

  onConnection(isLive: boolean): void {
    if (isLive) {
      clearTimeout(this.#goingStale);
      this.#goingStale = undefined;
      this.#isStale = false;
      this.#views.refreshAll();
    } else
      this.#goingStale ??= setTimeout(() => {
        this.#isStale = true;
        this.#views.refreshAll();
      }, STALE_MS);
  }

  /** Another user. */
  clear(): void {
    this.#views.refreshAll();
  }

  close(): void {
    clearTimeout(this.#goingStale);
  }

  #view(id: string): PresenceView {
    const sight = this.#options.doorman.presenceOf(id);
    if (!sight || this.#isStale || this.#options.isBlocked(id)) return UNKNOWN;
    const state = sight.online === 0 ? 'offline' : sight.idle === 1 ? 'idle' : 'online';
    return { state, lastSeen: sight.lastSeen };
  }
}
