import { readFileSync } from 'node:fs';

interface DescribedTable {
  readonly table: string;
  /** The text above its columns: about whom it is, and for how long it is kept. */
  readonly lead: string;
}

interface DescribedColumn {
  readonly table: string;
  readonly column: string;
  readonly holds: string;
  /** What becomes of it when its user is erased. */
  readonly erased: string;
}

/** What docs/data.md says of each table and column. */
export function readDataDocument(): { tables: DescribedTable[]; columns: DescribedColumn[] } {
  const tables: DescribedTable[] = [];
  const columns: DescribedColumn[] = [];
  const sections = readFileSync('docs/data.md', 'utf8').split(/^## /m).slice(1);
  for (const section of sections) {
    const table = /^`(\w+)`\n/.exec(section)?.[1];
    if (table === undefined) continue;
    tables.push({ table, lead: section.split(/^\| column \|/m)[0]?.replaceAll(/\s+/g, ' ') ?? '' });
    for (const [, column = '', holds = '', erased = ''] of section.matchAll(
      /^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm,
    ))
      columns.push({ table, column, holds, erased });
  }
  return { tables, columns };
}
