import { type Doorman, DoormanError, type PublicProfile } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import type { Readable } from '../../../data/store.ts';
import { displayName } from './display-name.ts';
import type { PersonView } from './views.ts';

/** What names somebody; profiles, entries of the directory, friends and blocked people all have it, but for the nickname. */
export interface Named {
  readonly id: string;
  readonly username: string;
  readonly avatar: string;
  readonly nickname?: string;
}

/** A name as it is kept on this device. */
export interface PersistedName extends Named {
  readonly nickname: string;
  /** When it was told, epoch milliseconds. */
  readonly at: number;
}

interface Known {
  readonly named: Named | 'gone';
  readonly at: number;
}

const MAX_NAMES = 20_000;
/** An older name is still shown, and asked for anew. */
const GOOD_FOR_MS = 24 * 3_600_000;
const UNKNOWN = { username: '', avatar: '', name: '', state: 'unknown' } as const;

/** There is no such user; an id with text that no service takes, as an address may have, is no user's either. */
export function isUnknownUser(error: DoormanError): boolean {
  return error.code === 404 || error.error === 'bad_text';
}

interface NamesOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** What is to be kept of the names has changed. */
  persistNames(): void;
  /** Of somebody whose name was asked for; whoever gets it calls `note`. */
  onProfile(profile: PublicProfile): void;
}

/** Who is called how: from whatever the service tells, and asked for, few at a time, where somebody has to be shown. */
export class NameCache {
  readonly #options: NamesOptions;
  /** The one that was told or shown last comes last. */
  readonly #known = new Map<string, Known>();
  readonly #inProgress = new Set<string>();
  readonly #views = new KeyedStore<PersonView>({
    view: (id) => this.#view(id),
    onFirstSubscriber: (id) => this.#ensure(id),
  });

  constructor(options: NamesOptions) {
    this.#options = options;
  }

  of(userId: string): Readable<PersonView> {
    return this.#views.of(userId);
  }

  /** @param at epoch milliseconds; left out: now */
  add(people: readonly Named[], at = Date.now()): void {
    for (const named of people) {
      const before = this.#known.get(named.id);
      if (before && before.at > at) continue;
      const nickname =
        named.nickname ?? (before && before.named !== 'gone' ? before.named.nickname : undefined);
      // Half a name, as of blocked people, is no reason to ask no more.
      if (nickname === undefined && before === undefined) this.#set(named.id, { named, at: 0 });
      else
        this.#set(named.id, {
          named: nickname === named.nickname ? named : { ...named, nickname: nickname ?? '' },
          at,
        });
    }
    this.#options.persistNames();
  }

  markGone(userId: string): void {
    this.#set(userId, { named: 'gone', at: Date.now() });
  }

  /** The connection is back: who is on the screen and could not be asked for is asked for. */
  retry(): void {
    for (const id of this.#views.subscribedKeys()) this.#ensure(id);
  }

  /** Those shown or told last, the latest first. */
  toPersisted(count: number, wanted: (userId: string) => boolean): PersistedName[] {
    const names: PersistedName[] = [];
    for (const [id, { named, at }] of [...this.#known].reverse()) {
      if (names.length >= count) break;
      if (named === 'gone' || !wanted(id)) continue;
      const { username, avatar, nickname = '' } = named;
      names.push({ id, username, avatar, nickname, at });
    }
    return names;
  }

  clear(): void {
    this.#known.clear();
    this.#inProgress.clear();
    this.#views.refreshAll();
  }

  #set(id: string, known: Known): void {
    this.#known.delete(id);
    this.#known.set(id, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_NAMES) break;
      this.#known.delete(oldest);
    }
    this.#views.refresh(id);
  }

  #ensure(id: string): void {
    const known = this.#known.get(id);
    if (id === '' || this.#inProgress.has(id) || (known && known.at > Date.now() - GOOD_FOR_MS)) return;
    this.#inProgress.add(id);
    void this.#fetch(id).finally(() => this.#inProgress.delete(id));
  }

  async #fetch(id: string): Promise<void> {
    const { doorman, queue } = this.#options;
    try {
      this.#options.onProfile(await queue.run(() => doorman.api.profileOf(id), { isBackground: true }));
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      // Any other error: asked again when the connection is back, or when the user is shown again.
      if (isUnknownUser(error)) this.markGone(id);
    }
  }

  #view(id: string): PersonView {
    const known = this.#known.get(id);
    if (!known) return { id, ...UNKNOWN };
    if (known.named === 'gone') return { id, ...UNKNOWN, state: 'gone' };
    const { username, avatar } = known.named;
    return { id, name: displayName(known.named), username, avatar, state: 'known' };
  }
}
