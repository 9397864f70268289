import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { lockFolder } from '../db/server-lock.ts';
import { renewEpoch } from '../inbox/epoch.ts';
import { type Context, withDatabase } from './context.ts';
import { UsageError } from './run.ts';

/**
 * `restored`: records that the database was restored from a backup. Positions that devices remember from the time after that
 * backup become void, so devices do a full sync instead of missing the events that now have the same numbers (architecture 4).
 * Run it while no server runs.
 */
export async function restored(context: Context, args: string[]): Promise<number> {
  if (parseArgs({ args, allowPositionals: true, options: {} }).positionals.length > 0) throw new UsageError();
  const { databaseUrl, dataDir } = readConfig(context.env);
  return withDatabase(context, async (db) => {
    // On PostgreSQL a command cannot know whether a server runs; a running one goes on with what it remembers.
    await using _alone = databaseUrl ? null : lockFolder(dataDir);
    context.output.write(`every device starts anew, in epoch ${await renewEpoch(db)}\n`);
    return 0;
  });
}
