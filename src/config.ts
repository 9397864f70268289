import { fileURLToPath } from 'node:url';
import {
  contact,
  hostName,
  isLoopback,
  origin,
  origins,
  ports,
  rateLimit,
  tokenTtl,
  wholeNumber,
} from './config-fields.ts';
import { findMisspellings, findUnknown } from './config-misspellings.ts';
import { parseNetworks, type TrustedNetworks } from './http/client-address.ts';
import type { Limit } from './http/rate-limits.ts';

/** All settings of the operator, read and checked. */
export interface Config {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** PostgreSQL; null: the embedded database in `dataDir`. Contains a password: never to be logged. */
  readonly databaseUrl: string | null;
  /** Our own origin, without a slash at the end. With port 0 and no `PUBLIC_URL` its port is 0. */
  readonly publicUrl: string;
  /** Further browser origins, each as browsers send it. */
  readonly origins: readonly string[];
  readonly trustProxy: TrustedNetworks;
  /** null: off. */
  readonly rateLimits: { readonly api: Limit | null; readonly auth: Limit | null };
  readonly bcryptCost: number;
  readonly tokenTtlSeconds: number;
  readonly vapidSubject: string;
  /** Push services have no way to reach the operator, which is warned about. */
  readonly vapidSubjectIsPlaceholder: boolean;
  readonly pushAllowPrivate: boolean;
  readonly pushPorts: readonly number[];
  /** Only this machine can reach the service, so http and loopback push endpoints are allowed (architecture 10.6). */
  readonly tryingLocally: boolean;
  readonly logLevel: LogLevel;
  /** Where `npm run setup` puts the built page; no setting changes it. */
  readonly pageFolder: string;
  /** A sentence for each name in the environment that looks like a misspelt setting, without values. */
  readonly warnings: readonly string[];
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

/** All invalid settings, one line each. No line contains a value: it may be a secret, perhaps in the wrong setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

interface Setting<T> {
  /** The text that is read if the setting is unset or empty; '' if there is none. */
  readonly default: string;
  readonly unit: string;
  readonly meaning: string;
  /** Ends the sentence that begins with the name of the setting. */
  readonly must: string;
  /** `undefined` if the text is invalid; the default is always valid. */
  readonly read: (text: string) => T | undefined;
}

const settings = {
  PORT: {
    default: '3000',
    unit: 'port',
    meaning: 'Where to listen; 0 takes any free port',
    must: 'must be a whole number from 0 to 65535',
    read: wholeNumber(0, 65_535),
  },
  HOST: {
    default: '127.0.0.1',
    unit: 'address or host name',
    meaning: 'The address of this machine to listen on; 0.0.0.0 or :: for all',
    must: 'must be an IP address without brackets, or a host name',
    read: hostName,
  },
  DATA_DIR: {
    default: './data',
    unit: 'folder',
    meaning: 'Where the embedded database lives',
    must: 'must be a path',
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  DATABASE_URL: {
    default: '',
    unit: 'URL',
    meaning: 'PostgreSQL instead of the embedded database',
    must: 'must begin with postgres:// or postgresql:// and name a database',
    read: (text) => (text === '' ? null : /^postgres(ql)?:\/\/\S+$/.test(text) ? text : undefined),
  },
  REDIS_URL: {
    default: '',
    unit: 'URL',
    meaning:
      'Reserved for several processes as one service, which are not built yet: setting it stops the start',
    must: 'must be left unset: several processes joined by Redis are not built yet, run one process',
    read: (text) => (text === '' ? null : undefined),
  },
  PUBLIC_URL: {
    default: '',
    unit: 'origin',
    meaning: 'Our own origin, as browsers see it; http://localhost:PORT if unset',
    must: 'must be an http:// or https:// origin without path, such as https://chat.example.com',
    read: (text) => (text === '' ? null : origin(text)),
  },
  ORIGINS: {
    default: '',
    unit: 'origins, comma-separated',
    meaning: 'Further browser origins that may call the interface and open sockets',
    must: 'must be http:// or https:// origins without path, separated by commas',
    read: origins,
  },
  TRUST_PROXY: {
    default: '',
    unit: 'networks, comma-separated',
    meaning:
      'Proxies whose X-Forwarded-For counts: addresses, networks such as 10.0.0.0/8, or the word loopback',
    must: 'must be addresses, networks such as 10.0.0.0/8 (never /0), or the word loopback, separated by commas',
    read: parseNetworks,
  },
  RATE_LIMIT_API: {
    default: '60/1m',
    unit: 'calls per s, m or h',
    meaning: 'Calls of one user, or of one address without a token, under /api/; or off',
    must: 'must be off, or calls and a time such as 60/1m: 1 to 100000 calls, units s, m and h, up to 24h',
    read: rateLimit,
  },
  RATE_LIMIT_AUTH: {
    default: '20/15m',
    unit: 'calls per s, m or h',
    meaning: 'Registrations and logins of one address together; or off',
    must: 'must be off, or calls and a time such as 20/15m: 1 to 100000 calls, units s, m and h, up to 24h',
    read: rateLimit,
  },
  BCRYPT_COST: {
    default: '10',
    unit: 'power of two',
    meaning: 'How much work a new password hash takes',
    must: 'must be a whole number from 4 to 15',
    read: wholeNumber(4, 15),
  },
  TOKEN_TTL: {
    default: '7d',
    unit: 'time in s, m, h or d',
    meaning: 'How long a token is good',
    must: 'must be a time such as 7d, 12h, 30m or 90s, from 60s to 180d',
    read: tokenTtl,
  },
  VAPID_SUBJECT: {
    default: '',
    unit: 'mailto: or https: URL',
    meaning: 'Where push services reach the operator; PUBLIC_URL if that is https, else a placeholder',
    must: 'must be a mailto: address or an https: URL',
    read: (text) => (text === '' ? null : contact(text)),
  },
  PUSH_ALLOW_PRIVATE: {
    default: '0',
    unit: '1 or 0',
    meaning: 'Allows push endpoints on private addresses and over http',
    must: 'must be 1 or 0',
    read: (text) => (text === '1' ? true : text === '0' ? false : undefined),
  },
  PUSH_PORTS: {
    default: '443',
    unit: 'ports, comma-separated',
    meaning: 'Ports on which push services are called, such as 443,8443 if some are self-hosted',
    must: 'must be ports from 1 to 65535 such as 443,8443, separated by commas',
    read: ports,
  },
  LOG_LEVEL: {
    default: 'info',
    unit: 'level',
    meaning: 'trace, debug, info, warn, error, fatal or silent',
    must: 'must be one of trace, debug, info, warn, error, fatal and silent',
    read: (text) => logLevels.find((level) => level === text),
  },
} satisfies Record<string, Setting<unknown>>;

type Name = keyof typeof settings;
type Value<N extends Name> = Exclude<ReturnType<(typeof settings)[N]['read']>, undefined>;

/** All settings with their defaults: for the documents, and for their test. */
export const settingsTable: readonly { name: string; default: string; unit: string; meaning: string }[] =
  Object.entries(settings).map(([name, setting]) => ({
    name,
    default: setting.default,
    unit: setting.unit,
    meaning: setting.meaning,
  }));

/** A subject that push services accept, though no one reads its mail (RFC 2606, 3). */
const placeholderSubject = 'mailto:operator@example.com';

/**
 * Reads the environment; nothing else does. An empty value counts as unset. Other names are ignored, with a warning if one is
 * nearly the name of a setting. Names that begin with `DOORMAN_` are refused, as no setting does, except those that Kubernetes
 * sets in every container beside a service called `doorman`.
 *
 * @throws {ConfigError} with all invalid settings
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];

  function read<N extends Name>(name: N): Value<N> {
    const setting: Setting<unknown> = settings[name];
    let value = setting.read(env[name] || setting.default);
    if (value === undefined) {
      faults.push(`${name} ${setting.must}`);
      value = setting.read(setting.default);
    }
    // The compiler cannot relate a name to the type of its reader. A test shows that every default can be read.
    return value as Value<N>;
  }

  read('REDIS_URL');
  const port = read('PORT');
  const host = read('HOST');
  const trustProxy = read('TRUST_PROXY');
  const publicUrl = read('PUBLIC_URL') ?? new URL(`http://localhost:${port}`).origin;
  const subject = read('VAPID_SUBJECT') ?? (publicUrl.startsWith('https:') ? publicUrl : null);
  const config: Config = {
    port,
    host,
    dataDir: read('DATA_DIR'),
    databaseUrl: read('DATABASE_URL'),
    publicUrl,
    origins: read('ORIGINS'),
    trustProxy,
    rateLimits: { api: read('RATE_LIMIT_API'), auth: read('RATE_LIMIT_AUTH') },
    bcryptCost: read('BCRYPT_COST'),
    tokenTtlSeconds: read('TOKEN_TTL'),
    vapidSubject: subject ?? placeholderSubject,
    vapidSubjectIsPlaceholder: subject === null,
    pushAllowPrivate: read('PUSH_ALLOW_PRIVATE'),
    pushPorts: read('PUSH_PORTS'),
    tryingLocally: isLoopback(host) && isLoopback(new URL(publicUrl).hostname) && trustProxy.length === 0,
    logLevel: read('LOG_LEVEL'),
    pageFolder: fileURLToPath(new URL('../web/dist', import.meta.url)),
    warnings: findMisspellings(env, Object.keys(settings)),
  };
  faults.push(...findUnknown(env, Object.keys(settings)));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}
