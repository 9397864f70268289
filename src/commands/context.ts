import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Config, readConfig } from '../config/config.ts';
import { isLoopback } from '../config/fields.ts';
import type { SchemaDb } from '../db/db.ts';
import { openLog } from '../log.ts';
import { openDatabase } from '../open-database.ts';

const PROGRESS_MS = 1_000;

/** The parts of its process that a command of the operator uses. */
export interface Context {
  readonly env: NodeJS.ProcessEnv;
  readonly input: Readable;
  /** The result of the command alone. */
  readonly output: Writable;
  /** Everything else. */
  readonly errors: Writable;
}

/** The folder of the embedded database, if the settings name one and there is no database in it. */
export function findMissingDatabase(config: Config): string | undefined {
  if (config.databaseUrl !== null || existsSync(join(config.dataDir, 'doorman.db'))) return undefined;
  return resolve(config.dataDir);
}

/** @throws {Error} when there is no embedded database where the settings name one */
export function assertDatabase(config: Config, remedy = 'set DATA_DIR'): void {
  const missing = findMissingDatabase(config);
  if (missing !== undefined) throw new Error(`there is no database in ${missing}: ${remedy}`);
}

/** Warns of a link to the page that other machines cannot open. */
export function warnOfLocalLink(publicUrl: string, errors: Writable): void {
  if (isLoopback(new URL(publicUrl).hostname))
    errors.write(`this link works only on this machine: set PUBLIC_URL, which is ${publicUrl} now\n`);
}

/** Writes rows of the same number of columns, each column as wide as its longest text. */
export function writeTable(output: Writable, table: readonly (readonly string[])[]): void {
  const columns = (table[0] ?? []).slice(0, -1);
  const widths = columns.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table)
    output.write(`${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}\n`);
}

/** Writes the progress, a line a second at most. */
export function openProgress({ errors }: Context) {
  let writtenAt = performance.now();
  return (line: () => string) => {
    if (performance.now() - writtenAt < PROGRESS_MS) return;
    writtenAt = performance.now();
    errors.write(`${line()}\n`);
  };
}

/**
 * Runs `work` on the database of the settings, which a running server may use too.
 *
 * @param options.creates whether a missing embedded database is made. Other commands refuse, since a mistyped folder would
 *   look like a service without users
 * @throws {ConfigError} with all invalid settings
 */
export async function withDatabase<T>(
  context: Context,
  work: (db: SchemaDb, config: Config) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  const config = readConfig(context.env);
  if (!creates) assertDatabase(config, 'set DATA_DIR, or start the server once');
  await using db = await openDatabase(config, openLog('warn', context.errors));
  return await work(db, config);
}
