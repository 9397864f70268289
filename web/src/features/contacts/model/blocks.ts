import type { BlockedUser, Doorman } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import { Pages } from '../../../data/pages.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { SerialQueue } from '../../../data/serial-queue.ts';
import { Derived, type Readable } from '../../../data/store.ts';
import type { BlockedView } from './views.ts';

interface BlocksOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** A user was blocked or unblocked: what the page shows of them changes now. */
  onBlockChange(userId: string, isBlocked: boolean): void;
  persistList(): void;
  onPeople(people: readonly BlockedUser[]): void;
}

/** The users that the signed-in user blocks. */
export class Blocks {
  /** The newest block first. */
  readonly all: Derived<readonly BlockedView[]>;
  readonly more: Pages<Awaited<ReturnType<Doorman['api']['blockedPage']>>>;
  readonly #options: BlocksOptions;
  /** Confirmed blocks, with their time in epoch milliseconds. */
  readonly #known = new Map<string, number>();
  /** Blocks that the service has not answered yet: the page applies them at once. */
  readonly #pending = new Map<string, number>();
  /** The number of events about each user: an event that comes during a request is newer than the answer. */
  readonly #eventCounts = new Map<string, number>();
  /** Users whose block a page, an event or an action has confirmed or removed since the last snapshot. */
  readonly #confirmed = new Set<string>();
  readonly #serial = new SerialQueue();
  readonly #views = new KeyedStore<boolean>({ view: (id) => this.has(id) });

  constructor(options: BlocksOptions) {
    this.#options = options;
    const { doorman, queue } = options;
    this.more = new Pages({
      queue,
      fetchPage: (after) => doorman.api.blockedPage({ after }),
      onPage: ({ blocked, next }) => this.#addPage(blocked, next),
      isEager: true,
    });
    this.all = new Derived<readonly BlockedView[]>(() =>
      [...new Map([...this.#known, ...this.#pending])]
        .map(([id, at]) => ({ id, at: this.#known.get(id) ?? at }))
        .sort((one, other) => other.at - one.at),
    );
  }

  isBlocked(userId: string): Readable<boolean> {
    return this.#views.of(userId);
  }

  has(userId: string): boolean {
    return this.#known.has(userId) || this.#pending.has(userId);
  }

  /** From this call on the page shows neither typing nor presence nor unread messages of the user. */
  async block(userId: string): Promise<void> {
    const { doorman, queue } = this.#options;
    this.#change(userId, () => this.#pending.set(userId, Date.now()));
    await this.#serial.run(userId, async () => {
      const eventCount = this.#eventCounts.get(userId);
      try {
        const { create_time } = await queue.run(() => doorman.api.block(userId));
        // An `unblock` event that came during the request is newer.
        if (this.#eventCounts.get(userId) === eventCount || this.#known.has(userId))
          this.#known.set(userId, create_time);
      } finally {
        this.#change(userId, () => this.#pending.delete(userId));
      }
    });
  }

  /** The page goes on hiding the user until the service has answered. */
  async unblock(userId: string): Promise<void> {
    const { doorman, queue } = this.#options;
    await this.#serial.run(userId, async () => {
      const eventCount = this.#eventCounts.get(userId);
      await queue.runNow(() => doorman.api.unblock(userId));
      if (this.#eventCounts.get(userId) === eventCount)
        this.#change(userId, () => this.#known.delete(userId));
    });
  }

  onEvent(userId: string, isBlocked: boolean): void {
    this.#eventCounts.set(userId, (this.#eventCounts.get(userId) ?? 0) + 1);
    this.#change(userId, () => {
      if (!isBlocked) this.#known.delete(userId);
      else if (!this.#known.has(userId)) this.#known.set(userId, Date.now());
    });
  }

  /** Takes the first page. Stored blocks stay until all pages are loaded. */
  onSnapshot(blocks: readonly BlockedUser[], next: string | undefined): void {
    this.#confirmed.clear();
    this.#addPage(blocks, next);
    this.more.begin(next);
  }

  /** The connection is back. */
  onLive(): void {
    this.more.retry();
  }

  restore(blocks: readonly BlockedView[]): void {
    for (const { id, at } of blocks) this.#change(id, () => this.#known.set(id, at));
  }

  /** The newest `count`. */
  toPersisted(count: number): BlockedView[] {
    const known = [...this.#known].map(([id, at]) => ({ id, at }));
    return known.sort((one, other) => other.at - one.at).slice(0, count);
  }

  clear(): void {
    this.#known.clear();
    this.#pending.clear();
    this.#eventCounts.clear();
    this.#confirmed.clear();
    this.more.begin(undefined);
    this.#views.refreshAll();
    this.all.invalidate();
  }

  /** Events and actions since the snapshot are newer than a page. After the last page, blocks that were on none are dropped. */
  #addPage(blocks: readonly BlockedUser[], next: string | undefined): void {
    this.#options.onPeople(blocks);
    for (const { id, create_time } of blocks.filter(({ id }) => !this.#confirmed.has(id)))
      this.#change(id, () => this.#known.set(id, create_time));
    if (next !== undefined) return;
    const unconfirmed = [...this.#known.keys()].filter((id) => !this.#confirmed.has(id));
    for (const id of unconfirmed) this.#change(id, () => this.#known.delete(id));
  }

  #change(userId: string, change: () => void): void {
    this.#confirmed.add(userId);
    const before = this.has(userId);
    change();
    this.all.invalidate();
    this.#options.persistList();
    const isBlocked = this.has(userId);
    if (isBlocked === before) return;
    this.#views.refresh(userId);
    this.#options.onBlockChange(userId, isBlocked);
  }
}
