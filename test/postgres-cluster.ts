import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/postgres.ts';
import { endGuarded, findFreePort, startGuarded } from './guarded-server.ts';
import { connectPostgres } from './postgres-client.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

/** A migrated, empty database, of which tests get copies. */
export const templateDatabase = 'doorman_template';

export interface Cluster {
  /** The address of the maintenance database, `postgres`. */
  readonly url: string;
  /** The id of the server's first process, whose children are all others. */
  pid(): Promise<number>;
  /** Ends the server and every connection at once, as `kill -9` would; starts it again on the same data after `meanwhile`. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** The folder of the newest installed PostgreSQL's programs; `undefined` if there is none. */
export function findPostgres(): string | undefined {
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged) ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(packaged, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** What tests do without: a commit need not survive a power cut, and each file has a server of its own. */
const testSettings = ['fsync=off', 'full_page_writes=off', 'shared_buffers=32MB'];

/**
 * Starts a PostgreSQL server of our own on a free loopback port, with its data in a temporary folder. It touches
 * no server that runs already, and ends with this process, however this process ends.
 *
 * @param options.settings beside where it listens; an empty list leaves all others as PostgreSQL has them
 * @param options.standbyOf the address of the server that this one follows, until `pg_promote()`
 * @param options.makeFolder for a server that is not to be in memory
 */
export async function startCluster({
  settings = testSettings,
  standbyOf,
  makeFolder = () => makeTemporaryFolder('postgres'),
}: {
  settings?: readonly string[];
  standbyOf?: string;
  makeFolder?: () => Promise<string>;
} = {}): Promise<Cluster> {
  const programs = findPostgres();
  if (!programs) throw new Error('no PostgreSQL found');
  const owner = ordinaryUser();
  const folder = await makeFolder();
  if (owner) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  if (standbyOf) {
    const args = ['-D', data, '-d', standbyOf, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    await promisify(execFile)(join(programs, 'pg_basebackup'), args, { ...owner, cwd: tmpdir() });
  } else await initialize(join(programs, 'initdb'), data, owner);

  const port = await findFreePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const start = () => startServer(join(programs, 'postgres'), { folder, data, port, url, owner, settings });
  let server = await start();
  if (!standbyOf) await makeTemplate(url);
  return {
    url,
    pid: async () => Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10),
    async restart(meanwhile = async () => {}) {
      await endGuarded(server);
      try {
        await meanwhile();
      } finally {
        server = await start();
      }
    },
    async stop() {
      await endGuarded(server);
      await removeFolder(folder);
    },
  };
}

interface User {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root; root runs it as another user. */
function ordinaryUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no account "postgres" or "nobody"');
}

async function initialize(initdb: string, data: string, owner: User | undefined): Promise<void> {
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'];
  const options = { ...owner, cwd: tmpdir() };
  try {
    // Sorts like a dictionary, so that a column without byte order is noticed. From version 15 on.
    await promisify(execFile)(initdb, [...args, '--locale-provider=icu', '--icu-locale=en'], options);
  } catch {
    await removeFolder(data);
    await promisify(execFile)(initdb, args, options);
  }
}

function startServer(
  program: string,
  options: { folder: string; data: string; port: number; owner: User | undefined } & {
    url: string;
    settings: readonly string[];
  },
): Promise<ChildProcess> {
  const { folder, data, port, url, owner, settings } = options;
  // Three nodes open 66 connections, in several tests at once.
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=600', ...settings];
  const command = [program, '-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])];
  return startGuarded(command, { folder, endBy: 'QUIT', owner, answers: () => answers(url) });
}

async function answers(url: string): Promise<boolean> {
  try {
    await using _sql = await connectPostgres(url);
    return true;
  } catch {
    return false;
  }
}

async function makeTemplate(url: string): Promise<void> {
  await using sql = await connectPostgres(url);
  await sql.rows(`create database ${templateDatabase}`);
  await using db = await openPostgres({ url: databaseUrl(url, templateDatabase) });
  await migrate(db);
}

/** The address of another database of the same server. */
export function databaseUrl(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}
