import { BoundedQueue } from '../bounded-queue.ts';

/** How many messages may wait for one recipient. */
const MAX_WAITING = 200;

/**
 * On PostgreSQL, one transaction at a time for each recipient. Messages into one popular inbox wait for its lock anyway;
 * waiting here, they hold no connections meanwhile, and messages to other recipients pass (architecture 5). On SQLite one
 * writer commits them together, so there is nothing to be held back.
 */
export class RecipientTurns {
  readonly #lines = new Map<string, BoundedQueue>();

  /** @throws {ServiceError} `rate-limited`, word `overloaded`, when 200 wait for this recipient; whatever `job` throws */
  async run<T>(recipientId: string, job: () => Promise<T>): Promise<T> {
    let line = this.#lines.get(recipientId);
    if (!line) {
      line = new BoundedQueue({ concurrency: 1, limit: MAX_WAITING });
      this.#lines.set(recipientId, line);
    }
    try {
      return await line.run(job);
    } finally {
      if (line.running === 0) this.#lines.delete(recipientId);
    }
  }
}
