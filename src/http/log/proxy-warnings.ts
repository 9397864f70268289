import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import {
  clientKey,
  isPrivateAddress,
  isTrustedAddress,
  networkOf,
  type TrustedNetworks,
} from '../client-address.ts';
import { parseWebUrl } from '../parse/web-url.ts';

const HOUR_MS = 60 * 60 * 1000;
/** As many users from one private address within an hour are taken for the users of a proxy. */
const USERS_OF_A_PROXY = 5;
/** Bounds the memory of an hour. */
const MAX_ADDRESSES = 1000;
const MAX_ORIGIN_LENGTH = 200;

/** The only header that counts. */
const COUNTED_HEADER = 'x-forwarded-for';
const FORWARDING_HEADERS = [COUNTED_HEADER, 'forwarded', 'x-real-ip', 'cf-connecting-ip'];
const SEND_HEADER = 'let the proxy send X-Forwarded-For';

export interface ProxySettings {
  readonly trustProxy: TrustedNetworks;
  /** The operator set `PUBLIC_URL`. */
  readonly hasPublicUrl: boolean;
  /** Origins whose pages may open sockets, besides the service's own. */
  readonly origins: readonly string[];
  /** Only this machine can reach the service, so many users from one address are no sign of a proxy. */
  readonly tryingLocally: boolean;
}

/**
 * Warns of settings that do not fit the proxy before the service, and names what to set. Each warning comes once an hour at most; that
 * about a peer with a public address once, as any client can send such a header.
 */
export class ProxyWarnings {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #settings: ProxySettings;
  readonly #monotonicMs: () => number;
  /** The subject of each warning with the time from which it may come again, in monotonic milliseconds. */
  readonly #quietUntil = new Map<string, number>();
  readonly #usersOf = new Map<string, Set<string>>();
  #usersSince = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<Logger, 'warn'>, settings: ProxySettings, monotonicMs: () => number) {
    this.#log = log;
    this.#settings = settings;
    this.#monotonicMs = monotonicMs;
  }

  /** Looks for forwarding headers of a peer that is not trusted, and for headers of a trusted one that do not count. */
  look({ headers, socket: { remoteAddress } }: IncomingMessage): void {
    const header = FORWARDING_HEADERS.find((name) => headers[name] !== undefined);
    if (header === undefined) return;
    if (isTrustedAddress(remoteAddress, this.#settings.trustProxy)) {
      if (header !== COUNTED_HEADER)
        this.#warn(
          'uncounted',
          HOUR_MS,
          { header },
          `a proxy sends ${header}, which does not count: ${SEND_HEADER}`,
        );
    } else if (isPrivateAddress(remoteAddress)) {
      const set = settingFor(remoteAddress ?? '');
      this.#warn(
        'private peer',
        HOUR_MS,
        { header, set },
        `a peer that is not trusted sends ${header}: if it is your proxy, set ${set}; until then all its users count as one address`,
      );
    } else {
      this.#warn(
        'public peer',
        Number.POSITIVE_INFINITY,
        { header, network: networkOf(clientKey(remoteAddress, undefined, [])) },
        `a peer that is not trusted sends ${header}, which is ignored: if it is your proxy, set TRUST_PROXY to its addresses`,
      );
    }
  }

  /**
   * Counts a user of a private address, unless users with public addresses come too.
   *
   * @param address of the client, as it is counted; '' if unknown
   */
  noteUser(userId: string, address: string): void {
    if (this.#settings.tryingLocally || address === '') return;
    const now = this.#monotonicMs();
    if (now - this.#usersSince >= HOUR_MS) {
      this.#usersOf.clear();
      this.#usersSince = now;
    }
    if (!isPrivateAddress(address)) {
      this.#usersOf.clear();
      return;
    }
    const users = this.#usersOf.get(address) ?? new Set();
    if (users.size === 0 && this.#usersOf.size >= MAX_ADDRESSES) return;
    this.#usersOf.set(address, users.add(userId));
    if (users.size < USERS_OF_A_PROXY) return;
    this.#usersOf.clear();
    const isTrusted = isTrustedAddress(address, this.#settings.trustProxy);
    const advice = isTrusted
      ? SEND_HEADER
      : `if it is your proxy, set ${settingFor(address)}, and ${SEND_HEADER}`;
    this.#warn('users', HOUR_MS, { address }, `all users come from one private address: ${advice}`);
  }

  /** @param sent the origin of a page that was refused its socket, as it came */
  refusedOrigin(sent: string): void {
    const url = parseWebUrl(sent);
    if (!url || !/^https?:$/.test(url.protocol) || url.origin.length > MAX_ORIGIN_LENGTH) return;
    const { hasPublicUrl, origins } = this.#settings;
    if (hasPublicUrl) {
      const set = `ORIGINS=${[...origins, url.origin].join(',')}`;
      this.#warn(
        'origin',
        HOUR_MS,
        { set },
        'a page of another origin was refused its socket: if it is yours, set ORIGINS',
      );
    } else {
      const set = `PUBLIC_URL=${url.origin}`;
      const text =
        'a page was refused its socket, as PUBLIC_URL is not set: if the page is yours, set PUBLIC_URL to its address';
      this.#warn('origin', HOUR_MS, { set }, text);
    }
  }

  #warn(subject: string, quietMs: number, fields: object, text: string): void {
    const now = this.#monotonicMs();
    if (now < (this.#quietUntil.get(subject) ?? Number.NEGATIVE_INFINITY)) return;
    this.#quietUntil.set(subject, now + quietMs);
    this.#log.warn(fields, text);
  }
}

function settingFor(address: string): string {
  const key = clientKey(address, undefined, []);
  const isLoopback = key.startsWith('127.') || address === '::1';
  return `TRUST_PROXY=${isLoopback ? 'loopback' : address.replace(/^::ffff:/, '')}`;
}
