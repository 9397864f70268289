import type { Db, Queries } from './db.ts';

/**
 * A command of the operator calls it in the transaction that writes, so that a server beside it notices. Called first,
 * it also keeps two commands from changing the same thing at once.
 */
export async function noteOutsideChange(tx: Queries): Promise<void> {
  await tx.run`update outside_changes set n = n + 1 where id = 1`;
}

/** How often commands wrote so far. */
export async function countOutsideChanges(db: Db): Promise<number> {
  const row = await db.get<{ n: number }>`select n from outside_changes where id = 1`;
  return row?.n ?? 0;
}
