import type { Logger } from 'pino';
import { networkOf } from './client-address.ts';

/** The limits of addresses and accounts, each with the setting that sets it or turns it off. */
const SETTINGS = { api: 'RATE_LIMIT_API', auth: 'RATE_LIMIT_AUTH', account: 'RATE_LIMIT_AUTH' };

/** Bounds the memory of a minute; refusals of further networks count for the total alone. */
const MAX_NETWORKS = 1000;
const SHOWN_NETWORKS = 10;

/** One of the limits of addresses and accounts. */
type RefusingLimit = keyof typeof SETTINGS;

interface Count {
  refused: number;
  readonly networks: Map<string, number>;
}

/**
 * Counts the requests that rate limits refuse, for one log line a minute and limit: how many, and from which networks,
 * without whole addresses.
 */
export class Refusals {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #byLimit = new Map<RefusingLimit, Count>();
  /** Since the start. */
  readonly totals: Record<RefusingLimit, number> = { api: 0, auth: 0, account: 0 };

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** @param address the key of the client's address (`clientKey`) */
  count(limit: RefusingLimit, address: string): void {
    this.totals[limit]++;
    const counted = this.#byLimit.get(limit) ?? { refused: 0, networks: new Map<string, number>() };
    this.#byLimit.set(limit, counted);
    counted.refused++;
    const network = networkOf(address);
    const known = counted.networks.get(network);
    if (known !== undefined || counted.networks.size < MAX_NETWORKS)
      counted.networks.set(network, (known ?? 0) + 1);
  }

  /** Logs what was refused since the last report, the networks with the most first. */
  report(): void {
    for (const [limit, { refused, networks }] of this.#byLimit) {
      const most = [...networks].sort(([, one], [, other]) => other - one).slice(0, SHOWN_NETWORKS);
      const otherNetworks = refused - most.reduce((sum, [, count]) => sum + count, 0);
      const shown = { networks: Object.fromEntries(most), ...(otherNetworks > 0 && { otherNetworks }) };
      this.#log.warn({ limit, setting: SETTINGS[limit], refused, ...shown }, 'a rate limit refused requests');
    }
    this.#byLimit.clear();
  }
}
