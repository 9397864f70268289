import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks of proxies whose `X-Forwarded-For` is believed: each an address and the length of its prefix in bits. */
export type TrustedNetworks = readonly (readonly [Address, number])[];

interface Client {
  readonly ip: Address;
  /** The key by which the client is counted ({@link clientKey}). */
  readonly key: string;
}

/** The key of a connection without an address, since it is closed. */
const UNKNOWN = 'unknown';

const LOOPBACK: TrustedNetworks = [
  [ipaddr.IPv4.parse('127.0.0.0'), 8],
  [ipaddr.IPv6.parse('::1'), 128],
];

/** By the names of ipaddr.js. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
]);

/** Parsed addresses by their text: parsing one costs 1 to 3 µs, and every request has one or two. */
const parsed = new Map<string, Client>();
const MAX_PARSED = 4096;
const MAX_PARSED_LENGTH = 64;

/**
 * Reads a comma-separated list of addresses, networks (`10.0.0.0/8`, `fd00::/8`), and the word `loopback`. An empty
 * text is an empty list.
 *
 * @returns `undefined` if an entry is none of these, or is the network of all addresses (`/0`): with it, every client
 *   could choose its address
 */
export function parseNetworks(text: string): TrustedNetworks | undefined {
  const networks: (readonly [Address, number])[] = [];
  if (text.trim() === '') return networks;
  for (const entry of text.split(',')) {
    const word = entry.trim();
    if (word === 'loopback') {
      networks.push(...LOOPBACK);
      continue;
    }
    const network = parseNetwork(word);
    if (!network) return undefined;
    networks.push(network);
  }
  return networks;
}

function parseNetwork(word: string): readonly [Address, number] | undefined {
  const [host = '', bits, ...rest] = word.split('/');
  if (rest.length > 0 || isIP(host) === 0 || host.includes('%')) return undefined;
  const ip = ipaddr.parse(host);
  const width = ip.kind() === 'ipv4' ? 32 : 128;
  if (bits !== undefined && !/^[1-9]\d{0,2}$/.test(bits)) return undefined;
  const prefix = bits === undefined ? width : Number(bits);
  if (prefix > width) return undefined;
  if (!isMapped(ip)) return [ip, prefix];
  // A mapped network is an IPv4 network, as mapped clients are IPv4 clients.
  return prefix > 96 ? [ip.toIPv4Address(), prefix - 96] : undefined;
}

/**
 * What a client is counted by (architecture 10.7): an IPv4 address, also where it is mapped into IPv6; of an IPv6 address
 * its /64, since a client with one address of a /64 has all of them.
 *
 * `X-Forwarded-For` counts only if the peer of the connection is trusted. It is read from the right, where the nearest
 * proxy wrote: trusted addresses are our own proxies, the first other address is the client. If all are trusted, the
 * leftmost is the client. An entry that is no address ends the search, and the proxy that passed it on is the client:
 * entries further left are unproven, and a proxy that hides its clients is limited as one client.
 *
 * The `Forwarded` header (RFC 7239) is not read: proxies that do not know it pass on what a client sent.
 *
 * @param remoteAddress the peer of the connection, `undefined` once it is closed: then the key is `unknown`
 * @param forwarded the value of `X-Forwarded-For`, several lines joined by commas in their order
 * @param trusted the networks of our own proxies
 */
export function clientKey(
  remoteAddress: string | undefined,
  forwarded: string | undefined,
  trusted: TrustedNetworks,
): string {
  return findClient(remoteAddress, forwarded, trusted)?.key ?? UNKNOWN;
}

/** The {@link clientKey} of a request. */
export function addressKeyOf(request: IncomingMessage, trusted: TrustedNetworks): string {
  return findClientOf(request, trusted)?.key ?? UNKNOWN;
}

/**
 * The whole address of a request's client, found as {@link clientKey} finds it: IPv4 where it is mapped into IPv6, else as RFC
 * 5952 writes it; empty once the connection is closed.
 */
export function addressOf(request: IncomingMessage, trusted: TrustedNetworks): string {
  return findClientOf(request, trusted)?.ip.toString() ?? '';
}

/** Whether an address is in these networks; `undefined` is in none. */
export function isTrustedAddress(address: string | undefined, trusted: TrustedNetworks): boolean {
  const client = address === undefined ? undefined : recallClient(address);
  return client !== undefined && isTrusted(client.ip, trusted);
}

/** Whether an address is in a network that the internet does not route, as those of containers and of this machine. */
export function isPrivateAddress(address: string | undefined): boolean {
  const client = address === undefined ? undefined : recallClient(address);
  return client !== undefined && PRIVATE_RANGES.has(client.ip.range());
}

/**
 * The network of a client, for logs: the /24 of an IPv4 address, the /48 of an IPv6 address.
 *
 * @param key of {@link clientKey}
 */
export function networkOf(key: string): string {
  if (key === UNKNOWN) return UNKNOWN;
  return key.includes(':')
    ? `${key.split(':').slice(0, 3).join(':')}::/48`
    : `${key.slice(0, key.lastIndexOf('.'))}.0/24`;
}

function findClientOf({ headers, socket }: IncomingMessage, trusted: TrustedNetworks): Client | undefined {
  const forwarded = headers['x-forwarded-for'];
  return findClient(
    socket.remoteAddress,
    Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
    trusted,
  );
}

function findClient(
  remoteAddress: string | undefined,
  forwarded: string | undefined,
  trusted: TrustedNetworks,
): Client | undefined {
  if (remoteAddress === undefined) return undefined;
  let client = recallClient(remoteAddress);
  if (forwarded === undefined || trusted.length === 0) return client;
  for (let end = forwarded.length; client !== undefined && end >= 0 && isTrusted(client.ip, trusted); ) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(',', end - 1);
    const entry = forwarded.slice(comma + 1, end).trim();
    end = comma;
    // Empty elements of a list mean nothing (RFC 9110, 5.6.1.2).
    if (entry === '') continue;
    const hop = recallClient(withoutPort(entry));
    if (hop === undefined) break;
    client = hop;
  }
  return client;
}

function recallClient(text: string): Client | undefined {
  const known = parsed.get(text);
  if (known) return known;
  const client = parseClient(text);
  if (client && text.length <= MAX_PARSED_LENGTH) {
    if (parsed.size >= MAX_PARSED) parsed.clear();
    // A copy, since an entry is a slice of its header and would keep the whole header in memory.
    parsed.set(Buffer.from(text, 'latin1').toString('latin1'), client);
  }
  return client;
}

function parseClient(text: string): Client | undefined {
  // Node's test is strict: ipaddr.js also parses `010.1` and `0x7f000001`, which proxies never write.
  if (isIP(text) === 0) return undefined;
  const zone = text.indexOf('%');
  const ip = ipaddr.process(zone === -1 ? text : text.slice(0, zone));
  if (ip instanceof ipaddr.IPv4) return { ip, key: ip.toString() };
  // One join, so that the key is one flat string in memory.
  const key = [...ip.parts.slice(0, 4).map((part) => part.toString(16)), ':/64'].join(':');
  return { ip, key };
}

/** `1.2.3.4:567`, `[::1]:567` and `[::1]` without port and brackets; anything else as it is. */
function withoutPort(entry: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(entry);
  return match?.[1] ?? match?.[2] ?? entry;
}

function isTrusted(ip: Address, trusted: TrustedNetworks): boolean {
  return trusted.some(([network, bits]) => network.kind() === ip.kind() && ip.match(network, bits));
}

/** Whether this is an IPv4 address written as IPv6 (RFC 4291, 2.5.5.2). */
function isMapped(ip: Address): ip is ipaddr.IPv6 {
  return ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress();
}
