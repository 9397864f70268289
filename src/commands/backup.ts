import { statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfig } from '../config/config.ts';
import { backUpDatabase } from '../db/sqlite/backup.ts';
import { assertDatabase, type Context, openProgress } from './context.ts';
import { toPrintable } from './printable.ts';
import { UsageError } from './run.ts';

/**
 * `backup FILE`: copies the embedded database into a new file, also beside a server. It has everything that was acknowledged before
 * the moment that it prints. On PostgreSQL it names the command that makes a backup, and fails, since it made none.
 */
export async function backup(context: Context, [file]: string[]): Promise<number> {
  if (file === undefined) throw new UsageError();
  const config = readConfig(context.env);
  if (config.databaseUrl !== null) return namePostgresCommand(context, file);
  assertDatabase(config);
  // A server on the same machine comes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const progress = openProgress(context);
  const until = await backUpDatabase(join(config.dataDir, 'doorman.db'), resolve(file), (copied, pages) =>
    progress(() => `copied ${copied} of ${pages} pages`),
  );
  context.output.write(
    `backed up ${statSync(file).size} bytes to ${file}, with everything until ${new Date(until).toISOString()}\n`,
  );
  return 0;
}

function namePostgresCommand({ output, errors }: Context, file: string): number {
  errors.write('nothing was backed up: on PostgreSQL its own tool does it, also beside servers:\n');
  output.write(
    `pg_dump --format=custom --no-owner --no-privileges --file=${quoteWord(file)} "$DATABASE_URL"\n`,
  );
  return 1;
}

/** As a word of a shell; one with control characters as bash and zsh write it. */
export function quoteWord(word: string): string {
  if (toPrintable(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${toPrintable(word.replaceAll(/[\\']/g, '\\$&'))}'`;
}
