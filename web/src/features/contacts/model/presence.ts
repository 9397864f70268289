import type { Doorman, PresenceState } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import type { Readable } from '../../../data/store.ts';
import type { PresenceStore } from './stores.ts';
import type { PresenceView } from './views.ts';

/** Without a connection for this long, everyone's presence is unknown. */
const STALE_MS = 10_000;
const UNKNOWN: PresenceView = { state: 'unknown', lastSeen: 0 };

interface PresenceOptions {
  readonly doorman: Doorman;
  isBlocked(userId: string): boolean;
}

/** The presence of the users on the screen, as the kit has it; unknown for blocked users and without a connection. */
export class Presence implements PresenceStore {
  readonly #options: PresenceOptions;
  readonly #views = new KeyedStore<PresenceView>({ view: (id) => this.#view(id) });
  #isStale = false;
  #staleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  of(userId: string): Readable<PresenceView> {
    return this.#views.of(userId);
  }

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

  onConnection(isLive: boolean): void {
    if (isLive) {
      clearTimeout(this.#staleTimer);
      this.#staleTimer = undefined;
      this.#isStale = false;
      this.#views.refreshAll();
    } else
      this.#staleTimer ??= setTimeout(() => {
        this.#isStale = true;
        this.#views.refreshAll();
      }, STALE_MS);
  }

  /** Another user. */
  clear(): void {
    this.#views.refreshAll();
  }

  close(): void {
    clearTimeout(this.#staleTimer);
  }

  #view(id: string): PresenceView {
    const presence = this.#options.doorman.presenceOf(id);
    if (!presence || this.#isStale || this.#options.isBlocked(id)) return UNKNOWN;
    const state = presence.online === 0 ? 'offline' : presence.idle === 1 ? 'idle' : 'online';
    return { state, lastSeen: presence.lastSeen };
  }
}
