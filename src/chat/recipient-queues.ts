import { BoundedQueue } from '../bounded-queue.ts';

/** How many messages may wait for one recipient. */
const MAX_WAITING = 200;

/**
 * On PostgreSQL, messages to one recipient are stored one after the other. They would wait for the lock of the inbox anyway; while
 * they wait here they occupy no connection, so messages to other recipients are not delayed (architecture 5). SQLite needs no
 * such queue: it has one writer, which commits them together.
 */
export class RecipientQueues {
  readonly #queues = new Map<string, BoundedQueue>();

  /** @throws {ServiceError} `rate-limited`, word `overloaded`, when 200 wait for this recipient; and what `job` throws */
  async run<T>(recipientId: string, job: () => Promise<T>): Promise<T> {
    let queue = this.#queues.get(recipientId);
    if (!queue) {
      queue = new BoundedQueue({ concurrency: 1, limit: MAX_WAITING });
      this.#queues.set(recipientId, queue);
    }
    try {
      return await queue.run(job);
    } finally {
      if (queue.running === 0) this.#queues.delete(recipientId);
    }
  }
}
