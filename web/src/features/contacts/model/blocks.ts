import type { BlockedUser, Doorman } from 'doorman-client';
import { KeyedStore } from '../../../data/keyed-store.ts';
import { Pages } from '../../../data/pages.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { SerialQueue } from '../../../data/serial-queue.ts';
import { Derived, type Readable } from '../../../data/store.ts';
import type { BlocksStore } from './stores.ts';
import type { BlockedView } from './views.ts';

interface BlocksOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** A user was blocked or unblocked; what is shown of them changes now. */
  onBlockChange(userId: string, isBlocked: boolean): void;
  persistList(): void;
  onPeople(people: readonly BlockedUser[]): void;
}

/** Whom the user blocks. */
export class Blocks implements BlocksStore {
  readonly all: Derived<readonly BlockedView[]>;
  readonly more: Pages<Awaited<ReturnType<Doorman['api']['blockedPage']>>>;
  readonly #options: BlocksOptions;
  /** By the service's word; when it was, epoch milliseconds. */
  readonly #known = new Map<string, number>();
  /** Blocks that the service has not answered yet: they hold here from the first moment. */
  readonly #wanted = new Map<string, number>();
  /** How often the log told of somebody: what it told later than an answer was asked for is newer. */
  readonly #eventCounts = new Map<string, number>();
  /** Users of whose block a page, the log or an act said something since the last snapshot. */
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
      [...new Map([...this.#known, ...this.#wanted])]
        .map(([id, at]) => ({ id, at: this.#known.get(id) ?? at }))
        .sort((one, other) => other.at - one.at),
    );
  }

  isBlocked(userId: string): Readable<boolean> {
    return this.#views.of(userId);
  }

  has(userId: string): boolean {
    return this.#known.has(userId) || this.#wanted.has(userId);
  }

  async block(userId: string): Promise<void> {
    const { doorman, queue } = this.#options;
    this.#change(userId, () => this.#wanted.set(userId, Date.now()));
    await this.#serial.run(userId, async () => {
      const eventCount = this.#eventCounts.get(userId);
      try {
        const { create_time } = await queue.run(() => doorman.api.block(userId));
        // An `unblock` event that came meanwhile is newer.
        if (this.#eventCounts.get(userId) === eventCount || this.#known.has(userId))
          this.#known.set(userId, create_time);
      } finally {
        this.#change(userId, () => this.#wanted.delete(userId));
      }
    });
  }

  /** The user stays hidden until the service has answered. */
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

  /** The first page. Blocks on later pages stay as they were kept until their page is there. */
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

  /** The latest ones. */
  toPersisted(count: number): BlockedView[] {
    const known = [...this.#known].map(([id, at]) => ({ id, at }));
    return known.sort((one, other) => other.at - one.at).slice(0, count);
  }

  clear(): void {
    this.#known.clear();
    this.#wanted.clear();
    this.#eventCounts.clear();
    this.#confirmed.clear();
    this.more.begin(undefined);
    this.#views.refreshAll();
    this.all.invalidate();
  }

  /** What the log or an act said since the snapshot is newer. Once all pages are there, nothing else that was kept is true. */
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
