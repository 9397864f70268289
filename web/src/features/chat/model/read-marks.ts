import { type Doorman, DoormanError, type MarkedEvent } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { type Conversation, withOwnRead } from './conversations.ts';
import { correctCount, isEstimate } from './unread.ts';

/** Longer ranges are not counted. */
const PAGE = 100;

interface ReadMarksOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  conversation(peer: string): Conversation;
  /** Takes a conversation whose count has changed. */
  change(one: Conversation): void;
}

/** How far the user has read, on this device and on others. */
export class ReadMarks {
  readonly #options: ReadMarksOptions;
  /** Those that the service has not confirmed. */
  readonly #pending = new Map<string, number>();

  constructor(options: ReadMarksOptions) {
    this.#options = options;
  }

  /** The user has read up to `n`; it counts at once. */
  mark(peer: string, n: number): void {
    const { doorman, conversation, change } = this.#options;
    this.#pending.set(peer, Math.max(n, this.#pending.get(peer) ?? 0));
    doorman.markRead(peer, n);
    change(withOwnRead(conversation(peer), n));
  }

  /** Takes the user's own mark, of any device. @param before the conversation before it */
  onMark({ peer, read }: MarkedEvent, before: Conversation): void {
    if (read >= (this.#pending.get(peer) ?? 0)) this.#pending.delete(peer);
    if (isEstimate(before.counter, read)) void this.#correctCount(peer, read);
  }

  onSnapshot(isOtherDatabase: boolean): void {
    if (isOtherDatabase) this.#pending.clear();
    const { conversation, change } = this.#options;
    for (const [peer, read] of this.#pending) {
      const one = conversation(peer);
      if (read <= one.counter.read) this.#pending.delete(peer);
      else change(withOwnRead(one, read));
    }
  }

  /** Sent again: the service may not have got them before the page was closed. */
  restore(marks: Iterable<readonly [peer: string, n: number]>): void {
    for (const [peer, n] of marks) this.mark(peer, n);
  }

  toPersisted(): [peer: string, n: number][] {
    return [...this.#pending];
  }

  clear(): void {
    this.#pending.clear();
  }

  /** The user's own messages are among the unread ones, so the mark alone does not say how many of them are the peer's. */
  async #correctCount(peer: string, read: number): Promise<void> {
    const { conversation, change } = this.#options;
    const count = await this.#count(peer, read, conversation(peer).counter.countedTo);
    if (count === undefined) return;
    const now = conversation(peer);
    change({ ...now, counter: correctCount(now.counter, read, count) });
  }

  /**
   * Counts the peer's messages after `read` up to `countedTo` in the history.
   *
   * @returns `undefined` for ranges longer than a page, or after an error
   */
  async #count(peer: string, read: number, countedTo: number): Promise<number | undefined> {
    const { doorman, queue } = this.#options;
    try {
      const { items, more } = await queue.run(() => doorman.api.history({ peer, after: read, limit: PAGE }), {
        isBackground: true,
      });
      if (more && (items.at(-1)?.n ?? 0) < countedTo) return undefined;
      return items.filter(({ from, n, unsentAt }) => from === peer && n <= countedTo && !unsentAt).length;
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      return undefined;
    }
  }
}
