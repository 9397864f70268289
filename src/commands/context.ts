import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Config, readConfig } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import { openLog } from '../log.ts';
import { openDatabase } from '../open-database.ts';

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

/**
 * Runs `work` on the database of the settings, which a running server may use too.
 *
 * @param options.creates whether a missing embedded database is made. Other commands refuse, since a mistyped folder would
 *   look like a service without users
 * @throws {ConfigError} with all invalid settings
 */
export async function withDatabase(
  context: Context,
  work: (db: Db, config: Config) => Promise<number>,
  { creates = false } = {},
): Promise<number> {
  const config = readConfig(context.env);
  const missing = creates ? undefined : findMissingDatabase(config);
  if (missing !== undefined)
    throw new Error(`there is no database in ${missing}: set DATA_DIR, or start the server once`);
  await using db = await openDatabase(config, openLog('warn', context.errors));
  return await work(db, config);
}
