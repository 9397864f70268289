import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { lockFolder } from '../db/server-lock.ts';
import { renewEpoch } from '../inbox/epoch.ts';
import { type Context, withDatabase } from './context.ts';
import { UsageError } from './run.ts';

/**
 * `restored`: says that the database was put back from a backup. What devices remember of the time after that backup is void,
 * and they start anew instead of missing what now stands under the same numbers (architecture 4). For when no server runs.
 */
export async function restored(context: Context, args: string[]): Promise<number> {
  if (parseArgs({ args, allowPositionals: true, options: {} }).positionals.length > 0) throw new UsageError();
  const { databaseUrl, dataDir } = readConfig(context.env);
  return withDatabase(context, async (db) => {
    // On PostgreSQL nothing tells a command whether a server runs: one that does goes on with what it has.
    await using _alone = databaseUrl ? null : lockFolder(dataDir);
    context.output.write(`every device starts anew, in epoch ${await renewEpoch(db)}\n`);
    return 0;
  });
}
