import { open } from 'node:fs/promises';
import { openPasswords } from '../accounts/passwords.ts';
import { readConfig } from '../config/config.ts';
import type { SchemaDb } from '../db/db.ts';
import { type Context, findMissingDatabase, openProgress, withDatabase } from './context.ts';
import { type Options, UsageError } from './run.ts';
import { expectHashing, WeakForms } from './users-file/hashing.ts';
import { Importer, type LineResult } from './users-file/importer.ts';
import { readLines, toBatches } from './users-file/jsonl.ts';
import { type ImportLine, MAX_LINE_BYTES, readImportLine } from './users-file/line.ts';
import { nothingTaken } from './users-file/taken.ts';

/**
 * `import FILE.jsonl [--dry-run]`: stores users, friendships, blocks and messages, one on each line; `-` is standard input. What is
 * there already stays unchanged, so the same command continues an interrupted import. Refused lines are reported; with any of them the
 * exit code is 1.
 */
export async function importFile(context: Context, [file]: string[], options: Options): Promise<number> {
  if (file === undefined) throw new UsageError();
  const config = readConfig(context.env);
  await using handle = file === '-' ? undefined : await open(file);
  const input = handle?.createReadStream() ?? context.input;

  const seen = options['dry-run'] ? nothingTaken() : null;
  const passwords = openPasswords({ cost: config.bcryptCost });
  const expected = handle && (await expectHashing(handle, passwords));
  if (expected !== undefined) context.errors.write(`${expected}\n`);
  const weak = new WeakForms(config.bcryptCost);
  const work = async (db: SchemaDb | null) => {
    await using importer = new Importer(config, context, { db, passwords, seen });
    return await importAll(context, input, importer, weak, seen !== null);
  };
  // Each is awaited here, since `using` closes the file when this function returns.
  if (seen && findMissingDatabase(config) !== undefined) return await work(null);
  return await withDatabase(context, work, { creates: seen === null });
}

async function importAll(
  context: Context,
  input: AsyncIterable<Buffer>,
  importer: Importer,
  weak: WeakForms,
  isDry: boolean,
): Promise<number> {
  const counts: Record<LineResult['kind'], number> = { imported: 0, present: 0, refused: 0, erased: 0 };
  const summary = () =>
    `imported ${counts.imported}, already there ${counts.present}, refused ${counts.refused}${counts.erased > 0 ? `, erased users left out ${counts.erased}` : ''}`;
  const progress = openProgress(context);
  const fits = (batch: readonly ImportLine[], next: ImportLine) => importer.fits(batch.at(-1) ?? next, next);
  for await (const lines of toBatches(readImportLines(input), fits)) {
    const results = await importer.store(lines);
    for (const [at, result] of results.entries()) {
      counts[result.kind]++;
      const content = lines[at]?.content;
      if (result.kind === 'imported' && content && 'passwordHash' in content) weak.add(content.passwordHash);
      if (result.kind === 'refused') context.errors.write(`line ${result.line}: ${result.reason}\n`);
    }
    progress(() => `up to line ${lines.at(-1)?.number}: ${summary()}`);
  }
  context.output.write(isDry ? `dry run, nothing was written; would be: ${summary()}\n` : `${summary()}\n`);
  if (`${weak}` !== '') context.output.write(`weak hashes, which the users' next login replaces: ${weak}\n`);
  return counts.refused > 0 ? 1 : 0;
}

async function* readImportLines(input: AsyncIterable<Buffer>): AsyncGenerator<ImportLine, void> {
  for await (const line of readLines(input, MAX_LINE_BYTES)) yield readImportLine(line);
}
