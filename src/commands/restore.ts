import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, readConfig } from '../config/config.ts';
import { copyDatabase, moveDatabase, verifyDatabase } from '../db/sqlite/backup.ts';
import { lockFolder } from '../db/sqlite/server-lock.ts';
import { renewEpoch } from '../inbox/epoch.ts';
import { openLog } from '../log.ts';
import { openDatabase } from '../open-database.ts';
import { quoteWord } from './backup.ts';
import { type Context, findMissingDatabase } from './context.ts';
import { ERASED_AGAIN } from './restored.ts';
import { UsageError } from './run.ts';

/** The folder, inside the data folder, in which a backup becomes the database. */
const WORK_FOLDER = 'restoring';

/**
 * `restore FILE`: makes the database of a folder without one from a backup, in a new epoch, so that every device starts from a new
 * snapshot (architecture 4). It is there as a whole or not at all. On PostgreSQL it names the commands that restore a backup, and
 * fails, since it restored none.
 */
export async function restore(context: Context, [file]: string[]): Promise<number> {
  if (file === undefined) throw new UsageError();
  const config = readConfig(context.env);
  if (config.databaseUrl !== null) return namePostgresCommands(context, file);
  await using _lock = lockFolder(config.dataDir);
  if (findMissingDatabase(config) === undefined)
    throw new Error(
      `there is a database in ${resolve(config.dataDir)} already: set another DATA_DIR, or move it away`,
    );
  if (!existsSync(file)) throw new Error(`there is no file ${resolve(file)}`);
  const epoch = await makeDatabase(context, config, resolve(file));
  context.output.write(`restored ${file}; every device will start from a new snapshot, in epoch ${epoch}\n`);
  context.errors.write(ERASED_AGAIN);
  return 0;
}

/** The epoch is new before the server can find the database, whenever this process ends. */
async function makeDatabase(context: Context, config: Config, file: string): Promise<string> {
  const work = { ...config, dataDir: join(config.dataDir, WORK_FOLDER) };
  const made = join(work.dataDir, 'doorman.db');
  rmSync(work.dataDir, { recursive: true, force: true });
  try {
    let epoch: string;
    {
      mkdirSync(work.dataDir, { recursive: true, mode: 0o700 });
      await copyDatabase(file, made, () => {});
      verifyDatabase(made);
      await using db = await openDatabase(work, openLog('warn', context.errors));
      epoch = await renewEpoch(db);
    }
    await moveDatabase(made, join(config.dataDir, 'doorman.db'));
    return epoch;
  } finally {
    rmSync(work.dataDir, { recursive: true, force: true });
  }
}

function namePostgresCommands({ output, errors }: Context, file: string): number {
  errors.write(
    'nothing was restored: on PostgreSQL its own tool does it, while no server runs, in an empty database:\n',
  );
  output.write(
    `pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --dbname="$DATABASE_URL" ${quoteWord(file)}\n`,
  );
  errors.write('then this, before a server starts, which makes every device start from a new snapshot:\n');
  output.write('npm run --silent doorman -- restored\n');
  return 1;
}
