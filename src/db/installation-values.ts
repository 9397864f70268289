import type { Queries, Tx } from './db.ts';

/** A value that belongs to this installation, such as its keys, stored in the table `service`. */
export async function getValue(db: Queries, name: string): Promise<string | undefined> {
  const row = await db.get<{ value: string }>`select value from service where name = ${name}`;
  return row?.value;
}

/** The stored value; if there is none, that of `make()` is stored. Two processes that start together get the same value. */
export async function getOrCreateValue(
  db: Queries,
  name: string,
  make: () => string | Promise<string>,
): Promise<string> {
  const stored = await getValue(db, name);
  if (stored !== undefined) return stored;
  const made = await make();
  await storeFirst(db, name, made);
  return (await getValue(db, name)) ?? made;
}

/** Stores the value unless there is one. */
export async function storeFirst(db: Queries, name: string, value: string): Promise<void> {
  await db.run`insert into service (name, value) values (${name}, ${value}) on conflict (name) do nothing`;
}

/** The stored value, which no other transaction changes until this one has ended. */
export async function lockValue(tx: Tx, name: string): Promise<string | undefined> {
  const row = await tx.get<{
    value: string;
  }>`update service set value = value where name = ${name} returning value`;
  return row?.value;
}

export async function replaceValue(db: Queries, name: string, value: string): Promise<void> {
  await db.run`update service set value = ${value} where name = ${name}`;
}
