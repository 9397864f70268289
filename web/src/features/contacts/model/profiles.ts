import { type Doorman, DoormanError, type PublicProfile } from 'doorman-client';
import { Fetched } from '../../../data/fetched.ts';
import { KeyedStore } from '../../../data/keyed-store.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import type { Readable } from '../../../data/store.ts';
import { isUnknownUser } from './name-cache.ts';
import type { ProfileView } from './views.ts';

const FRESH_MS = 60_000;
const MAX_PROFILES = 200;

interface ProfilesOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  onProfile(profile: PublicProfile): void;
  onGone(userId: string): void;
}

/** Other users' profiles, fetched when they are shown, and fresh for a minute. */
export class Profiles {
  readonly #options: ProfilesOptions;
  /** The one that was shown or set last is the last. */
  readonly #profiles = new Map<string, Fetched<PublicProfile | 'gone'>>();
  readonly #views = new KeyedStore<ProfileView>({
    view: (id) => this.#view(id),
    onFirstSubscriber: (id) => this.#ensure(id),
  });

  constructor(options: ProfilesOptions) {
    this.#options = options;
  }

  of(userId: string): Readable<ProfileView> {
    return this.#views.of(userId);
  }

  set(profile: PublicProfile): void {
    this.#of(profile.id).setValue(profile);
  }

  /** The connection is back. */
  retry(): void {
    for (const id of this.#views.subscribedKeys()) this.#ensure(id);
  }

  clear(): void {
    this.#profiles.clear();
    this.#views.refreshAll();
  }

  #ensure(id: string): void {
    const fetched = this.#of(id);
    if (fetched.failure === undefined) fetched.ensure();
    else fetched.retry();
  }

  #of(id: string): Fetched<PublicProfile | 'gone'> {
    const fetched = this.#profiles.get(id) ?? new Fetched(() => this.#fetch(id), FRESH_MS);
    if (!this.#profiles.delete(id)) fetched.subscribe(() => this.#views.refresh(id));
    this.#profiles.set(id, fetched);
    for (const oldest of this.#profiles.keys()) {
      if (this.#profiles.size <= MAX_PROFILES) break;
      this.#profiles.delete(oldest);
    }
    return fetched;
  }

  async #fetch(id: string): Promise<PublicProfile | 'gone'> {
    const { doorman, queue, onProfile, onGone } = this.#options;
    try {
      const profile = await queue.run(() => doorman.api.profileOf(id));
      onProfile(profile);
      return profile;
    } catch (error) {
      if (!(error instanceof DoormanError && isUnknownUser(error))) throw error;
      onGone(id);
      return 'gone';
    }
  }

  #view(id: string): ProfileView {
    const fetched = this.#profiles.get(id);
    const profile = fetched?.getSnapshot().value;
    if (profile === 'gone') return { profile: undefined, state: 'gone' };
    if (profile) return { profile, state: 'known' };
    return { profile: undefined, state: fetched?.failure === undefined ? 'loading' : 'failed' };
  }
}
