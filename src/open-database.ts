import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { SchemaDb } from './db/db.ts';
import { migrate } from './db/migrate.ts';
import type { PostgresLock } from './db/postgres/lock.ts';
import { openSqlite } from './db/sqlite/sqlite.ts';

/** Opens the database and migrates it. Locks nothing, so a command may do so beside a server. */
export async function openDatabase(
  config: Config,
  log: Logger,
  lock: PostgresLock | null = null,
): Promise<SchemaDb> {
  const { databaseUrl, dataDir } = config;
  const db = databaseUrl
    ? await (await import('./db/postgres/postgres.ts')).openPostgres({ url: databaseUrl, log, lock })
    : await openSqlite({ folder: dataDir, log });
  try {
    await migrate(db);
    return db;
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}
