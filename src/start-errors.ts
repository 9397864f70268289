import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { explain } from './commands/explain.ts';
import type { Config } from './config/config.ts';
import { MetricsAddressError } from './metrics/metrics-server.ts';

/** The files that the server opens in its folder, in this order. */
const FILES = ['server.lock', 'doorman.db'];
/** Primary result codes of SQLite. */
const SQLITE = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 };
const SQLITE_MAGIC = 'SQLite format 3\0';

/** Why the server cannot start, in one line with the path or address concerned and what to do about it. */
export function explainStart(error: unknown, config: Config): string {
  if (error instanceof MetricsAddressError && config.metrics)
    return explainListen(codeOf(error.cause), { ...config.metrics, prefix: 'METRICS_' }) ?? explain(error);
  if (!(error instanceof Error) || !('code' in error)) return explain(error);
  if (error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error)
    return explainSqlite(Number(error.errcode) & 0xff, resolve(config.dataDir)) ?? explain(error);
  const syscall = 'syscall' in error ? error.syscall : undefined;
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return explainListen(String(error.code), { ...config, prefix: '' }) ?? explain(error);
  if ('path' in error && typeof error.path === 'string')
    return explainFile(String(error.code), resolve(error.path)) ?? explain(error);
  return explain(error);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** @param address `prefix` begins the names of its two settings */
function explainListen(
  code: string,
  { host, port, prefix }: { host: string; port: number; prefix: '' | 'METRICS_' },
): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use: stop the program that uses it, or set another ${prefix}PORT.`;
    case 'EACCES':
      return `This user may not listen on port ${port} of ${host}: set a ${prefix}PORT from 1024 on, or allow the process low ports.`;
    case 'EADDRNOTAVAIL':
      return `${host} is no address of this machine: set ${prefix}HOST to one of its addresses, or to 0.0.0.0 or :: for all.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${host} cannot be resolved: set ${prefix}HOST to an address of this machine, or to 0.0.0.0 or :: for all.`;
  }
  return undefined;
}

function explainFile(code: string, path: string): string | undefined {
  switch (code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return `${path} cannot be a folder, as there is a file in its way: set DATA_DIR to a folder.`;
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be used: allow this user to write in ${dirname(path)}, or set another DATA_DIR.`;
    case 'EROFS':
      return `${path} is on a read-only file system: mount it writable, or set another DATA_DIR.`;
    case 'ENOENT':
      return `${path} cannot be made: make its parent folder, or set another DATA_DIR.`;
    case 'ENOSPC':
      return `The disk of ${path} is full: free some space, or set another DATA_DIR.`;
  }
  return undefined;
}

/** SQLite's errors name no file, so it is found by looking at the folder. */
function explainSqlite(code: number, folder: string): string | undefined {
  switch (code) {
    case SQLITE.cannotOpen:
    case SQLITE.readOnly:
      return `${findFile(folder, cannotBeWritten) ?? folder} cannot be opened for writing: allow this user to write it and its folder, on a file system that is not read-only, or set another DATA_DIR.`;
    case SQLITE.notADatabase:
    case SQLITE.corrupt:
      return `${findFile(folder, isNotDatabase) ?? join(folder, 'doorman.db')} is no SQLite database, or is damaged: put back a backup, or set another DATA_DIR.`;
    case SQLITE.busy:
      return `${join(folder, 'doorman.db')} is locked by another program: end what uses it, or set another DATA_DIR.`;
    case SQLITE.full:
      return `The disk of ${folder} is full: free some space, or set another DATA_DIR.`;
    case SQLITE.ioError:
      return `The disk of ${folder} cannot be read or written: check it, or set another DATA_DIR.`;
  }
  return undefined;
}

function findFile(folder: string, isAtFault: (path: string) => boolean): string | undefined {
  return FILES.map((name) => join(folder, name)).find((path) => existsSync(path) && isAtFault(path));
}

/** Found out by opening it for writing, which also fails for reasons that permissions do not show. */
function cannotBeWritten(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return true;
    closeSync(openSync(path, 'r+'));
    return false;
  } catch {
    return true;
  }
}

/** An empty file is a new database. */
function isNotDatabase(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(SQLITE_MAGIC.length);
    return readSync(file, bytes) > 0 && bytes.toString('latin1') !== SQLITE_MAGIC;
  } finally {
    closeSync(file);
  }
}
