import type { Logger } from 'pino';
import type { ServiceError } from '../../errors.ts';
import { networkOf } from '../client-address.ts';

/** The words of security events; docs/logs.md describes each. */
export type SecurityEvent =
  | 'signed_in'
  | 'sign_in_failed'
  | 'password_changed'
  | 'link_made'
  | 'link_used'
  | 'session_ended'
  | 'deletion_asked'
  | 'deletion_undone'
  | 'export_made'
  | 'refused';

/** Bounds the memory and the lines of a minute; events of further users and networks share one line for each word. */
const MAX_COUNTED = 1000;
/** The same for the networks of a limit; refusals of further ones count for its total alone. */
const MAX_NETWORKS = 1000;
const SHOWN_NETWORKS = 10;

/** The limits of addresses, accounts and API keys, each with the setting that sets it or turns it off. */
const SETTINGS = new Map([
  ['api', 'RATE_LIMIT_API'],
  ['auth', 'RATE_LIMIT_AUTH'],
  ['account', 'RATE_LIMIT_AUTH'],
  ['keys', 'RATE_LIMIT_KEYS'],
]);
/** The word of the limit of logins to one account, which is called `account`. */
const OF_ACCOUNT = 'too_many_logins';
/** The word of a refusal that no limit of a caller causes. */
const OVERLOADED = 'overloaded';

export type SecurityLog = ReturnType<typeof openSecurityLog>;

/**
 * Logs the security events: a word, the user's id and the network of the client, never a name, password, token or whole address. What a
 * caller can cause without end is counted, for one line a minute. A limit with a setting has a warning of its own then, with the networks
 * that it refused most.
 */
export function openSecurityLog(log: Pick<Logger, 'info' | 'warn'>) {
  const counted = new Map<string, { fields: object; count: number }>();
  const byLimit = new Map<string, { refused: number; networks: Map<string, number> }>();
  /** Refusals since the start, by the name of the limit or else the word, for `/metrics`. */
  const refusals = new Map<string, number>();

  function writeLine(fields: object, count: number): void {
    log.info({ ...fields, ...(count > 1 && { count }) }, 'security');
  }

  function countLine(
    event: SecurityEvent,
    limit: string | undefined,
    userId: string | undefined,
    network: string,
  ) {
    const own = { event, ...(limit !== undefined && { limit }), userId, network };
    const isSurplus = counted.size >= MAX_COUNTED && !counted.has(JSON.stringify(own));
    const fields = isSurplus ? { event } : own;
    const key = JSON.stringify(fields);
    counted.set(key, { fields, count: (counted.get(key)?.count ?? 0) + 1 });
  }

  function countNetwork(limit: string, network: string): void {
    const { refused, networks } = byLimit.get(limit) ?? { refused: 0, networks: new Map<string, number>() };
    byLimit.set(limit, { refused: refused + 1, networks });
    if (networks.has(network) || networks.size < MAX_NETWORKS)
      networks.set(network, (networks.get(network) ?? 0) + 1);
  }

  return {
    refusals,
    /**
     * Logs an event at once.
     *
     * @param address the key of the client's address (`addressKeyOf`); `undefined` where no client caused it
     * @param count how many of them happened together; none: no line
     */
    write(event: SecurityEvent, userId: string, address?: string, count = 1): void {
      const network = address === undefined ? undefined : networkOf(address);
      if (count > 0) writeLine({ event, userId, network }, count);
    },
    /** Counts a failed sign-in. @param userId `undefined`: there is no such user */
    failedSignIn(userId: string | undefined, address: string): void {
      countLine('sign_in_failed', undefined, userId, networkOf(address));
    },
    /** Counts a refusal by a limit. @param userId `undefined`: the caller is not known */
    refused(
      { limit, word }: Pick<ServiceError, 'limit' | 'word'>,
      userId: string | undefined,
      address: string,
    ): void {
      const name = limit ?? (word === OF_ACCOUNT ? 'account' : word);
      const network = networkOf(address);
      refusals.set(name, (refusals.get(name) ?? 0) + 1);
      if (SETTINGS.has(name)) countNetwork(name, network);
      if (word !== OVERLOADED) countLine('refused', word, userId, network);
    },
    /** Logs what was counted since the last report: the warnings of limits, the networks with the most first, and then all else. */
    report(): void {
      for (const [limit, { refused, networks }] of byLimit) {
        const most = [...networks].sort(([, one], [, other]) => other - one).slice(0, SHOWN_NETWORKS);
        const otherNetworks = refused - most.reduce((sum, [, count]) => sum + count, 0);
        const shown = { networks: Object.fromEntries(most), ...(otherNetworks > 0 && { otherNetworks }) };
        log.warn({ limit, setting: SETTINGS.get(limit), refused, ...shown }, 'a rate limit refused requests');
      }
      byLimit.clear();
      for (const { fields, count } of counted.values()) writeLine(fields, count);
      counted.clear();
    },
  };
}
