import type { Doorman, FriendEntry, FriendEvent, PersonName, Snapshot } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import { Pages } from '../../../data/pages.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { SerialQueue } from '../../../data/serial-queue.ts';
import { Derived, type Readable } from '../../../data/store.ts';
import type { FriendAction, FriendState, FriendsView, FriendView } from './views.ts';

interface FriendsOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  isBlocked(userId: string): boolean;
  persistList(): void;
  onPeople(people: readonly PersonName[]): void;
}

type FriendPage = Awaited<ReturnType<Doorman['api']['friends']>>;

/** The state that an action shows at once, until the service answers with the true one. */
const EXPECTED: Record<FriendAction, FriendState | ((before: FriendState) => FriendState)> = {
  // A request to a user who has sent one accepts it.
  request: (before) => (before === 'asked' || before === 'friends' ? 'friends' : 'requested'),
  cancel: 'none',
  accept: 'friends',
  decline: 'none',
  remove: 'none',
};

export class Friends {
  readonly all: Derived<FriendsView>;
  readonly moreFriends: Pages<FriendPage>;
  readonly moreRequests: Pages<FriendPage>;
  readonly #options: FriendsOptions;
  /** Confirmed by the service. */
  readonly #known = new Map<string, FriendView>();
  /** The expected states of actions that the service has not answered yet. */
  readonly #pending = new Map<string, FriendView>();
  /** The number of events about each user: an event that comes during a request is newer than the answer. */
  readonly #eventCounts = new Map<string, number>();
  /** For each user that a page or an event has named since the last snapshot, the `seq` up to which that is true. */
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
      const shown = [...new Map([...this.#known, ...this.#pending]).values()]
        .filter(({ id, state }) => this.#stateOf(id) === state)
        // The order of the service's pages, so that the next page is added below.
        .sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
      const of = (state: FriendState) => shown.filter((one) => one.state === state);
      return { friends: of('friends'), asked: of('asked'), requested: of('requested') };
    });
  }

  state(userId: string): Readable<FriendState> {
    return this.#views.of(userId);
  }

  async act(action: FriendAction, userId: string): Promise<void> {
    const { doorman, queue } = this.#options;
    const expected = EXPECTED[action];
    const state = typeof expected === 'string' ? expected : expected(this.#stateOf(userId));
    const pending: FriendView = { id: userId, state, at: Date.now() };
    this.#pending.set(userId, pending);
    this.#changed(userId);
    await this.#serial.run(userId, async () => {
      const eventCount = this.#eventCounts.get(userId);
      try {
        const answer = await queue.runNow(() => doorman.api.friend(action, userId));
        if (this.#eventCounts.get(userId) === eventCount)
          this.#set(userId, toFriendState(answer.state), pending.at);
      } finally {
        // A later action of the user stays pending.
        if (this.#pending.get(userId) === pending) this.#pending.delete(userId);
        this.#changed(userId);
      }
    });
  }

  /** @param at epoch milliseconds */
  onEvent({ userId, state, seq }: FriendEvent, at: number): void {
    if (seq <= (this.#trueAt.get(userId) ?? 0)) return; // a page includes it
    this.#trueAt.set(userId, seq);
    this.#eventCounts.set(userId, (this.#eventCounts.get(userId) ?? 0) + 1);
    this.#set(userId, state, at);
    this.#changed(userId);
  }

  /** A block removes requests between the two users; a friendship is suspended (architecture 6). */
  onBlockEvent(userId: string, seq: number): void {
    if (seq <= (this.#trueAt.get(userId) ?? 0)) return;
    this.#trueAt.set(userId, seq);
    if (this.#known.get(userId)?.state !== 'friends') this.#known.delete(userId);
    this.#changed(userId);
  }

  /** A user was blocked or unblocked. */
  onHiddenChange(userId: string): void {
    this.#changed(userId);
  }

  /** Takes the first page of each list. Stored friends stay until all pages are loaded. */
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

  /** Takes what is stored on this device. */
  restore(entries: readonly FriendView[]): void {
    for (const entry of entries) this.#known.set(entry.id, entry);
    this.#allChanged();
  }

  has(userId: string): boolean {
    return this.#known.has(userId);
  }

  /** The `count` changed last. */
  toPersisted(count: number): FriendView[] {
    return [...this.#known.values()].sort((one, other) => other.at - one.at).slice(0, count);
  }

  clear(): void {
    this.#known.clear();
    this.#pending.clear();
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

  /** All pages are loaded: a stored friend who was on none is no longer one. */
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
    const { state } = this.#pending.get(userId) ?? this.#known.get(userId) ?? { state: 'none' };
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
