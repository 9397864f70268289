import { fileURLToPath } from 'node:url';
import type { TrustedNetworks } from '../http/client-address.ts';
import type { Limit } from '../http/rate-limits.ts';
import { findDoubts } from './doubts.ts';
import { isLoopback } from './fields.ts';
import { findMisspellings, findUnknown } from './misspellings.ts';
import {
  type LogLevel,
  type PasswordList,
  type Registration,
  type Setting,
  type SettingName,
  type SettingValue,
  settings,
} from './settings.ts';

export interface Config {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** PostgreSQL; null: the embedded database in `dataDir`. Contains a password: never to be logged. */
  readonly databaseUrl: string | null;
  /** Joins several servers on one PostgreSQL; null: one server has the database. Contains a password: never to be logged. */
  readonly redisUrl: string | null;
  /** How long a stopping server still serves. */
  readonly drainSeconds: number;
  /** Our own origin, without a slash at the end. With port 0 and no `PUBLIC_URL` its port is 0. */
  readonly publicUrl: string;
  readonly hasPublicUrl: boolean;
  /** Further browser origins, each as browsers send it. */
  readonly origins: readonly string[];
  readonly trustProxy: TrustedNetworks;
  readonly registration: Registration;
  /** null: off. */
  readonly rateLimits: {
    readonly api: Limit | null;
    readonly auth: Limit | null;
    readonly messages: Limit | null;
  };
  readonly bcryptCost: number;
  readonly passwordList: PasswordList;
  readonly tokenTtlSeconds: number;
  readonly vapidSubject: string;
  /** Push services have no way to reach the operator, which is warned about. */
  readonly vapidSubjectIsPlaceholder: boolean;
  readonly pushAllowPrivate: boolean;
  readonly pushPorts: readonly number[];
  /** Only this machine can reach the service, so http and loopback push endpoints are allowed (architecture 10.6). */
  readonly tryingLocally: boolean;
  readonly logLevel: LogLevel;
  /** Log a line for each HTTP answer and each closed socket. */
  readonly logRequests: boolean;
  /** Where `/metrics` is served, port 0: any free one; null: nowhere, and nothing is measured. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where `npm run setup` puts the built page; no setting changes it. */
  readonly pageFolder: string;
  /** Doubtful settings: names that look like misspelt settings, settings that do not fit each other. Without values. */
  readonly warnings: readonly string[];
}

/** All invalid settings, one line each. No line contains a value: it may be a secret, perhaps in the wrong setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** More than two checks of a load balancer that looks every two seconds. */
const DRAIN_SECONDS_OF_NODES = 5;

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

  function read<N extends SettingName>(name: N): SettingValue<N> {
    const setting: Setting<unknown> = settings[name];
    let value = setting.read(env[name] || setting.default);
    if (value === undefined) {
      faults.push(`${name} ${setting.must}`);
      value = setting.read(setting.default);
    }
    // The compiler cannot relate a name to the type of its reader. A test shows that every default can be read.
    return value as SettingValue<N>;
  }

  const redisUrl = read('REDIS_URL');
  const port = read('PORT');
  const host = read('HOST');
  const trustProxy = read('TRUST_PROXY');
  const ownUrl = read('PUBLIC_URL');
  const publicUrl = ownUrl ?? new URL(`http://localhost:${port}`).origin;
  const [metricsPort, metricsHost] = [read('METRICS_PORT'), read('METRICS_HOST')];
  const subject = read('VAPID_SUBJECT') ?? (publicUrl.startsWith('https:') ? publicUrl : null);
  const config: Config = {
    port,
    host,
    dataDir: read('DATA_DIR'),
    databaseUrl: read('DATABASE_URL'),
    redisUrl,
    drainSeconds: read('DRAIN_SECONDS') ?? (redisUrl === null ? 0 : DRAIN_SECONDS_OF_NODES),
    publicUrl,
    hasPublicUrl: ownUrl !== null,
    origins: read('ORIGINS'),
    trustProxy,
    registration: read('REGISTRATION'),
    rateLimits: {
      api: read('RATE_LIMIT_API'),
      auth: read('RATE_LIMIT_AUTH'),
      messages: read('RATE_LIMIT_MESSAGES'),
    },
    bcryptCost: read('BCRYPT_COST'),
    passwordList: read('PASSWORD_LIST'),
    tokenTtlSeconds: read('TOKEN_TTL'),
    vapidSubject: subject ?? placeholderSubject,
    vapidSubjectIsPlaceholder: subject === null,
    pushAllowPrivate: read('PUSH_ALLOW_PRIVATE'),
    pushPorts: read('PUSH_PORTS'),
    tryingLocally: isLoopback(host) && isLoopback(new URL(publicUrl).hostname) && trustProxy.length === 0,
    logLevel: read('LOG_LEVEL'),
    logRequests: read('LOG_REQUESTS'),
    metrics: metricsPort === null ? null : { host: metricsHost, port: metricsPort },
    pageFolder: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    warnings: [],
  };
  if (config.redisUrl !== null && config.databaseUrl === null)
    faults.push('REDIS_URL needs DATABASE_URL: only on PostgreSQL can several servers be one service');
  if (metricsPort !== null && metricsPort !== 0 && metricsPort === port)
    faults.push('METRICS_PORT must differ from PORT: /metrics is served on a port of its own');
  faults.push(...findUnknown(env, Object.keys(settings)));
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...config, warnings: [...findMisspellings(env, Object.keys(settings)), ...findDoubts(config)] };
}
