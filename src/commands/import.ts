import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { openPasswords } from '../accounts/passwords.ts';
import { readConfig } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import { type Context, findMissingDatabase, openProgress, withDatabase } from './context.ts';
import { type Options, UsageError } from './run.ts';
import { type Destination, importBatch, type LineResult } from './users-file/import-batch.ts';
import { readLines, toBatches } from './users-file/jsonl.ts';
import { MAX_LINE_BYTES } from './users-file/user-line.ts';

/** Lines in one batch: some milliseconds of writing, so that a running server is not held up. */
const BATCH_LINES = 200;
/**
 * Between batches. A server that waits to write to the embedded database tries every 5 ms: without a pause its answers
 * take four times as long while an import runs.
 */
const PAUSE_MS = 6;

/**
 * `import FILE.jsonl [--dry-run]`: stores users, one on each line; `-` is standard input. Users who exist stay unchanged, so
 * the same command continues an interrupted import. Refused lines are reported; with any of them the exit code is 1.
 */
export async function importUsers(context: Context, [file]: string[], options: Options): Promise<number> {
  if (file === undefined) throw new UsageError();
  const config = readConfig(context.env);
  await using handle = file === '-' ? undefined : await open(file);
  const input = handle?.createReadStream() ?? context.input;

  const seen = options['dry-run'] ? new Map<string, string>() : null;
  const passwords = openPasswords({ cost: config.bcryptCost });
  const work = (db: Db | null) => importAll(context, input, { db, passwords, seen });
  // Each is awaited here, since `using` closes the file when this function returns.
  if (seen && findMissingDatabase(config) !== undefined) return await work(null);
  return await withDatabase(context, work, { creates: seen === null });
}

async function importAll(
  context: Context,
  input: AsyncIterable<Buffer>,
  destination: Destination,
): Promise<number> {
  const isDry = destination.seen !== null;
  const counts: Record<LineResult['kind'], number> = { imported: 0, present: 0, refused: 0 };
  const summary = () =>
    `imported ${counts.imported}, already there ${counts.present}, refused ${counts.refused}`;
  const progress = openProgress(context);
  for await (const lines of toBatches(readLines(input, MAX_LINE_BYTES), BATCH_LINES)) {
    for (const result of await importBatch(destination, lines)) {
      counts[result.kind]++;
      if (result.kind === 'refused') context.errors.write(`line ${result.line}: ${result.reason}\n`);
    }
    if (!isDry) await delay(PAUSE_MS);
    progress(() => `up to line ${lines.at(-1)?.number}: ${summary()}`);
  }
  context.output.write(isDry ? `dry run, nothing was written; would be: ${summary()}\n` : `${summary()}\n`);
  return counts.refused > 0 ? 1 : 0;
}
