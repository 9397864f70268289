import type { Logger } from 'pino';
import type { PeriodicJob } from '../clock.ts';
import type { LimitSource } from './limit-source.ts';
import { type ProxySettings, ProxyWarnings } from './log/proxy-warnings.ts';
import { SecurityLog } from './log/security-log.ts';
import type { Limit, RateLimit } from './rate-limits.ts';
import { Refusals } from './refusals.ts';

const REPORT_MS = 60_000;

/** The limits of interface 8; null where the operator turned one off. */
export interface ApiLimits {
  readonly api: RateLimit | null;
  readonly auth: RateLimit | null;
  /** Counts, for the log, what these limits and the limit of logins to one account refuse. */
  readonly refusals: Refusals;
  /** Logs sign-ins and what else concerns the security of accounts, and counts, for each caller, what any limit refuses. */
  readonly securityLog: SecurityLog;
  /** Warns where addresses, by which these limits count, are those of a proxy. */
  readonly proxyWarnings: ProxyWarnings;
}

export function openApiLimits(
  config: ProxySettings & {
    readonly rateLimits: { readonly api: Limit | null; readonly auth: Limit | null };
  },
  log: Pick<Logger, 'info' | 'warn'>,
  monotonicMs: () => number,
  source: LimitSource,
): ApiLimits {
  const { api, auth } = config.rateLimits;
  return {
    api: api && source.openRateLimit('api', api),
    auth: auth && source.openStrictLimit('auth', auth),
    refusals: new Refusals(log),
    securityLog: new SecurityLog(log),
    proxyWarnings: new ProxyWarnings(log, config, monotonicMs),
  };
}

/** Logs once a minute what the limits refused, and the sign-ins that failed. */
export function apiLimitJobs({ refusals, securityLog }: ApiLimits): PeriodicJob[] {
  return [
    {
      name: 'report refusals',
      everyMs: REPORT_MS,
      run: async () => {
        refusals.report();
        securityLog.report();
      },
      runsAtStop: true,
    },
  ];
}
