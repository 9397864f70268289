import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseSettings } from './databases.ts';
import { connectPostgres } from './postgres-client.ts';

/**
 * Locks what a write to the user's inbox needs, as a transaction of another process does: on PostgreSQL the inbox, on SQLite the
 * database. Disposing it rolls back.
 */
export async function lockElsewhere(settings: DatabaseSettings, userId: string): Promise<AsyncDisposable> {
  if ('dataDir' in settings) {
    const file = new DatabaseSync(join(settings.dataDir, 'doorman.db'));
    file.exec('begin immediate');
    return { [Symbol.asyncDispose]: async () => file.close() };
  }
  const sql = await connectPostgres(settings.databaseUrl);
  await sql.rows(`begin; select seq from inbox_heads where user_id = '${userId}' for update`);
  return sql;
}

/** How many sessions of the database wait for a lock. */
export async function countLockWaits(settings: DatabaseSettings): Promise<number> {
  if ('dataDir' in settings) throw new Error('no PostgreSQL');
  await using sql = await connectPostgres(settings.databaseUrl);
  const rows = await sql.rows(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}
