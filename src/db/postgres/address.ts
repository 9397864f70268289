import type { ClientConfig } from 'pg';

/** How long connecting to one of several servers may take; with a single one it is 3 s. */
const CONNECT_ONE_OF_MANY_MS = 1_000;
const CONNECT_MS = 3_000;

/** What pg reads from an address. Each other parameter is a run-time setting, as with libpq's `options`. */
const OF_PG = new Set([
  ...['user', 'password', 'host', 'port', 'db', 'encoding', 'client_encoding', 'application_name'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
]);

/** The servers of `DATABASE_URL`, in its order. */
export interface Address {
  readonly servers: readonly ClientConfig[];
  /** Only a server that takes writes is used. */
  readonly takesWrites: boolean;
  /** The hosts and the database, without user and password. */
  readonly name: string;
}

/**
 * Reads `postgres://user:password@a:5432,b:5432/database?target_session_attrs=read-write`, whose hosts pg does not know. Several
 * hosts mean the one that takes writes, also without `target_session_attrs`. `sslmode` means what libpq documents.
 *
 * @param settings run-time settings of each connection; those of the address override them
 * @throws {Error} for an address that is none, and for another `target_session_attrs` than `read-write` and `any`
 */
export function readAddress(text: string, settings: Record<string, string | number>): Address {
  const [, scheme, credentials = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)([^@/?]*@)?([^/?]*)(.*)$/.exec(text) ?? [];
  if (scheme === undefined) throw new Error('DATABASE_URL is no address of PostgreSQL');
  const addresses = hosts.split(',').map((host) => new URL(`${scheme}${credentials}${host}${rest}`));
  const target = addresses[0]?.searchParams.get('target_session_attrs') ?? 'any';
  if (target !== 'any' && target !== 'read-write')
    throw new Error(`target_session_attrs in DATABASE_URL is "${target}"; it can be "read-write" or "any"`);
  return {
    servers: addresses.map((url) => readServer(url, settings, addresses.length > 1)),
    takesWrites: target === 'read-write' || addresses.length > 1,
    name: hosts + (addresses[0]?.pathname ?? ''),
  };
}

function readServer(url: URL, settings: Record<string, string | number>, isOneOfMany: boolean): ClientConfig {
  const own = [...url.searchParams].filter(([name]) => !OF_PG.has(name));
  for (const [name] of own) url.searchParams.delete(name);
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  return {
    connectionString: url.href,
    connectionTimeoutMillis: isOneOfMany ? CONNECT_ONE_OF_MANY_MS : CONNECT_MS,
    application_name: 'doorman',
    options: [...Object.entries(settings), ...own].flatMap(toOptions).join(' '),
  };
}

/** PostgreSQL splits `options` at blanks that have no backslash before them. */
function toOptions([name, value]: [string, string | number]): string | string[] {
  if (name === 'target_session_attrs') return [];
  return name === 'options' ? String(value) : `-c ${name}=${String(value).replace(/[\\\s]/g, '\\$&')}`;
}
