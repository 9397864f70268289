import { fileURLToPath } from 'node:url';
import { isLoopback } from './fields.ts';
import { findMisspellings, findUnknown } from './misspellings.ts';
import { type Setting, type SettingName, type SettingValue, settings } from './settings.ts';

export type Config = Readonly<ReturnType<typeof toConfig>> & {
  /** Doubtful settings: names that look like misspelt settings, settings that do not fit each other. Without values. */
  readonly warnings: readonly string[];
};

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

/** The configuration, from the values of the settings that `read` returns. */
function toConfig(read: <N extends SettingName>(name: N) => SettingValue<N>) {
  const redisUrl = read('REDIS_URL');
  const [port, host, trustProxy] = [read('PORT'), read('HOST'), read('TRUST_PROXY')];
  const ownUrl = read('PUBLIC_URL');
  const [metricsPort, metricsHost] = [read('METRICS_PORT'), read('METRICS_HOST')];
  const publicUrl = ownUrl ?? new URL(`http://localhost:${port}`).origin;
  const [smtpUrl, mailFrom] = [read('SMTP_URL'), read('MAIL_FROM')];
  const subject = read('VAPID_SUBJECT') ?? (publicUrl.startsWith('https:') ? publicUrl : null);
  return {
    /** 0: any free port. */
    port,
    host,
    dataDir: read('DATA_DIR'),
    /** PostgreSQL; null: the embedded database in `dataDir`. Contains a password: never to be logged. */
    databaseUrl: read('DATABASE_URL'),
    /** Joins several servers on one PostgreSQL; null: one server has the database. Contains a password: never to be logged. */
    redisUrl,
    /** How long a stopping server still serves. */
    drainSeconds: read('DRAIN_SECONDS') ?? (redisUrl === null ? 0 : DRAIN_SECONDS_OF_NODES),
    /** Our own origin, without a slash at the end. With port 0 and no `PUBLIC_URL` its port is 0. */
    publicUrl,
    hasPublicUrl: ownUrl !== null,
    /** Further browser origins, each as browsers send it. */
    origins: read('ORIGINS'),
    trustProxy,
    registration: read('REGISTRATION'),
    /** null: off. */
    rateLimits: {
      api: read('RATE_LIMIT_API'),
      auth: read('RATE_LIMIT_AUTH'),
      messages: read('RATE_LIMIT_MESSAGES'),
      pictures: read('RATE_LIMIT_PICTURES'),
      search: read('RATE_LIMIT_SEARCH'),
      pictureReads: read('RATE_LIMIT_PICTURE_READS'),
      keys: read('RATE_LIMIT_KEYS'),
    },
    /** Whether users may send pictures in messages. */
    hasPictures: read('PICTURES') === 'on',
    bcryptCost: read('BCRYPT_COST'),
    passwordList: read('PASSWORD_LIST'),
    tokenTtlSeconds: read('TOKEN_TTL'),
    /** 0: an account is erased at once. */
    deletionGraceSeconds: read('DELETION_GRACE'),
    vapidSubject: subject ?? placeholderSubject,
    /** Push services have no way to reach the operator, which is warned about. */
    vapidSubjectIsPlaceholder: subject === null,
    pushAllowPrivate: read('PUSH_ALLOW_PRIVATE'),
    pushPorts: read('PUSH_PORTS'),
    /** The mail server and the sender of mails; null: no mails are sent. The URL contains a password: never to be logged. */
    smtp:
      smtpUrl === null
        ? null
        : {
            url: smtpUrl,
            from: mailFrom ?? { name: '', address: `no-reply@${new URL(publicUrl).hostname}` },
          },
    /** Only this machine can reach the service, so http and loopback push endpoints are allowed (architecture 10.6). */
    tryingLocally: isLoopback(host) && isLoopback(new URL(publicUrl).hostname) && trustProxy.length === 0,
    logLevel: read('LOG_LEVEL'),
    /** Log a line for each HTTP answer and each closed socket. */
    logRequests: read('LOG_REQUESTS'),
    /** Where `/metrics` is served, port 0: any free one; null: nowhere, and nothing is measured. */
    metrics: metricsPort === null ? null : { host: metricsHost, port: metricsPort },
    /** Where `npm run setup` puts the built page; no setting changes it. */
    pageFolder: fileURLToPath(new URL('../../web/dist', import.meta.url)),
  };
}

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
    const read = (text = setting.default) => (text === undefined ? null : setting.read(text));
    let value = read(env[name] || undefined);
    if (value === undefined) {
      faults.push(`${name} ${setting.must}`);
      value = read();
    }
    // The compiler cannot relate a name to the type of its reader. A test shows that every default can be read.
    return value as SettingValue<N>;
  }

  const config = toConfig(read);
  if (config.redisUrl !== null && config.databaseUrl === null)
    faults.push('REDIS_URL needs DATABASE_URL: only on PostgreSQL can several servers be one service');
  if (config.metrics && config.port !== 0 && config.metrics.port === config.port)
    faults.push('METRICS_PORT must differ from PORT: /metrics is served on a port of its own');
  if (config.smtp && !config.hasPublicUrl)
    faults.push('SMTP_URL needs PUBLIC_URL: the links in mails lead there');
  faults.push(...findUnknown(env, Object.keys(settings)));
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...config, warnings: [...findMisspellings(env, Object.keys(settings)), ...findDoubts(config)] };
}

/** Settings that are valid each but not together: a sentence for each doubt, with what does not work and what to set. */
function findDoubts(config: ReturnType<typeof toConfig>): string[] {
  const { host, publicUrl, hasPublicUrl, trustProxy, logLevel, logRequests, smtp } = config;
  const doubts: string[] = [];
  const reach = !isLoopback(host) ? 'HOST lets other machines connect' : 'TRUST_PROXY names a proxy';
  if (!hasPublicUrl && (!isLoopback(host) || trustProxy.length > 0))
    doubts.push(
      `${reach}, but PUBLIC_URL is not set: pages at any other address than ${publicUrl} get no socket, and notifications lead nowhere; set PUBLIC_URL to the address at which browsers open the page, such as https://chat.example.com`,
    );
  if (hasPublicUrl && publicUrl.startsWith('http:') && !isLoopback(new URL(publicUrl).hostname))
    doubts.push(
      'PUBLIC_URL is http: browsers have no notifications there and do not keep the page for the time without a network; let a proxy serve https and set PUBLIC_URL to that address',
    );
  if (smtp && sendsPasswordPlainly(new URL(smtp.url)))
    doubts.push(
      'SMTP_URL has a password, which is sent without TLS to a server that offers none: add ?requireTLS=true, or use smtps://',
    );
  if (logRequests && ['warn', 'error', 'fatal', 'silent'].includes(logLevel))
    doubts.push('LOG_REQUESTS has no effect at this LOG_LEVEL: requests are logged at level info');
  return doubts;
}

function sendsPasswordPlainly({ protocol, password, hostname, search }: URL): boolean {
  return protocol === 'smtp:' && password !== '' && search !== '?requireTLS=true' && !isLoopback(hostname);
}
