import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isLoopback } from '../../config/fields.ts';
import { parseWebUrl } from '../../http/parse/web-url.ts';

/**
 * Where endpoints may lead. `public`: to the public internet, by https. `loopback`: to this machine too, by http as
 * well. `any`: everywhere, by both.
 */
export type Reach = 'public' | 'loopback' | 'any';

export interface EndpointPolicy {
  readonly reach: Reach;
  /** On which ports, where `reach` is `public`. */
  readonly ports: readonly number[];
}

/** Whether an address, as text, may be connected to. */
export type AddressRule = (address: string) => boolean;

export const ENDPOINT_WORDS = [
  'endpoint_invalid',
  'endpoint_too_long',
  'endpoint_not_https',
  'endpoint_private',
  'endpoint_port',
] as const;

export type EndpointCheck =
  /** `isAllowed`: which addresses may be connected to for it. */
  | { ok: true; url: URL; isAllowed: AddressRule }
  | {
      ok: false;
      word: (typeof ENDPOINT_WORDS)[number];
      reason: string;
    };

/** Resolves a name to all its addresses, in the order to try them. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** No address of the push service's name may be connected to. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

const NOT_HTTPS: EndpointCheck = {
  ok: false,
  word: 'endpoint_not_https',
  reason: 'The endpoint is not an https URL',
};

const MAX_CODE_POINTS = 2048;

/** In a public range but internal to a cloud: Azure's host agent, which gives out certificates. */
const INNER_ADDRESSES = new Set(['168.63.129.16']);

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Timeout of the first of two tries; the second waits twice as long. */
const DNS_TIMEOUT_MS = 1_500;

/**
 * Whether an address, as text, belongs to the public internet: globally routable unicast only; any unknown range is
 * not public. Addresses that contain an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) are never public, as
 * they may lead to that address.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return ipaddr.IPv4.parse(address).range() === 'unicast' && !INNER_ADDRESSES.has(address);
  }
  if (isIP(address) !== 6 || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_UNICAST);
}

/**
 * Checks an endpoint as far as possible without DNS (our choice; the interface is silent): an https URL of up to 2048
 * code points without credentials, on one of `ports`, whose host is neither `localhost` nor a literal private address
 * in any spelling. A wider `reach` allows more. {@link guardedLookup} checks the addresses of names.
 *
 * `isAllowed` is never wider than this endpoint needs: anyone may have stored it, and its name may lead anywhere.
 */
export function checkEndpoint(text: string, { reach, ports }: EndpointPolicy): EndpointCheck {
  if (text.length > MAX_CODE_POINTS && [...text].length > MAX_CODE_POINTS) {
    return { ok: false, word: 'endpoint_too_long', reason: 'The endpoint has more than 2048 characters' };
  }
  const url = parseWebUrl(text);
  if (!url) return { ok: false, word: 'endpoint_invalid', reason: 'The endpoint is not a URL' };
  const { hostname, protocol } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return NOT_HTTPS;
  if (url.username !== '' || url.password !== '') {
    return { ok: false, word: 'endpoint_invalid', reason: 'The endpoint carries credentials' };
  }
  if (reach === 'any') return { ok: true, url, isAllowed: isAnyAddress };
  const host = kindOfHost(hostname);
  if (host === 'private' || (host === 'loopback' && reach === 'public')) {
    return { ok: false, word: 'endpoint_private', reason: 'The endpoint is not on the public internet' };
  }
  if (protocol === 'http:') {
    return reach === 'public' || host === 'public' ? NOT_HTTPS : { ok: true, url, isAllowed: isLoopback };
  }
  if (host === 'loopback') return { ok: true, url, isAllowed: isLoopback };
  if (ports.includes(Number(url.port || 443))) return { ok: true, url, isAllowed: isPublicAddress };
  if (reach === 'loopback') return { ok: true, url, isAllowed: isPublicOrLoopback };
  return { ok: false, word: 'endpoint_port', reason: 'The endpoint is not on a port that is allowed' };
}

/** @param hostname as the URL parser leaves it: lower case, IPv4 in four decimal parts, IPv6 in brackets */
function kindOfHost(hostname: string): 'public' | 'loopback' | 'private' | 'name' {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) === 0) return /(?:^|\.)localhost\.*$/.test(hostname) ? 'loopback' : 'name';
  if (isPublicAddress(literal)) return 'public';
  return isLoopback(literal) ? 'loopback' : 'private';
}

function isAnyAddress(): boolean {
  return true;
}

function isPublicOrLoopback(address: string): boolean {
  return isPublicAddress(address) || isLoopback(address);
}

/**
 * A `lookup` for `net` that hands over only allowed addresses, so the checked address is the one connected to, whatever
 * DNS answers later. `net` does not call it for a literal address.
 *
 * @param resolve in place of DNS; its answers are checked the same way
 */
export function guardedLookup({
  isAllowed,
  resolve = isAllowed === isPublicAddress ? (hostname) => resolveByDns(hostname) : resolveByHost,
}: {
  isAllowed: AddressRule;
  resolve?: Resolve | undefined;
}): LookupFunction {
  async function findAddresses(hostname: string): Promise<[LookupAddress, ...LookupAddress[]]> {
    const found = await resolve(hostname);
    const [first, ...others] = found.filter(({ address }) => isAllowed(address));
    if (first) return [first, ...others];
    if (found.length > 0) throw new PrivateAddressError('The name leads to no allowed address');
    throw new Error('The name has no address');
  }

  return (hostname, { all }, callback) => {
    findAddresses(hostname).then(
      (addresses) =>
        all ? callback(null, addresses) : callback(null, addresses[0].address, addresses[0].family),
      (error: Error) => callback(error, []),
    );
  };
}

/** Resolves as the operating system does, with its hosts file, so `localhost` is found. */
function resolveByHost(hostname: string): Promise<LookupAddress[]> {
  return lookup(hostname, { all: true });
}

/**
 * Resolves by DNS alone. `lookup` would hold a thread of libuv's pool until the name server answers, and password
 * hashes wait for the same threads: a few endpoints on a name server that never answers would stop every login.
 *
 * @param servers in place of the machine's own, as `address:port`
 */
export async function resolveByDns(hostname: string, servers?: string[]): Promise<LookupAddress[]> {
  // A new resolver for each name, as each reads the machine's settings only once.
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
}

/** The origin of a push service (`https://push.example.net`); empty for what is no URL. */
export function originOf(endpoint: string): string {
  return URL.parse(endpoint)?.origin ?? '';
}
