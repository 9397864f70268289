import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';

const WARN_MS = 60_000;

/**
 * Why a message was dropped: no node of this installation and version wrote it for this channel; its sender's counter was higher
 * already; it is older than 15 s, or ahead by as much; or its data has another shape than its type.
 */
type DropReason = 'unverified' | 'repeated' | 'outdated' | 'malformed';

/** Counts the messages on Redis that this node did not take, with one warning a minute. */
export class DroppedMessages {
  /** Since the start. */
  readonly totals: Record<DropReason, number> = { unverified: 0, repeated: 0, outdated: 0, malformed: 0 };
  readonly #log: Pick<Logger, 'warn'>;
  readonly #monotonicMs: () => number;
  #reported = { ...this.totals };
  #warnsAgainAt = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<Logger, 'warn'>, { monotonicMs }: Pick<Clock, 'monotonicMs'>) {
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  count(reason: DropReason): undefined {
    this.totals[reason]++;
    const now = this.#monotonicMs();
    if (now < this.#warnsAgainAt) return;
    this.#warnsAgainAt = now + WARN_MS;
    const dropped = Object.fromEntries(
      Object.entries(this.totals).map(([name, total]) => [name, total - this.#reported[name as DropReason]]),
    );
    this.#reported = { ...this.totals };
    this.#log.warn({ dropped }, 'messages on Redis were dropped');
  }
}
