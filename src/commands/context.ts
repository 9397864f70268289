import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Config, readConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { openLog } from '../log.ts';
import { openDatabase } from '../services.ts';

/** What a command of the operator has of the process it runs in. */
export interface Context {
  readonly env: NodeJS.ProcessEnv;
  readonly input: Readable;
  /** What the command was asked for, and nothing else. */
  readonly output: Writable;
  /** Everything else. */
  readonly errors: Writable;
}

/** Where the embedded database would be, if the settings name one and it was never made. */
export function findMissingDatabase(config: Config): string | undefined {
  if (config.databaseUrl !== null || existsSync(join(config.dataDir, 'doorman.db'))) return undefined;
  return resolve(config.dataDir);
}

/**
 * Runs `work` on the database of the settings, beside whatever server uses it.
 *
 * @throws {ConfigError} with all wrong settings
 * @throws {Error} when there is no embedded database yet, unless the command `mayMake` it: a mistyped folder would
 *   otherwise look like a service without users
 */
export async function withDatabase(
  context: Context,
  work: (db: Db, config: Config) => Promise<number>,
  { mayMake = false } = {},
): Promise<number> {
  const config = readConfig(context.env);
  const missing = mayMake ? undefined : findMissingDatabase(config);
  if (missing !== undefined)
    throw new Error(`there is no database in ${missing}: set DATA_DIR, or start the server once`);
  await using db = await openDatabase(config, openLog('warn', context.errors));
  return await work(db, config);
}
