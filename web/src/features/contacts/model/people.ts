import type { Doorman, PublicProfile } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import type { Readable } from '../../../data/store.ts';
import { Directory } from './directory.ts';
import { NameCache } from './name-cache.ts';
import { Profiles } from './profiles.ts';
import type { DirectorySearch, PeopleStore } from './stores.ts';
import type { PersonView, ProfileView } from './views.ts';

interface PeopleHost {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** What is to be kept of the names has changed. */
  persistNames(): void;
}

/** Names, profiles and the directory, which learn from each other. */
export class People implements PeopleStore {
  readonly names: NameCache;
  readonly #profiles: Profiles;
  readonly #directory: Directory;

  constructor({ doorman, queue, persistNames }: PeopleHost) {
    const gotProfile = (profile: PublicProfile) => {
      this.#profiles.note(profile);
      this.names.add([profile]);
    };
    const gone = (userId: string) => this.names.noteGone(userId);
    this.names = new NameCache({ doorman, queue, persistNames, gotProfile });
    this.#profiles = new Profiles({ doorman, queue, gotProfile, gone });
    this.#directory = new Directory({ doorman, queue, got: (entries) => this.names.add(entries) });
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

  /** The connection is back: what could not be had is asked for again. */
  noteLive(): void {
    this.names.askAgain();
    this.#profiles.askAgain();
    this.#directory.retry();
  }

  clear(): void {
    this.names.clear();
    this.#profiles.clear();
    this.#directory.clear();
  }
}
