import type { Doorman, PresenceState } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import type { Readable } from '../../../data/store.ts';
import type { PresenceView } from './views.ts';

const UNKNOWN: PresenceView = { state: 'unknown', lastSeen: 0 };

interface PresenceOptions {
  readonly doorman: Doorman;
  isBlocked(userId: string): boolean;
  readonly offline: Readable<boolean>;
}

/** The presence of the users on the screen, as the kit has it; unknown for blocked users and while the page is offline. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #views = new KeyedStore<PresenceView>({ view: (id) => this.#view(id) });

  constructor(options: PresenceOptions) {
    this.#options = options;
    options.offline.subscribe(() => this.#views.refreshAll());
  }

  /** Of a user in `watch`. */
  of(userId: string): Readable<PresenceView> {
    return this.#views.of(userId);
  }

  /** Watches these users; of more than 500 in all calls, the latest. @returns ends it */
  watch(userIds: readonly string[]): () => void {
    return this.#options.doorman.watch(userIds);
  }

  onPresence(states: readonly PresenceState[]): void {
    for (const { id } of states) this.#views.refresh(id);
  }

  /** The user was blocked or unblocked. */
  onBlock(userId: string): void {
    this.#views.refresh(userId);
  }

  /** Another user. */
  clear(): void {
    this.#views.refreshAll();
  }

  #view(id: string): PresenceView {
    const { doorman, offline, isBlocked } = this.#options;
    const presence = doorman.presenceOf(id);
    if (!presence || offline.getSnapshot() || isBlocked(id)) return UNKNOWN;
    const state = presence.online === 0 ? 'offline' : presence.idle === 1 ? 'idle' : 'online';
    return { state, lastSeen: presence.lastSeen };
  }
}
