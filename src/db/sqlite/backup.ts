import { existsSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { makePrivateDatabaseFile, removeDatabase } from './files.ts';

/** A megabyte: a step takes a millisecond or two of a thread. */
const PAGES_PER_STEP = 256;

/**
 * Copies the database `source`, which servers may be writing, to the new file `target`, without keeping any of them waiting
 * (decision 026). The copy is one file without a log beside it, readable by its owner alone, and is on the disk. One that fails
 * leaves no `target`.
 *
 * @returns epoch milliseconds: the copy has everything that was committed before
 * @throws {Error} when `target` exists, or the copy is damaged ({@link verifyDatabase})
 */
export async function backUpDatabase(
  source: string,
  target: string,
  onProgress: (copied: number, pages: number) => void,
): Promise<number> {
  assertNew(target);
  const partial = `${target}.partial`;
  removeDatabase(partial);
  try {
    const until = await copyDatabase(source, partial, onProgress);
    verifyDatabase(partial);
    await moveDatabase(partial, target);
    return until;
  } finally {
    removeDatabase(partial);
  }
}

/**
 * Copies a database with its log to one file, which is new or empty. The read transaction keeps the pages as they are: without it, each write
 * of another process makes SQLite begin the copy again.
 *
 * @returns as {@link backUpDatabase}
 */
export async function copyDatabase(
  source: string,
  target: string,
  onProgress: (copied: number, pages: number) => void,
): Promise<number> {
  makePrivateDatabaseFile(target);
  using db = new DatabaseSync(source, { readOnly: true });
  const until = Date.now();
  db.exec('begin');
  db.prepare('select count(*) from sqlite_schema').get();
  await backup(db, target, {
    rate: PAGES_PER_STEP,
    progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
  });
  using copy = new DatabaseSync(target);
  copy.exec('pragma synchronous = full; pragma journal_mode = delete');
  return until;
}

/**
 * Moves a closed database without a log to `target`, and returns when that is on the disk.
 *
 * @throws {Error} when `target` exists
 */
export async function moveDatabase(from: string, target: string): Promise<void> {
  await synchronize(from);
  assertNew(target);
  await rename(from, target);
  await synchronize(dirname(target));
}

/**
 * Reads the whole file.
 *
 * @throws {Error} when it is no undamaged database of Doorman, or rows refer to missing ones
 */
export function verifyDatabase(file: string): void {
  using db = new DatabaseSync(file, { readOnly: true });
  const [damage] = db.prepare('pragma quick_check(1)').all();
  if (damage?.quick_check !== 'ok') throw new Error(`the database is damaged: ${damage?.quick_check}`);
  if (!db.prepare("select 1 from sqlite_schema where name = 'migrations'").get())
    throw new Error('it is no database of Doorman');
  const orphan = db.prepare('pragma foreign_key_check').get();
  if (orphan)
    throw new Error(
      `the database is damaged: row ${orphan.rowid} of ${orphan.table} refers to a missing row of ${orphan.parent}`,
    );
}

function assertNew(file: string): void {
  if (existsSync(file)) throw new Error(`${file} exists already: name a new file`);
}

/** @param path of a file or a folder */
async function synchronize(path: string): Promise<void> {
  await using file = await open(path);
  await file.sync();
}
