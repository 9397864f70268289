/** A job that waits for its push service or is in flight. */
interface QueuedJob {
  readonly origin: string;
}

interface OriginQueue<J extends QueuedJob> {
  readonly origin: string;
  readonly waiting: J[];
  inFlight: number;
  /** How many requests in flight it may have; doubles with every answer up to {@link MAX_AT_ONCE}, halves without one. */
  limit: number;
  /** Moving average of the time of a request; `undefined` before the first has ended. */
  latencyMs: number | undefined;
  /** When the last job that found the queue full may be claimed again, epoch milliseconds. */
  nextRetryAt: number;
  /** Devices that the push service rejected lately, and when; monotonic milliseconds, as the end of its pause. */
  readonly rejected: Map<string, number>;
  pausedUntilMs: number;
}

type Kind = 'probationary' | 'established';

/** Requests in flight to one push service. */
const MAX_AT_ONCE = 16;
/** Requests in flight to a push service that is not known to answer. */
const PROBATIONARY_AT_ONCE = 2;
/** Requests in flight to all push services that are not known to answer, and to all others. */
const MAX_IN_FLIGHT = { probationary: 64, established: 128 };
/** A queue holds as many jobs as it can start within this time, or a fixed number per slot while its latency is unknown. */
const WAITING_MS = 20_000;
const WAITING_PER_SLOT = { least: 2, unknown: 16 };
const MAX_WAITING_IN_QUEUE = 1_024;
const MAX_WAITING_PROBATIONARY = 512;
const MAX_WAITING = 4_096;
const SHARE_OF_LAST_LATENCY = 0.2;
/** For a queue whose latency is not known yet. */
const UNKNOWN_LATENCY_MS = 250;
const LONGEST_RETRY_MS = 60_000;
const MAX_REMEMBERED = 1_000;
/** As many devices rejected within {@link REJECTED_WITHIN_MS} mean that the push service rejects us, not them (architecture 8.4). */
const REJECTED_DEVICES = 3;
const REJECTED_WITHIN_MS = 10 * 60_000;
const PAUSE_MS = 10 * 60_000;

/**
 * Decides which job is sent next. Each push service has a queue of its own, and the queues are served round-robin, so a push service
 * that hangs, or gets many pushes, delays only its own. Any client can name a push service. So one that has not answered yet, or
 * did not answer several times, is probationary: it gets few requests, and all of these together get only a part of the capacity.
 */
export class OriginQueues<J extends QueuedJob> {
  /** In the order of their last use. */
  readonly #queues = new Map<string, OriginQueue<J>>();
  /** The queues with waiting jobs, in the order in which they are served. */
  readonly #ready = new Set<OriginQueue<J>>();

  get waiting(): number {
    return countWaiting(this.#ready.values());
  }

  get isEmpty(): boolean {
    return this.#ready.size === 0 && this.#queues.values().every(({ inFlight }) => inFlight === 0);
  }

  /** Adds a job to the queue of its origin. @returns false if the queue is full */
  offer(job: J): boolean {
    const queue = this.#queueOf(job.origin);
    if (queue.waiting.length >= capacityOf(queue) || this.waiting >= MAX_WAITING) return false;
    if (kindOf(queue) === 'probationary') {
      const others = this.#ready.values().filter((other) => kindOf(other) === 'probationary');
      if (countWaiting(others) >= MAX_WAITING_PROBATIONARY) return false;
    }
    queue.waiting.push(job);
    this.#ready.add(queue);
    return true;
  }

  /**
   * When a job that found its queue full may be offered again, epoch milliseconds: about the time at which it would be sent, so that a
   * thousand jobs for a slow push service are not offered again and again.
   */
  retryAt(origin: string, now: number): number {
    const queue = this.#queueOf(origin);
    if (queue.latencyMs === undefined) return now + UNKNOWN_LATENCY_MS;
    const at = Math.max(now, queue.nextRetryAt) + queue.latencyMs / queue.limit;
    queue.nextRetryAt = Math.min(at, now + LONGEST_RETRY_MS);
    return Math.ceil(queue.nextRetryAt);
  }

  /** Takes up to `max` jobs that may be sent now; each is in flight until {@link end}. */
  start(max: number): J[] {
    if (this.#ready.size === 0) return [];
    const inFlight = { probationary: 0, established: 0 };
    for (const queue of this.#queues.values()) inFlight[kindOf(queue)] += queue.inFlight;
    const started: J[] = [];
    let skipped = 0;
    for (const queue of this.#ready) {
      if (started.length >= max || skipped >= this.#ready.size) break;
      this.#ready.delete(queue);
      const kind = kindOf(queue);
      const mayStart = queue.inFlight < queue.limit && inFlight[kind] < MAX_IN_FLIGHT[kind];
      const job = mayStart ? queue.waiting.shift() : undefined;
      if (job) {
        queue.inFlight += 1;
        inFlight[kind] += 1;
        started.push(job);
        skipped = 0;
      } else skipped += 1;
      if (queue.waiting.length > 0) this.#ready.add(queue);
    }
    return started;
  }

  /** @param attempt how long the request took, and whether it was answered; null if none was sent */
  end(job: J, attempt: { ms: number; isAnswered: boolean } | null): void {
    const queue = this.#queueOf(job.origin);
    queue.inFlight -= 1;
    if (attempt === null) return;
    const { ms, isAnswered } = attempt;
    queue.latencyMs =
      queue.latencyMs === undefined ? ms : queue.latencyMs + (ms - queue.latencyMs) * SHARE_OF_LAST_LATENCY;
    queue.limit = isAnswered ? Math.min(MAX_AT_ONCE, queue.limit * 2) : Math.max(1, queue.limit / 2);
  }

  /**
   * The circuit breaker: records that a push was answered 401 or 403, for example as the push service rejects our VAPID key; several devices pause it. Only
   * confirmed devices with an earlier success are passed, so invented subscriptions cannot pause a push service.
   *
   * @param nowMs monotonic milliseconds, so that setting the wall clock has no effect
   */
  reject(origin: string, subscriptionId: string, nowMs: number): void {
    const queue = this.#queueOf(origin);
    for (const [id, at] of queue.rejected) if (at <= nowMs - REJECTED_WITHIN_MS) queue.rejected.delete(id);
    queue.rejected.set(subscriptionId, nowMs);
    if (queue.rejected.size < REJECTED_DEVICES) return;
    queue.pausedUntilMs = nowMs + PAUSE_MS;
    queue.rejected.clear();
  }

  /** How long the push service is still paused, in milliseconds; 0 if it is not. */
  pausedForMs(origin: string, nowMs: number): number {
    return Math.max(0, this.#queueOf(origin).pausedUntilMs - nowMs);
  }

  /** Removes and returns all waiting jobs. */
  clear(): J[] {
    const left = [...this.#queues.values()].flatMap((queue) => queue.waiting.splice(0));
    this.#ready.clear();
    return left;
  }

  #queueOf(origin: string): OriginQueue<J> {
    const known = this.#queues.get(origin);
    if (known) {
      this.#queues.delete(origin);
      this.#queues.set(origin, known);
      return known;
    }
    const queue: OriginQueue<J> = {
      origin,
      waiting: [],
      inFlight: 0,
      limit: PROBATIONARY_AT_ONCE,
      latencyMs: undefined,
      nextRetryAt: 0,
      rejected: new Map(),
      pausedUntilMs: 0,
    };
    if (this.#queues.size >= MAX_REMEMBERED) this.#forgetOldest();
    this.#queues.set(origin, queue);
    return queue;
  }

  /** Drops an idle probationary queue first, so that invented origins do not displace established ones. */
  #forgetOldest(): void {
    const idle = [...this.#queues.values()].filter((queue) => queue.inFlight + queue.waiting.length === 0);
    const oldest = idle.find((queue) => kindOf(queue) === 'probationary') ?? idle[0];
    if (oldest) this.#queues.delete(oldest.origin);
  }
}

function capacityOf({ limit, latencyMs }: { limit: number; latencyMs: number | undefined }): number {
  if (latencyMs === undefined) return limit * WAITING_PER_SLOT.unknown;
  const inTime = Math.floor((limit * WAITING_MS) / Math.max(latencyMs, 1));
  return Math.min(Math.max(inTime, limit * WAITING_PER_SLOT.least), MAX_WAITING_IN_QUEUE);
}

function countWaiting(queues: IteratorObject<{ readonly waiting: readonly unknown[] }>): number {
  return queues.reduce((sum, { waiting }) => sum + waiting.length, 0);
}

function kindOf(queue: { limit: number }): Kind {
  return queue.limit <= PROBATIONARY_AT_ONCE ? 'probationary' : 'established';
}
