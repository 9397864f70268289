import type { TrustedNetworks } from '../http/client-address.ts';
import { isLoopback } from './fields.ts';
import type { LogLevel } from './settings.ts';

const NOT_LOGGED: readonly LogLevel[] = ['warn', 'error', 'fatal', 'silent'];

interface DoubtfulSettings {
  readonly host: string;
  readonly publicUrl: string;
  readonly hasPublicUrl: boolean;
  readonly trustProxy: TrustedNetworks;
  readonly logLevel: LogLevel;
  readonly logRequests: boolean;
}

/** Settings that are valid each but not together: a sentence for each doubt, with what does not work and what to set. */
export function findDoubts(settings: DoubtfulSettings): string[] {
  const { host, publicUrl, hasPublicUrl, trustProxy, logLevel, logRequests } = settings;
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
  if (logRequests && NOT_LOGGED.includes(logLevel))
    doubts.push('LOG_REQUESTS has no effect at this LOG_LEVEL: requests are logged at level info');
  return doubts;
}
