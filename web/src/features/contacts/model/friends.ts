import type { Doorman, FriendEntry, FriendEvent, PersonName, Snapshot } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import { Pages } from '../../../data/pages.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { SerialQueue } from '../../../data/serial-queue.ts';
import { Derived, type Readable } from '../../../data/store.ts';
import type { FriendsStore } from './stores.ts';
import type { FriendAction, FriendState, FriendsView, FriendView } from './views.ts';

interface FriendsOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  isBlocked(userId: string): boolean;
  persistList(): void;
  onPeople(people: readonly PersonName[]): void;
}

type FriendPage = Awaited<ReturnType<Doorman['api']['friends']>>;

/** What is to be seen at once; the service may see it otherwise, and then has the last word. */
const WANTED: Record<FriendAction, FriendState | ((before: FriendState) => FriendState)> = {
  // A request to a user who sent one accepts theirs.
  request: (before) => (before === 'asked' || before === 'friends' ? 'friends' : 'requested'),
  cancel: 'none',
  accept: 'friends',
  decline: 'none',
  remove: 'none',
};

/** Friends, and who asked whom. */
export class Friends implements FriendsStore {
  readonly all: Derived<FriendsView>;
  readonly moreFriends: Pages<FriendPage>;
  readonly moreRequests: Pages<FriendPage>;
  readonly #options: FriendsOptions;
  /** By the service's word. */
  readonly #known = new Map<string, FriendView>();
  /** What is wanted by acts that are not answered yet. */
  readonly #wanted = new Map<string, FriendView>();
  /** How often the log told of somebody: what it told later than an answer was asked for is newer. */
  readonly #eventCounts = new Map<string, number>();
  /** Users that a page or the log named since the last snapshot, and up to which number of the log that is true. */
  readonly #trueAt = new Map<string, number>();
  readonly #serial = new SerialQueue();
  readonly #views = new KeyedStore<FriendState>({ view: (id) => this.#stateOf(id) });

  constructor(options: FriendsOptions) {
    this.#options = options;
    const { doorman, queue } = options;
    this.moreFriends = new Pages({
      queue,
      fetchPage: (after) => doorman.api.friends({ list: 'friends', after }),
      onPage: (page) => {
        this.#addPage(page);
        if (page.next === undefined) this.#forgetUnconfirmed();
      },
      isEager: true,
    });
    this.moreRequests = new Pages({
      queue,
      fetchPage: (after) => doorman.api.friends({ list: 'requests', after }),
      onPage: (page) => this.#addPage(page),
    });
    this.all = new Derived<FriendsView>(() => {
      const shown = [...new Map([...this.#known, ...this.#wanted]).values()]
        .filter(({ id, state }) => this.#stateOf(id) === state)
        .sort((one, other) => other.at - one.at || (one.id < other.id ? -1 : 1));
      const of = (state: FriendState) => shown.filter((one) => one.state === state);
      return { friends: of('friends'), asked: of('asked'), requested: of('requested') };
    });
  }

  state(userId: string): Readable<FriendState> {
    return this.#views.of(userId);
  }

  async act(act: FriendAction, userId: string): Promise<void> {
    const { doorman, queue } = this.#options;
    const wish = WANTED[act];
    const state = typeof wish === 'string' ? wish : wish(this.#stateOf(userId));
    const wanted: FriendView = { id: userId, state, at: Date.now() };
    this.#wanted.set(userId, wanted);
    this.#changed(userId);
    await this.#serial.run(userId, async () => {
      const eventCount = this.#eventCounts.get(userId);
      try {
        const answer = await queue.runNow(() => doorman.api.friend(act, userId));
        if (this.#eventCounts.get(userId) === eventCount)
          this.#set(userId, toFriendState(answer.state), wanted.at);
      } finally {
        // Unless the user wants something else already.
        if (this.#wanted.get(userId) === wanted) this.#wanted.delete(userId);
        this.#changed(userId);
      }
    });
  }

  /** @param at epoch milliseconds */
  onEvent({ userId, state, seq }: FriendEvent, at: number): void {
    if (seq <= (this.#trueAt.get(userId) ?? 0)) return; // a page has it
    this.#trueAt.set(userId, seq);
    this.#eventCounts.set(userId, (this.#eventCounts.get(userId) ?? 0) + 1);
    this.#set(userId, state, at);
    this.#changed(userId);
  }

  /** The log told of a block, which ends what was asked between the two; a friendship rests (architecture 6). */
  onBlockEvent(userId: string, seq: number): void {
    if (seq <= (this.#trueAt.get(userId) ?? 0)) return;
    this.#trueAt.set(userId, seq);
    if (this.#known.get(userId)?.state !== 'friends') this.#known.delete(userId);
    this.#changed(userId);
  }

  /** Somebody is hidden, or no longer. */
  onHiddenChange(userId: string): void {
    this.#changed(userId);
  }

  /** The first page of each list. Friends on later pages stay as they were kept until their page is there. */
  onSnapshot({ friends, requests, seq, next }: Snapshot): void {
    if (next.friends === undefined) this.#known.clear();
    for (const [id, { state }] of this.#known) if (state !== 'friends') this.#known.delete(id);
    this.#trueAt.clear();
    this.#addPage({ friends: [...friends, ...requests], seq });
    this.moreFriends.begin(next.friends);
    this.moreRequests.begin(next.requests);
  }

  /** The connection is back. */
  onLive(): void {
    this.moreFriends.retry();
    this.moreRequests.retry();
  }

  /** What was kept on this device. */
  restore(entries: readonly FriendView[]): void {
    for (const entry of entries) this.#known.set(entry.id, entry);
    this.#allChanged();
  }

  has(userId: string): boolean {
    return this.#known.has(userId);
  }

  /** The latest ones. */
  toPersisted(count: number): FriendView[] {
    return [...this.#known.values()].sort((one, other) => other.at - one.at).slice(0, count);
  }

  clear(): void {
    this.#known.clear();
    this.#wanted.clear();
    this.#eventCounts.clear();
    this.#trueAt.clear();
    this.moreFriends.begin(undefined);
    this.moreRequests.begin(undefined);
    this.#views.refreshAll();
    this.all.invalidate();
  }

  #addPage({ friends, seq }: { friends: readonly FriendEntry[]; seq: number }): void {
    this.#options.onPeople(friends);
    for (const { id, state, at } of friends) {
      if (seq <= (this.#trueAt.get(id) ?? -1)) continue;
      this.#trueAt.set(id, seq);
      this.#set(id, toFriendState(state), at);
    }
    this.#allChanged();
  }

  /** All friends are loaded: a kept friend who is on no page is none. */
  #forgetUnconfirmed(): void {
    for (const [id, { state }] of this.#known)
      if (state === 'friends' && !this.#trueAt.has(id)) this.#known.delete(id);
    this.#allChanged();
  }

  #allChanged(): void {
    this.#views.refreshAll();
    this.all.invalidate();
    this.#options.persistList();
  }

  #stateOf(userId: string): FriendState {
    const { state } = this.#wanted.get(userId) ?? this.#known.get(userId) ?? { state: 'none' };
    return state !== 'friends' && this.#options.isBlocked(userId) ? 'none' : state;
  }

  #set(id: string, state: FriendState, at: number): void {
    if (state === 'none') this.#known.delete(id);
    else this.#known.set(id, { id, state, at });
  }

  #changed(userId: string): void {
    this.#views.refresh(userId);
    this.all.invalidate();
    this.#options.persistList();
  }
}

function toFriendState(word: string): FriendState {
  return word === 'requested' || word === 'asked' || word === 'friends' ? word : 'none';
}
