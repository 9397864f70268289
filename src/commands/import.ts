import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openPasswords } from '../accounts/passwords.ts';
import { readConfig } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import { type Context, findMissingDatabase, withDatabase } from './context.ts';
import { UsageError } from './run.ts';
import { type Destination, type Entry, importBatch, type LineResult } from './users-file/import-batch.ts';
import { readLines, toBatches } from './users-file/jsonl.ts';
import { TakenNames } from './users-file/taken-names.ts';
import { findTakenNames } from './users-file/user-export.ts';
import { MAX_LINE_BYTES, readUserLine } from './users-file/user-line.ts';

/** Lines in one batch: some milliseconds of writing, so that a running server is not held up. */
const BATCH_LINES = 200;
/**
 * Between batches. A server that waits to write to the embedded database tries every 5 ms: without a pause its answers
 * take four times as long while an import runs.
 */
const PAUSE_MS = 6;
const PROGRESS_MS = 1_000;

/**
 * `import FILE.jsonl [--dry-run]`: stores users, one on each line; `-` is standard input. Users who exist stay unchanged, so
 * the same command continues an interrupted import. Refused lines are reported; with any of them the exit code is 1.
 */
export async function importUsers(context: Context, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false } },
  });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError();
  const config = readConfig(context.env);
  await using handle = file === '-' ? undefined : await open(file);
  const input = handle?.createReadStream() ?? context.input;

  // Each is awaited here, since `using` closes the file when this function returns.
  if (values['dry-run']) {
    using seen = new TakenNames();
    if (findMissingDatabase(config) !== undefined)
      return await importAll(context, input, dryDestination(undefined, seen));
    return await withDatabase(context, (db) => importAll(context, input, dryDestination(db, seen)));
  }
  const passwords = openPasswords({ cost: config.bcryptCost });
  const work = (db: Db) =>
    importAll(context, input, { db, passwords, findTakenNames: (keys) => findTakenNames(db, keys) });
  return await withDatabase(context, work, { creates: true });
}

/** Stores nothing; `seen` has the names that earlier lines took. */
function dryDestination(db: Db | undefined, seen: TakenNames): Destination {
  return {
    findTakenNames: async (keys) =>
      new Map([...seen.find(keys), ...(db ? await findTakenNames(db, keys) : [])]),
    take: (names) => seen.add(names),
  };
}

async function importAll(
  context: Context,
  input: AsyncIterable<Buffer>,
  destination: Destination,
): Promise<number> {
  const counts: Record<LineResult['kind'], number> = { imported: 0, present: 0, refused: 0 };
  const summary = () =>
    `imported ${counts.imported}, already there ${counts.present}, refused ${counts.refused}`;
  let reportedAt = performance.now();
  for await (const lines of toBatches(readLines(input, MAX_LINE_BYTES), BATCH_LINES)) {
    const entries: Entry[] = lines.map(({ number, bytes }) => ({ line: number, read: readUserLine(bytes) }));
    for (const result of await importBatch(destination, entries)) {
      counts[result.kind]++;
      if (result.kind === 'refused') context.errors.write(`line ${result.line}: ${result.reason}\n`);
    }
    if ('db' in destination) await delay(PAUSE_MS);
    if (performance.now() - reportedAt < PROGRESS_MS) continue;
    reportedAt = performance.now();
    context.errors.write(`up to line ${lines.at(-1)?.number}: ${summary()}\n`);
  }
  context.output.write(
    'take' in destination ? `dry run, nothing was written; would be: ${summary()}\n` : `${summary()}\n`,
  );
  return counts.refused > 0 ? 1 : 0;
}
