/** Connections that callers share. */
export interface PoolFigures {
  /** `transactions`, `writes` or `reads`; SQLite has one for everything that writes. */
  readonly name: 'transactions' | 'writes' | 'reads';
  /** How many connections there may be. */
  readonly max: number;
  readonly open: number;
  /** Those of the open ones that work for a caller. */
  readonly used: number;
  readonly waiting: number;
}

/** What a database has counted since it was opened. */
export interface DatabaseFigures {
  /** Commits of this process, each of which waited for the disk. */
  readonly commits: number;
  /** Transactions that were committed; on SQLite several share a commit. */
  readonly transactions: number;
  readonly pools: readonly PoolFigures[];
}
