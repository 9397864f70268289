import { existsSync, rmSync } from 'node:fs';
import { copyFile, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { makePrivateDatabaseFile } from '../private-files.ts';

/** A megabyte: a step takes a millisecond or two of a thread. */
const PAGES_PER_STEP = 256;
/** Format and salts, which change whenever the log begins again (sqlite.org/fileformat2.html, 4.1). */
const LOG_HEADER_BYTES = 32;

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
 * Copies a database with its log to one file, which is new or empty.
 *
 * @returns as {@link backUpDatabase}
 */
export async function copyDatabase(
  source: string,
  target: string,
  onProgress: (copied: number, pages: number) => void,
): Promise<number> {
  makePrivateDatabaseFile(target);
  const until = await copyWithLog(source, target, onProgress);
  applyLog(target);
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
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const [damage] = db.prepare('pragma quick_check(1)').all();
    if (damage?.quick_check !== 'ok') throw new Error(`the database is damaged: ${damage?.quick_check}`);
    if (!db.prepare("select 1 from sqlite_schema where name = 'migrations'").get())
      throw new Error('it is no database of Doorman');
    const orphan = db.prepare('pragma foreign_key_check').get();
    if (orphan)
      throw new Error(
        `the database is damaged: row ${orphan.rowid} of ${orphan.table} refers to a missing row of ${orphan.parent}`,
      );
  } finally {
    db.close();
  }
}

/** Removes a database with the files that SQLite makes beside it. */
function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}

/**
 * The read transaction keeps the pages as they are, so no write makes SQLite begin the copy again; and as long as it is open, the log
 * keeps everything that is written meanwhile.
 */
async function copyWithLog(
  source: string,
  partial: string,
  onProgress: (copied: number, pages: number) => void,
): Promise<number> {
  const db = new DatabaseSync(source, { readOnly: true });
  try {
    db.exec('begin');
    db.prepare('select count(*) from sqlite_schema').get();
    await backup(db, partial, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
    const until = Date.now();
    await copyLog(`${source}-wal`, `${partial}-wal`);
    return until;
  } finally {
    db.close();
  }
}

/**
 * Copies the log up to the last whole commit: SQLite ignores what follows it. A log without a page that is newer than the read
 * transaction may begin again once meanwhile; a copy from before and after that would mix old pages with new ones.
 */
async function copyLog(log: string, target: string): Promise<void> {
  if (!existsSync(log)) return;
  do await copyFile(log, target);
  while (!(await readHeader(log)).equals(await readHeader(target)));
}

async function readHeader(log: string): Promise<Buffer> {
  await using file = await open(log);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(LOG_HEADER_BYTES), 0, LOG_HEADER_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Opening the file reads the log that was copied beside it. A file that has none may be of another journal mode. */
function applyLog(file: string): void {
  const db = new DatabaseSync(file);
  try {
    const mode = db.prepare('pragma journal_mode').get();
    if (existsSync(`${file}-wal`) && mode?.journal_mode !== 'wal')
      throw new Error(`SQLite does not read the log of ${file}`);
    db.exec('pragma synchronous = full; pragma wal_checkpoint(truncate); pragma journal_mode = delete');
  } finally {
    db.close();
  }
}

function assertNew(file: string): void {
  if (existsSync(file)) throw new Error(`${file} exists already: name a new file`);
}

/** @param path of a file or a folder */
async function synchronize(path: string): Promise<void> {
  await using file = await open(path);
  await file.sync();
}
