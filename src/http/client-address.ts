import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, prefixBits: number];

/** Networks of proxies whose `X-Forwarded-For` is believed. */
export type TrustedNetworks = readonly Network[];

/** The parts of a request that name its client. */
interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

interface Client {
  readonly ip: Address;
  readonly key: string;
}

/** Parsed addresses by their text: parsing one costs 1 to 10 µs, and most requests without a known token have two. */
const parsed = new Map<string, Client>();
const MAX_PARSED = 4096;

/** The key of a connection without an address, since it is closed. */
const UNKNOWN = 'unknown';

/** By the names of ipaddr.js. */
const PRIVATE_RANGES = new Set<string>([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
]);

/**
 * Reads a comma-separated list of addresses, networks (`10.0.0.0/8`, `fd00::/8`), and the word `loopback`. An empty
 * text is an empty list.
 *
 * @returns `undefined` if an entry is none of these, or is the network of all addresses (`/0`): with it, every client
 *   could choose its address
 */
export function parseNetworks(text: string): TrustedNetworks | undefined {
  const words = text.trim() === '' ? [] : text.split(',').map((word) => word.trim());
  const networks = words
    .flatMap((word) => (word === 'loopback' ? ['127.0.0.0/8', '::1'] : [word]))
    .map(parseNetwork);
  return networks.every((network) => network !== undefined) ? networks : undefined;
}

function parseNetwork(word: string): Network | undefined {
  const [, host = '', bits] = /^([^/%]*)(?:\/([1-9]\d{0,2}))?$/.exec(word) ?? [];
  if (isIP(host) === 0) return undefined;
  const ip = ipaddr.parse(host);
  const width = ip instanceof ipaddr.IPv4 ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (prefix > width) return undefined;
  if (ip instanceof ipaddr.IPv4 || !ip.isIPv4MappedAddress()) return [ip, prefix];
  // A mapped network is an IPv4 network, as mapped clients are IPv4 clients.
  return prefix > 96 ? [ip.toIPv4Address(), prefix - 96] : undefined;
}

/**
 * The key under which the limits count a client (architecture 10.7): an IPv4 address; of an IPv6 address its /64, since a client with one
 * address of a /64 has all of them; `unknown` once the connection is closed.
 */
export function addressKeyOf(request: Received, trusted: TrustedNetworks): string {
  return findClient(request, trusted)?.key ?? UNKNOWN;
}

/** The key of an address that {@link addressOf} returned. */
export function keyOfAddress(address: string): string {
  return parseClient(address)?.key ?? UNKNOWN;
}

/** The whole address of a request's client, as RFC 5952 writes it; empty once the connection is closed. */
export function addressOf(request: Received, trusted: TrustedNetworks): string {
  return findClient(request, trusted)?.ip.toString() ?? '';
}

/** What a user can recognize a client by: how it names itself (User-Agent), and its address as {@link addressOf} has it. */
export function clientOf(
  request: Received,
  trusted: TrustedNetworks,
): { readonly device: string; readonly address: string } {
  const device = (request.headers['user-agent'] ?? '').slice(0, 200);
  return { device, address: addressOf(request, trusted) };
}

/** Whether an address is in these networks; '' is in none. */
export function isTrustedAddress(address: string, trusted: TrustedNetworks): boolean {
  const ip = parseClient(address)?.ip;
  return trusted.some(([network, bits]) => network.kind() === ip?.kind() && ip.match(network, bits));
}

/** Whether an address is in a network that the internet does not route, as those of containers and of this machine. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE_RANGES.has(parseClient(address)?.ip.range() ?? '');
}

/**
 * The network of a client, for logs: the /24 of an IPv4 address, the /48 of an IPv6 address.
 *
 * @param key of {@link addressKeyOf}
 */
export function networkOf(key: string): string {
  if (key === UNKNOWN) return UNKNOWN;
  return key.includes(':')
    ? `${key.split(':').slice(0, 3).join(':')}::/48`
    : `${key.slice(0, key.lastIndexOf('.'))}.0/24`;
}

/** The network that is stored in place of an address: the /24 of an IPv4 address, the /64 of an IPv6 address; '' for what is none. */
export function storedNetworkOf(address: string): string {
  const key = parseClient(address)?.key ?? '';
  return key === '' || key.includes(':') ? key : networkOf(key);
}

/**
 * `X-Forwarded-For` counts only if the peer of the connection is trusted. It is read from the right, where the nearest
 * proxy wrote: trusted addresses are our own proxies, the first other address is the client. If all are trusted, the
 * leftmost is the client. An entry that is no address ends the search, and the proxy that passed it on is the client:
 * entries further left are unproven, and a proxy that hides its clients is limited as one client.
 *
 * The `Forwarded` header (RFC 7239) is not read: proxies that do not know it pass on what a client sent.
 */
function findClient({ headers, socket }: Received, trusted: TrustedNetworks): Client | undefined {
  let address = socket.remoteAddress ?? '';
  if (isTrustedAddress(address, trusted)) {
    // Several lines are one list. Its empty elements mean nothing (RFC 9110, 5.6.1.2).
    const entries = `${headers['x-forwarded-for'] ?? ''}`.split(',').map((entry) => entry.trim());
    for (const entry of entries.filter(Boolean).reverse()) {
      const hop = withoutPort(entry);
      if (!parseClient(hop)) break;
      address = hop;
      if (!isTrustedAddress(address, trusted)) break;
    }
  }
  return parseClient(address);
}

/** @returns `undefined` for what is no address; IPv4 for an IPv4 address that is mapped into IPv6 */
function parseClient(text: string): Client | undefined {
  const known = parsed.get(text);
  // Node's test is strict: ipaddr.js also parses `010.1` and `0x7f000001`, which proxies never write.
  if (known || isIP(text) === 0) return known;
  const [withoutZone = ''] = text.split('%', 1);
  const ip = ipaddr.process(withoutZone);
  const client = { ip, key: ip instanceof ipaddr.IPv4 ? ip.toString() : networkKey(ip) };
  if (parsed.size >= MAX_PARSED) parsed.clear();
  // A copy, since an entry is a slice of its header and would keep the whole header in memory.
  parsed.set(Buffer.from(withoutZone, 'latin1').toString('latin1'), client);
  return client;
}

/** By one join, so that the key is one flat string in memory. */
function networkKey({ parts }: ipaddr.IPv6): string {
  return [...parts.slice(0, 4).map((part) => part.toString(16)), ':/64'].join(':');
}

/** `1.2.3.4:567`, `[::1]:567` and `[::1]` without port and brackets; anything else as it is. */
function withoutPort(entry: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(entry);
  return match?.[1] ?? match?.[2] ?? entry;
}
