import { checkDatabase } from '../src/commands/checks/database-checks.ts';
import { openPostgres } from '../src/db/postgres/postgres.ts';
import { openSqlite } from '../src/db/sqlite/sqlite.ts';
import { type Ended, runCommand } from './commands.ts';
import type { DatabaseSettings } from './databases.ts';

export function openOf(settings: DatabaseSettings) {
  return 'dataDir' in settings
    ? openSqlite({ folder: settings.dataDir })
    : openPostgres({ url: settings.databaseUrl });
}

/** Objects as lines of JSON. */
export function toLines(...objects: readonly object[]): string {
  return objects.map((object) => `${JSON.stringify(object)}\n`).join('');
}

/** Runs `import` to its end; the errors without progress lines, whose number depends on the machine. */
export async function runImport(
  settings: Record<string, string>,
  input: string,
  ...options: string[]
): Promise<Ended> {
  const ended = await runCommand(settings, ['import', ...options, '-'], input);
  return { ...ended, errors: ended.errors.replace(/^up to line .*\n/gm, '') };
}

/** What `check` finds in the rows of a database, a sentence each. */
export async function findFaults(settings: DatabaseSettings): Promise<string[]> {
  await using db = await openOf(settings);
  const faults: string[] = [];
  for await (const finding of checkDatabase(db))
    faults.push(...finding.faults.map((fault) => `${finding.subject}: ${fault}`));
  return faults;
}
