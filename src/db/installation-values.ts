import type { Db, Queries } from './db.ts';

/** A small fact about this installation, such as its keys, kept in the table `service`. */
export async function findFact(db: Queries, name: string): Promise<string | undefined> {
  const row = await db.get<{ value: string }>`select value from service where name = ${name}`;
  return row?.value;
}

/** The fact as it stands, or `make()` stored as it: of two processes that start together one makes it, both get it. */
export async function keepFact(db: Db, name: string, make: () => string | Promise<string>): Promise<string> {
  const kept = await findFact(db, name);
  if (kept !== undefined) return kept;
  const made = await make();
  await db.run`insert into service (name, value) values (${name}, ${made}) on conflict (name) do nothing`;
  return (await findFact(db, name)) ?? made;
}

export async function replaceFact(db: Queries, name: string, value: string): Promise<void> {
  await db.run`update service set value = ${value} where name = ${name}`;
}
