import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import type { Events } from '../events/hints.ts';

const KEPT_MS = 60_000;
/** Some 10 MB. Beyond it the users whose last event is oldest are forgotten. */
const MAX_USERS = 100_000;
/** Users whose events one query looks up. */
const SLICE_USERS = 1_000;

const EVENTS = { user_id: 'text', seq: 'bigint', at: 'bigint' } as const;

interface RecentEvent {
  readonly seq: number;
  readonly at: number;
  readonly notedAtMs: number;
}

/**
 * The last event of each log that this process acknowledged, or heard of from other nodes, within the last minute. After a failover
 * it shows whether the promoted server lacks commits that were answered.
 */
export class RecentEvents {
  readonly #monotonicMs: () => number;
  /** By user, the longest unchanged first. */
  #last = new Map<string, RecentEvent>();

  constructor(events: Events, monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    events.subscribe((event) => {
      if (event.type === 'inbox') this.#note(event.userId, event.event);
    });
  }

  get size(): number {
    return this.#last.size;
  }

  /**
   * Whether one of these events is not in its log. Another node may have written to a log since the promotion: then the number has
   * another event, with another time. An event that is below the head and not kept was trimmed.
   */
  async isOneMissing(tx: Queries): Promise<boolean> {
    const all = [...this.#last].map(([user_id, { seq, at }]) => ({ user_id, seq, at }));
    for (let i = 0; i < all.length; i += SLICE_USERS) {
      const missing = await tx.get<{ seq: number }>`
        select wanted.seq from ${asTable(EVENTS, all.slice(i, i + SLICE_USERS))} as wanted
        left join inbox_heads as heads on heads.user_id = wanted.user_id
        left join inbox on inbox.user_id = wanted.user_id and inbox.seq = wanted.seq
        where heads.seq is null or heads.seq < wanted.seq or inbox.at <> wanted.at
        limit 1`;
      if (missing) return true;
    }
    return false;
  }

  forget(): void {
    this.#last = new Map();
  }

  #note(userId: string, { seq, at }: { readonly seq: number; readonly at: number }): void {
    const known = this.#last.get(userId);
    // Hints of other nodes may come late.
    if (known && known.seq > seq) return;
    const now = this.#monotonicMs();
    this.#last.delete(userId);
    this.#last.set(userId, { seq, at, notedAtMs: now });
    for (const [oldest, { notedAtMs }] of this.#last) {
      if (this.#last.size <= MAX_USERS && now - notedAtMs < KEPT_MS) break;
      this.#last.delete(oldest);
    }
  }
}
