import type { Doorman, PublicProfile } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import type { Readable } from '../../../data/store.ts';
import { Directory } from './directory.ts';
import { NameCache } from './name-cache.ts';
import { Profiles } from './profiles.ts';
import type { DirectorySearch, PeopleStore } from './stores.ts';
import type { PersonView, ProfileView } from './views.ts';

interface PeopleOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** The names to persist have changed. */
  persistNames(): void;
}

/** Names, profiles and the directory. What one of them fetches is given to the others. */
export class People implements PeopleStore {
  readonly names: NameCache;
  readonly #profiles: Profiles;
  readonly #directory: Directory;

  constructor({ doorman, queue, persistNames }: PeopleOptions) {
    const addName = (profile: PublicProfile) => this.names.add([profile]);
    this.names = new NameCache({
      doorman,
      queue,
      persistNames,
      onProfile: (profile) => {
        this.#profiles.set(profile);
        addName(profile);
      },
    });
    const onGone = (userId: string) => this.names.markGone(userId);
    this.#profiles = new Profiles({ doorman, queue, onProfile: addName, onGone });
    this.#directory = new Directory({ doorman, queue, onEntries: (entries) => this.names.add(entries) });
  }

  get known(): Readable<readonly PersonView[]> {
    return this.names.all;
  }

  person(userId: string): Readable<PersonView> {
    return this.names.of(userId);
  }

  profile(userId: string): Readable<ProfileView> {
    return this.#profiles.of(userId);
  }

  newSearch(): DirectorySearch {
    return this.#directory.newSearch();
  }

  /** An event came of this user. */
  noteUser(userId: string): void {
    if (!this.names.has(userId)) this.#directory.noteStranger(userId);
  }

  /** The connection is back: requests that failed are repeated. */
  onLive(): void {
    this.names.retry();
    this.#profiles.retry();
    this.#directory.retry();
  }

  clear(): void {
    this.names.clear();
    this.#profiles.clear();
    this.#directory.clear();
  }
}
