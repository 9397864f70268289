import { readConfig } from '../config/config.ts';
import { lockFolder } from '../db/sqlite/server-lock.ts';
import { renewEpoch } from '../inbox/epoch.ts';
import { type Context, withDatabase } from './context.ts';

/** What else is to be done after a backup was restored. */
export const ERASED_AGAIN =
  'accounts that were erased since the backup are back: `user delete --ids FILE` erases them by the ids of the lines "account erased" of the log\n';

/**
 * `restored`: records that the database was restored from a backup. Positions that devices remember become invalid, so each
 * does a full sync; otherwise it would miss events that now have the numbers of lost ones (architecture 4).
 */
export async function restored(context: Context): Promise<void> {
  const { databaseUrl, dataDir } = readConfig(context.env);
  return withDatabase(context, async (db) => {
    // On PostgreSQL a command cannot know whether a server runs; one that does notices the new epoch.
    await using _lock = databaseUrl ? null : lockFolder(dataDir);
    context.output.write(`every device will start from a new snapshot, in epoch ${await renewEpoch(db)}\n`);
    context.errors.write(ERASED_AGAIN);
  });
}
