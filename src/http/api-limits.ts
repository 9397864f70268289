import type { Logger } from 'pino';
import type { PeriodicJob } from '../clock.ts';
import type { Limits } from '../limits/limits.ts';
import type { Limit, RateLimit } from '../limits/sliding-log.ts';
import { openProxyWarnings, type ProxySettings, type ProxyWarnings } from './log/proxy-warnings.ts';
import { openSecurityLog, type SecurityLog } from './log/security-log.ts';

const REPORT_MS = 60_000;

/** The limits of interface 8; null where the operator turned one off. */
export interface ApiLimits {
  readonly api: RateLimit | null;
  readonly auth: RateLimit | null;
  /** Reads of pictures of messages, which do not count in `api`. */
  readonly pictureReads: RateLimit | null;
  /** Calls by API keys. */
  readonly keys: RateLimit | null;
  /** Logs sign-ins and what else concerns the security of accounts, and counts what any limit refuses. */
  readonly securityLog: SecurityLog;
  /** Warns where addresses, by which these limits count, are those of a proxy. */
  readonly proxyWarnings: ProxyWarnings;
}

export function openApiLimits(
  config: ProxySettings & {
    readonly rateLimits: Readonly<Record<'api' | 'auth' | 'pictureReads' | 'keys', Limit | null>>;
  },
  log: Pick<Logger, 'info' | 'warn'>,
  monotonicMs: () => number,
  limits: Limits,
): ApiLimits {
  const { api, auth, pictureReads, keys } = config.rateLimits;
  return {
    api: api && limits.open('api', api, 'bounded'),
    auth: auth && limits.open('auth', auth, 'exact'),
    pictureReads:
      pictureReads && limits.open('picture-reads', { ...pictureReads, maxKeys: 100_000 }, 'bounded'),
    keys: keys && limits.open('keys', keys, 'bounded'),
    securityLog: openSecurityLog(log),
    proxyWarnings: openProxyWarnings(log, config, monotonicMs),
  };
}

/** Logs once a minute what the limits refused, and the sign-ins that failed. */
export function apiLimitJobs({ securityLog }: ApiLimits): PeriodicJob[] {
  return [
    {
      name: 'report refusals',
      everyMs: REPORT_MS,
      run: async () => securityLog.report(),
      runsAtStop: true,
    },
  ];
}
