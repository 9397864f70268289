import { type Doorman, DoormanError, type PublicProfile } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import type { Readable } from '../../../data/store.ts';
import { isUnknownUser } from './name-cache.ts';
import type { ProfileView } from './views.ts';

const GOOD_FOR_MS = 60_000;
const MAX_PROFILES = 200;

interface Heard {
  readonly view: ProfileView;
  /** 0: it is asked for anew. */
  readonly at: number;
}

interface ProfilesHost {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** Whoever gets it calls `note`. */
  gotProfile(profile: PublicProfile): void;
  gone(userId: string): void;
}

/** Profiles of others, asked for when they are shown, and good for a minute. */
export class Profiles {
  readonly #host: ProfilesHost;
  readonly #heard = new Map<string, Heard>();
  readonly #asked = new Set<string>();
  readonly #views = new KeyedStore<ProfileView>({
    view: (id) => this.#heard.get(id)?.view ?? { profile: undefined, state: 'loading' },
    onFirstSubscriber: (id) => this.#ask(id),
  });

  constructor(host: ProfilesHost) {
    this.#host = host;
  }

  of(userId: string): Readable<ProfileView> {
    return this.#views.of(userId);
  }

  note(profile: PublicProfile): void {
    this.#set(profile.id, { view: { profile, state: 'known' }, at: Date.now() });
  }

  /** The connection is back: what is on the screen and could not be had is asked for. */
  askAgain(): void {
    for (const id of this.#views.subscribedKeys()) this.#ask(id);
  }

  clear(): void {
    this.#heard.clear();
    this.#asked.clear();
    this.#views.refreshAll();
  }

  #set(id: string, heard: Heard): void {
    this.#heard.delete(id);
    this.#heard.set(id, heard);
    for (const oldest of this.#heard.keys()) {
      if (this.#heard.size <= MAX_PROFILES) break;
      this.#heard.delete(oldest);
    }
    this.#views.refresh(id);
  }

  #ask(id: string): void {
    const heard = this.#heard.get(id);
    if (this.#asked.has(id) || (heard && heard.at > Date.now() - GOOD_FOR_MS)) return;
    this.#asked.add(id);
    if (heard?.view.state === 'failed') this.#set(id, { view: { ...heard.view, state: 'loading' }, at: 0 });
    void this.#fetch(id).finally(() => this.#asked.delete(id));
  }

  async #fetch(id: string): Promise<void> {
    const { doorman, queue } = this.#host;
    try {
      this.#host.gotProfile(await queue.run(() => doorman.api.profileOf(id)));
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (error.error === 'signed_out') return;
      const profile = this.#heard.get(id)?.view.profile;
      if (isUnknownUser(error)) {
        this.#set(id, { view: { profile: undefined, state: 'gone' }, at: Date.now() });
        this.#host.gone(id);
      } else this.#set(id, { view: { profile, state: profile ? 'known' : 'failed' }, at: 0 });
    }
  }
}
