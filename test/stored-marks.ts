import type { Queries } from '../src/db/db.ts';
import { statement } from '../src/db/statements.ts';
import { readDataDocument } from './data-document.ts';

/** A text, which is found in any case, or bytes, which are found in bytes alone. */
export type Mark = string | Uint8Array;

/** Every value of every table of docs/data.md, which a test compares with the schema, that is a text or bytes. */
async function* storedValues(db: Queries): AsyncGenerator<{ column: string; value: Mark }> {
  for (const { table } of readDataDocument().tables)
    for (const row of await db.all<Record<string, unknown>>(statement(`select * from "${table}"`)))
      for (const [column, value] of Object.entries(row))
        if (typeof value === 'string' || value instanceof Uint8Array)
          yield { column: `${table}.${column}`, value };
}

/** The columns in which each mark is stored, such as `users.bio`, in the order of their names. Marks that are not stored are left out. */
export async function findMarks(
  db: Queries,
  marks: Iterable<readonly [name: string, mark: Mark]>,
): Promise<Record<string, string[]>> {
  const wanted = [...marks];
  const found = new Map<string, Set<string>>();
  for await (const { column, value } of storedValues(db))
    for (const [name, mark] of wanted)
      if (isIn(mark, value)) found.set(name, (found.get(name) ?? new Set()).add(column));
  return Object.fromEntries(
    wanted.flatMap(([name]) => {
      const columns = found.get(name);
      return columns ? [[name, [...columns].sort()]] : [];
    }),
  );
}

function isIn(mark: Mark, value: Mark): boolean {
  if (typeof value !== 'string') return Buffer.from(value).includes(Buffer.from(mark));
  return typeof mark === 'string' && value.toLowerCase().includes(mark.toLowerCase());
}
