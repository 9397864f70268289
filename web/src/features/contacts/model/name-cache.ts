import { type Doorman, DoormanError, type PublicProfile } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { Derived, type Readable } from '../../../data/store.ts';
import { displayName } from './display-name.ts';
import type { PersonView } from './views.ts';

/** The name of a user, as profiles and entries of lists have it; friends and blocked users come without a nickname. */
export interface Named {
  readonly id: string;
  readonly username: string;
  readonly avatar: string;
  readonly nickname?: string;
}

/** A name as it is stored on this device. */
export interface PersistedName extends Named {
  readonly nickname: string;
  /** When the service sent it, epoch milliseconds. */
  readonly at: number;
}

interface Known {
  readonly named: Named | 'gone';
  readonly at: number;
}

const MAX_NAMES = 20_000;
/** So many above the maximum are dropped at once: each walk through a map also passes the entries that were deleted from it. */
const DROPPED_AT_ONCE = 1_000;
/** An older name is shown, and requested again. */
const FRESH_MS = 24 * 3_600_000;
const UNKNOWN = { username: '', avatar: '', name: '', state: 'unknown' } as const;

/** There is no such user. An address may also hold an id that the service refuses as `bad_text`: no user has it. */
export function isUnknownUser(error: DoormanError): boolean {
  return error.code === 404 || error.error === 'bad_text';
}

interface NamesOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** The names to persist have changed. */
  persistNames(): void;
  /** Called with each fetched profile; has to `add` its name. */
  onProfile(profile: PublicProfile): void;
}

/** Users' names: from every answer and event that has some, and fetched in the background for users who are shown. */
export class NameCache {
  /** All users with a known name, in no particular order. */
  readonly all: Derived<readonly PersonView[]>;
  readonly #options: NamesOptions;
  /** The one that was set last is the last. */
  readonly #known = new Map<string, Known>();
  readonly #inProgress = new Set<string>();
  readonly #views = new KeyedStore<PersonView>({
    view: (id) => this.#view(id),
    onFirstSubscriber: (id) => this.#ensure(id),
  });

  constructor(options: NamesOptions) {
    this.#options = options;
    this.all = new Derived<readonly PersonView[]>(() =>
      [...this.#known.keys()].map((id) => this.#view(id)).filter(({ state }) => state === 'known'),
    );
  }

  of(userId: string): Readable<PersonView> {
    return this.#views.of(userId);
  }

  has(userId: string): boolean {
    return this.#known.has(userId);
  }

  /** Ignores a name that is older than the known one. @param at when the service sent it, epoch milliseconds */
  add(people: readonly Named[], at = Date.now()): void {
    for (const named of people) {
      const before = this.#known.get(named.id);
      if (before && before.at > at) continue;
      const whole = before && before.at > 0 && before.named !== 'gone' ? before.named : undefined;
      const nickname = named.nickname ?? whole?.nickname;
      // A name without nickname is shown until the whole one is fetched.
      if (nickname === undefined) this.#set(named.id, { named, at: 0 });
      else this.#set(named.id, { named: nickname === named.nickname ? named : { ...named, nickname }, at });
    }
    this.#options.persistNames();
  }

  markGone(userId: string): void {
    this.#set(userId, { named: 'gone', at: Date.now() });
  }

  /** The connection is back: fetches the names on the screen that are missing. */
  retry(): void {
    for (const id of this.#views.subscribedKeys()) this.#ensure(id);
  }

  /** The names set last, the latest first. @param isWanted selects the users */
  toPersisted(count: number, isWanted: (userId: string) => boolean): PersistedName[] {
    const names: PersistedName[] = [];
    for (const [id, { named, at }] of [...this.#known].reverse()) {
      if (names.length >= count) break;
      if (named === 'gone' || !isWanted(id)) continue;
      const { username, avatar, nickname = '' } = named;
      names.push({ id, username, avatar, nickname, at });
    }
    return names;
  }

  clear(): void {
    this.#known.clear();
    this.#inProgress.clear();
    this.#views.refreshAll();
    this.all.invalidate();
  }

  #set(id: string, known: Known): void {
    this.#known.delete(id);
    this.#known.set(id, known);
    if (this.#known.size >= MAX_NAMES + DROPPED_AT_ONCE)
      for (const oldest of this.#known.keys()) {
        if (this.#known.size <= MAX_NAMES) break;
        this.#known.delete(oldest);
      }
    this.#views.refresh(id);
    this.all.invalidate();
  }

  #ensure(id: string): void {
    const known = this.#known.get(id);
    if (id === '' || this.#inProgress.has(id) || (known && known.at > Date.now() - FRESH_MS)) return;
    this.#inProgress.add(id);
    void this.#fetch(id).finally(() => this.#inProgress.delete(id));
  }

  async #fetch(id: string): Promise<void> {
    const { doorman, queue } = this.#options;
    try {
      this.#options.onProfile(await queue.run(() => doorman.api.profileOf(id), { isBackground: true }));
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      // After any other error it is fetched again when the connection is back, or the user is shown again.
      if (isUnknownUser(error)) this.markGone(id);
    }
  }

  #view(id: string): PersonView {
    const known = this.#known.get(id);
    if (!known) return { id, ...UNKNOWN };
    // An erased account has no name.
    if (known.named === 'gone' || known.named.username === '') return { id, ...UNKNOWN, state: 'gone' };
    const { username, avatar } = known.named;
    return { id, name: displayName(known.named), username, avatar, state: 'known' };
  }
}
