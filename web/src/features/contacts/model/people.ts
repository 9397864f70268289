import type { Doorman } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import type { Readable } from '../../../data/store.ts';
import type { Directory, DirectorySearch } from './directory.ts';
import { NameCache } from './name-cache.ts';
import type { Profiles } from './profiles.ts';
import type { PersonView, ProfileView } from './views.ts';

interface PeopleOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** The names to persist have changed. */
  persistNames(): void;
}

/** Names, profiles and the directory. What one of them fetches is given to the others. */
export class People {
  readonly names: NameCache;
  readonly #options: PeopleOptions;
  #profiles: Profiles | undefined;
  #directory: Directory | undefined;

  constructor(options: PeopleOptions) {
    const { doorman, queue, persistNames } = options;
    this.#options = options;
    this.names = new NameCache({
      doorman,
      queue,
      persistNames,
      onProfile: (profile) => {
        this.#profiles?.set(profile);
        this.names.add([profile]);
      },
    });
  }

  /** All users whose names are on this device: of conversations, friends and blocks, and of lists that were loaded. */
  get known(): Readable<readonly PersonView[]> {
    return this.names.all;
  }

  /** An unknown name is fetched in the background when it gets a subscriber. */
  person(userId: string): Readable<PersonView> {
    return this.names.of(userId);
  }

  /**
   * Fetched when it gets its first subscriber, unless it is less than a minute old.
   *
   * @param Class which is loaded with the first view of a profile
   */
  profile(userId: string, Class: typeof Profiles): Readable<ProfileView> {
    this.#profiles ??= new Class({
      ...this.#options,
      onProfile: (profile) => this.names.add([profile]),
      onGone: (gone) => this.names.markGone(gone),
    });
    return this.#profiles.of(userId);
  }

  /** Each list on the screen has its own search. @param Class which is loaded with the first of these lists */
  newSearch(Class: typeof Directory): DirectorySearch {
    this.#directory ??= new Class({ ...this.#options, onEntries: (entries) => this.names.add(entries) });
    return this.#directory.newSearch();
  }

  /** An event came of this user. */
  noteUser(userId: string): void {
    if (!this.names.has(userId)) this.#directory?.noteStranger(userId);
  }

  /** The connection is back: requests that failed are repeated. */
  onLive(): void {
    this.names.retry();
    this.#profiles?.retry();
    this.#directory?.retry();
  }

  clear(): void {
    this.names.clear();
    this.#profiles?.clear();
    this.#directory?.clear();
  }
}
