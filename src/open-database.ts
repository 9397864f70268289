import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { SchemaDb } from './db/db.ts';
import { migrate } from './db/migrate.ts';
import type { PostgresLock } from './db/postgres/lock.ts';
import { openSqlite } from './db/sqlite/sqlite.ts';

/**
 * Opens the database and migrates it. Locks nothing, so a command may do so beside a server.
 *
 * @param lock of a server that starts on PostgreSQL, which has 30 s to get its first connections; a command tries once
 */
export async function openDatabase(
  config: Config,
  log: Logger,
  lock: PostgresLock | null = null,
): Promise<SchemaDb> {
  const { databaseUrl, dataDir } = config;
  const db = databaseUrl
    ? await openServer(databaseUrl, log, lock)
    : await openSqlite({ folder: dataDir, log });
  try {
    await migrate(db);
    return db;
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

async function openServer(url: string, log: Logger, lock: PostgresLock | null): Promise<SchemaDb> {
  const { openPostgres, START_MS } = await import('./db/postgres/postgres.ts');
  return openPostgres({ url, log, lock, ...(lock && { startMs: START_MS }) });
}
