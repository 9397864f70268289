import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import {
  addressKeyOf,
  addressOf,
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

export type ProxyWarnings = ReturnType<typeof openProxyWarnings>;

/**
 * Warns of settings that do not fit the proxy before the service, and names what to set. Each warning comes once an hour at most; that
 * about a peer with a public address once, as any client can send such a header.
 */
export function openProxyWarnings(
  log: Pick<Logger, 'warn'>,
  { trustProxy, hasPublicUrl, origins, tryingLocally }: ProxySettings,
  monotonicMs: () => number,
) {
  /** The subject of each warning with the time from which it may come again, in monotonic milliseconds. */
  const quietUntil = new Map<string, number>();
  const usersOf = new Map<string, Set<string>>();
  let usersSince = Number.NEGATIVE_INFINITY;

  function warn(subject: string, fields: object, text: string, quietMs = HOUR_MS): void {
    const now = monotonicMs();
    if (now < (quietUntil.get(subject) ?? Number.NEGATIVE_INFINITY)) return;
    quietUntil.set(subject, now + quietMs);
    log.warn(fields, text);
  }

  return {
    /** Looks for forwarding headers of a peer that is not trusted, and for headers of a trusted one that do not count. */
    look(request: Pick<IncomingMessage, 'headers' | 'socket'>): void {
      const header = FORWARDING_HEADERS.find((name) => request.headers[name] !== undefined);
      if (header === undefined) return;
      const peer = addressOf(request, []);
      const untrusted = `a peer that is not trusted sends ${header}`;
      if (isTrustedAddress(peer, trustProxy)) {
        const text = `a proxy sends ${header}, which does not count: ${SEND_HEADER}`;
        if (header !== COUNTED_HEADER) warn('uncounted', { header }, text);
      } else if (isPrivateAddress(peer)) {
        const set = settingFor(peer);
        const text = `${untrusted}: if it is your proxy, set ${set}; until then all its users count as one address`;
        warn('private peer', { header, set }, text);
      } else {
        const network = networkOf(addressKeyOf(request, []));
        const text = `${untrusted}, which is ignored: if it is your proxy, set TRUST_PROXY to its addresses`;
        warn('public peer', { header, network }, text, Number.POSITIVE_INFINITY);
      }
    },

    /**
     * Counts a user of a private address, unless users with public addresses come too.
     *
     * @param address of the client, as it is counted; '' if unknown
     */
    noteUser(userId: string, address: string): void {
      if (tryingLocally || address === '') return;
      const now = monotonicMs();
      if (now - usersSince >= HOUR_MS) {
        usersOf.clear();
        usersSince = now;
      }
      if (!isPrivateAddress(address)) {
        usersOf.clear();
        return;
      }
      const users = usersOf.get(address) ?? new Set();
      if (users.size === 0 && usersOf.size >= MAX_ADDRESSES) return;
      usersOf.set(address, users.add(userId));
      if (users.size < USERS_OF_A_PROXY) return;
      usersOf.clear();
      const advice = isTrustedAddress(address, trustProxy)
        ? SEND_HEADER
        : `if it is your proxy, set ${settingFor(address)}, and ${SEND_HEADER}`;
      warn('users', { address }, `all users come from one private address: ${advice}`);
    },

    /** @param sent the origin of a page that was refused its socket, as it came */
    refusedOrigin(sent: string): void {
      const url = parseWebUrl(sent);
      if (!url || !/^https?:$/.test(url.protocol) || url.origin.length > MAX_ORIGIN_LENGTH) return;
      const [set, text] = hasPublicUrl
        ? [
            `ORIGINS=${[...origins, url.origin].join(',')}`,
            'a page of another origin was refused its socket: if it is yours, set ORIGINS',
          ]
        : [
            `PUBLIC_URL=${url.origin}`,
            'a page was refused its socket, as PUBLIC_URL is not set: if the page is yours, set PUBLIC_URL to its address',
          ];
      warn('origin', { set }, text);
    },
  };
}

/** @param address of `addressOf` */
function settingFor(address: string): string {
  return `TRUST_PROXY=${/^127\.|^::1$/.test(address) ? 'loopback' : address}`;
}
