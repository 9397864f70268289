import { dirname, join, resolve } from 'node:path';
import { explain } from './commands/explain.ts';
import type { Config } from './config/config.ts';
import { MetricsAddressError } from './metrics/metrics-server.ts';

/** Primary result codes of SQLite. */
const SQLITE = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 };

/** Why the server cannot start, in one line with the path or address concerned and what to do about it. */
export function explainStart(error: unknown, config: Config): string {
  if (error instanceof MetricsAddressError && config.metrics)
    return explainListen(codeOf(error.cause), { ...config.metrics, prefix: 'METRICS_' }) ?? explain(error);
  if (!(error instanceof Error) || !('code' in error)) return explain(error);
  const path = 'path' in error && typeof error.path === 'string' ? resolve(error.path) : undefined;
  if (error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error) {
    const file = path ?? join(resolve(config.dataDir), 'doorman.db');
    return explainSqlite(Number(error.errcode) & 0xff, file) ?? explain(error);
  }
  const syscall = 'syscall' in error ? error.syscall : undefined;
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return explainListen(String(error.code), { ...config, prefix: '' }) ?? explain(error);
  return (path && explainFile(String(error.code), path)) ?? explain(error);
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

function explainSqlite(code: number, file: string): string | undefined {
  switch (code) {
    case SQLITE.cannotOpen:
    case SQLITE.readOnly:
      return `${file} cannot be opened for writing: allow this user to write it and its folder, on a file system that is not read-only, or set another DATA_DIR.`;
    case SQLITE.notADatabase:
    case SQLITE.corrupt:
      return `${file} is no SQLite database, or is damaged: put back a backup, or set another DATA_DIR.`;
    case SQLITE.busy:
      return `${file} is locked by another program: end what uses it, or set another DATA_DIR.`;
    case SQLITE.full:
      return `The disk of ${dirname(file)} is full: free some space, or set another DATA_DIR.`;
    case SQLITE.ioError:
      return `The disk of ${dirname(file)} cannot be read or written: check it, or set another DATA_DIR.`;
  }
  return undefined;
}
