import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressKeyOf, addressOf, networkOf, parseNetworks, type TrustedNetworks } from './client-address.ts';

function networks(text: string): TrustedNetworks {
  const parsed = parseNetworks(text);
  assert.ok(parsed, `${text} is a list of networks`);
  return parsed;
}

/** The key of a request from this peer with this `X-Forwarded-For`. */
function clientKey(
  remoteAddress: string | undefined,
  forwarded: string | undefined,
  trusted: TrustedNetworks,
): string {
  return addressKeyOf(received(remoteAddress, forwarded), trusted);
}

function received(remoteAddress: string | undefined, forwarded: string | string[] | undefined) {
  return {
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  };
}

const none = networks('');
const proxies = networks('10.0.0.0/8, fd00::/8, loopback');

test('an IPv4 client is counted by its address, also when the socket shows it mapped into IPv6', () => {
  assert.equal(clientKey('203.0.113.7', undefined, none), '203.0.113.7');
  assert.equal(clientKey('::ffff:203.0.113.7', undefined, none), '203.0.113.7');
  assert.equal(clientKey('::ffff:cb00:7107', undefined, none), '203.0.113.7');
});

test('an IPv6 client is counted by its /64, for any host part, spelling and zone', () => {
  const spellings = [
    '2001:db8:0:1::1',
    '2001:DB8::1:ffff:ffff:ffff:ffff',
    '2001:0db8:0000:0001:0:0:0:2',
    '2001:db8:0:1::9%eth0',
  ];
  for (const spelling of spellings) assert.equal(clientKey(spelling, undefined, none), '2001:db8:0:1::/64');
  assert.equal(clientKey('2001:db8:0:2::1', undefined, none), '2001:db8:0:2::/64');
  assert.equal(clientKey('::1', undefined, none), '0:0:0:0::/64');
});

test('the network for logs is the /24 of an IPv4 address and the /48 of an IPv6 one', () => {
  const networkFor = (address: string | undefined) => networkOf(clientKey(address, undefined, none));
  assert.equal(networkFor('203.0.113.7'), '203.0.113.0/24');
  assert.equal(networkFor('::ffff:203.0.113.7'), '203.0.113.0/24');
  assert.equal(networkFor('2001:db8:1:2::3'), '2001:db8:1::/48');
  assert.equal(networkFor('::1'), '0:0:0::/48');
  assert.equal(networkFor(undefined), 'unknown');
});

test('the address of a request is that of the client that is counted, whole and in one spelling', () => {
  const from = (remoteAddress: string | undefined, forwarded?: string | string[]) =>
    addressOf(received(remoteAddress, forwarded), proxies);
  assert.equal(from('203.0.113.7'), '203.0.113.7');
  assert.equal(from('::ffff:203.0.113.7'), '203.0.113.7');
  assert.equal(from('2001:DB8:0:1:0:0:0:9%eth0'), '2001:db8:0:1::9');
  assert.equal(from('203.0.113.7', '198.51.100.1'), '203.0.113.7');
  assert.equal(from('10.0.0.1', '1.1.1.1, 198.51.100.1'), '198.51.100.1');
  assert.equal(from('::1', ['1.1.1.1', '[2001:db8::5]:567, 10.1.1.1']), '2001:db8::5');
  assert.equal(from('10.0.0.1', 'unknown'), '10.0.0.1');
  assert.equal(from(undefined, '198.51.100.1'), '');
});

test('a closed connection has no address', () => {
  assert.equal(clientKey(undefined, '203.0.113.7', proxies), 'unknown');
  assert.equal(clientKey(undefined, undefined, none), 'unknown');
});

test('a forwarded address from a peer that is not trusted is ignored', () => {
  assert.equal(clientKey('203.0.113.7', '198.51.100.1', none), '203.0.113.7');
  assert.equal(clientKey('203.0.113.7', '198.51.100.1', proxies), '203.0.113.7');
  assert.equal(clientKey('11.0.0.1', '198.51.100.1', proxies), '11.0.0.1');
});

test('the rightmost address that is not a trusted proxy is the client', () => {
  assert.equal(clientKey('10.0.0.1', '198.51.100.1', proxies), '198.51.100.1');
  assert.equal(clientKey('::ffff:10.0.0.1', '198.51.100.1', proxies), '198.51.100.1');
  assert.equal(clientKey('::1', '1.1.1.1, 198.51.100.1, 10.1.1.1,fd00::2', proxies), '198.51.100.1');
  assert.equal(clientKey('10.0.0.1', '2001:db8::5', proxies), '2001:db8:0:0::/64');
});

test('if every address is trusted, the leftmost is the client', () => {
  assert.equal(clientKey('127.0.0.1', '10.2.2.2, 10.1.1.1', proxies), '10.2.2.2');
});

test('an entry that is no address ends the search at the proxy that passed it on', () => {
  for (const entry of [
    'unknown',
    '_hidden',
    '1.2.3',
    '010.0.0.1',
    '0x7f000001',
    '1.2.3.4:x',
    '[::1',
    '1.2.3.4:567890',
    '::1]',
  ])
    assert.equal(clientKey('10.0.0.1', `198.51.100.1, ${entry}, 10.9.9.9`, proxies), '10.9.9.9', entry);
  assert.equal(clientKey('10.0.0.1', 'unknown', proxies), '10.0.0.1');
});

test('empty entries are skipped, and with an empty header the peer is the client', () => {
  assert.equal(clientKey('10.0.0.1', ',198.51.100.1,, ,', proxies), '198.51.100.1');
  for (const empty of ['', ' ', ',', ',,']) assert.equal(clientKey('10.0.0.1', empty, proxies), '10.0.0.1');
});

test('ports and brackets in entries are ignored', () => {
  assert.equal(clientKey('10.0.0.1', '198.51.100.1:567', proxies), '198.51.100.1');
  assert.equal(clientKey('10.0.0.1', '[2001:db8::5]:567', proxies), '2001:db8:0:0::/64');
  assert.equal(clientKey('10.0.0.1', '[2001:db8::5]', proxies), '2001:db8:0:0::/64');
  assert.equal(clientKey('10.0.0.1', '198.51.100.1, 10.1.1.1:80', proxies), '198.51.100.1');
  assert.equal(clientKey('10.0.0.1', '[::ffff:198.51.100.1]:80', proxies), '198.51.100.1');
});

test('entries that a client sends before that of the proxy do not change its address', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('10.0.0.1')), (sent) => {
      assert.equal(clientKey('10.0.0.1', `${sent}, 198.51.100.1`, proxies), '198.51.100.1');
    }),
  );
});

test('any IPv6 address has the key of the other addresses in its /64', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 64n - 1n), (network, host) => {
      const groups = (value: bigint) =>
        value
          .toString(16)
          .padStart(16, '0')
          .replace(/(.{4})(?!$)/g, '$1:');
      const key = clientKey(`${groups(network)}:${groups(host)}`, undefined, none);
      if (network === 0n && host >> 32n === 0xffffn) assert.match(key, /^\d+\.\d+\.\d+\.\d+$/);
      else assert.equal(key, clientKey(`${groups(network)}:0:1:2:3`, undefined, none));
    }),
  );
});

test('the keys are correct also after many different peers', () => {
  for (let i = 0; i < 10_000; i++) clientKey(`10.1.${i >> 8}.${i & 255}`, undefined, none);
  assert.equal(clientKey('10.1.0.0', '198.51.100.1', proxies), '198.51.100.1');
  assert.equal(clientKey('10.1.0.0', undefined, proxies), '10.1.0.0');
});

test('networks are addresses, prefixes of IPv4 and IPv6, and the word loopback', () => {
  const is = (text: string, address: string) =>
    clientKey(address, '198.51.100.1', networks(text)) === '198.51.100.1';
  assert.ok(is('192.0.2.1', '192.0.2.1'));
  assert.ok(!is('192.0.2.1', '192.0.2.2'));
  assert.ok(is('172.16.0.0/12', '172.31.255.255'));
  assert.ok(!is('172.16.0.0/12', '172.32.0.0'));
  assert.ok(is('2001:db8::/32', '2001:db8:ffff::1'));
  assert.ok(!is('2001:db8::/32', '2001:db9::1'));
  assert.ok(is('::ffff:192.0.2.0/120', '192.0.2.9'));
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    assert.ok(is(' loopback ', address));
  assert.ok(!is('loopback', '128.0.0.1'));
  assert.equal(networks('').length, 0);
});

test('anything else is not a list of networks, nor is a network of all addresses', () => {
  const wrong = [
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0',
    '::/129',
    '10.0.0.1,,10.0.0.2',
    '10.0.0.1,',
    'fe80::1%eth0',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0:0/96',
    '10.0.0.0/+8',
    '*',
    'true',
  ];
  for (const text of wrong) assert.equal(parseNetworks(text), undefined, text);
});
