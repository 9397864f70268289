import type { Db, Queries } from './db.ts';

/**
 * Called by an operator's command in the transaction that writes, so that a running server reads again what it cached. As the
 * first statement it also keeps other commands waiting until the transaction has ended.
 */
export async function recordExternalChange(tx: Queries): Promise<void> {
  await tx.run`update outside_changes set n = n + 1 where id = 1`;
}

/** How many times commands have written so far. */
export async function countExternalChanges(db: Db): Promise<number> {
  const row = await db.get<{ n: number }>`select n from outside_changes where id = 1`;
  return row?.n ?? 0;
}
