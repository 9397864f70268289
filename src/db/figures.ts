import type { Durations } from '../collections/durations.ts';

/** Connections that callers share. */
export interface PoolFigures {
  /** `transactions`, `writes` or `reads`; SQLite has one for everything that writes. */
  readonly name: 'transactions' | 'writes' | 'reads';
  /** How many connections there may be. */
  readonly max: number;
  readonly open: number;
  /** Open connections that work for a caller. */
  readonly used: number;
  readonly waiting: number;
}

/** Counts of a database since it was opened. */
export interface DatabaseFigures {
  /** Commits of this process, each of which waited for the disk. */
  readonly commits: number;
  /** Transactions that were committed; on SQLite several share a commit. */
  readonly transactions: number;
  readonly pools: readonly PoolFigures[];
  /** By the name that OpenTelemetry gives the database, a space, and the operation; absent unless `measureDb` counts them. */
  readonly durations?: Durations;
}
