import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { test } from 'node:test';
import { isLoopback } from '../../config/fields.ts';
import {
  type AddressRule,
  checkEndpoint,
  guardedLookup,
  isPublicAddress,
  PrivateAddressError,
  type Resolve,
  resolveByDns,
} from './endpoint-guard.ts';

const check = (text: string) => checkEndpoint(text, { reach: 'public', ports: [443, 8443] });

function wordOf(text: string): string {
  const found = check(text);
  return found.ok ? 'ok' : found.word;
}

test('endpoints of the known push services pass, and come back as URLs', () => {
  const endpoints = [
    'https://fcm.googleapis.com/fcm/send/abc:APA91b_-',
    'https://updates.push.services.mozilla.com/wpush/v2/gAAAAA',
    'https://web.push.apple.com/QGuQyavXutnMR1c',
    'https://wns2-par02p.notify.windows.com/w/?token=BQYAAA%3d%3d',
    'https://push.example.org:8443/up?token=x',
    'https://8.8.8.8/push',
    'https://[2606:4700::1111]/push',
  ];
  for (const endpoint of endpoints) {
    const found = check(endpoint);
    assert.ok(found.ok, endpoint);
    assert.equal(found.url.href, endpoint);
  }
});

test('an endpoint that is no URL, not https, too long or has credentials is refused with its word', () => {
  assert.equal(wordOf(''), 'endpoint_invalid');
  assert.equal(wordOf('push.example.org/x'), 'endpoint_invalid');
  assert.equal(wordOf('https://'), 'endpoint_invalid');
  assert.equal(wordOf('https://push.example.org:99999/'), 'endpoint_invalid');
  assert.equal(wordOf('https://push.example.org/a\nb'), 'endpoint_invalid');
  assert.equal(wordOf(' https://push.example.org/'), 'endpoint_invalid');
  assert.equal(wordOf('https://user@push.example.org/'), 'endpoint_invalid');
  assert.equal(wordOf('https://:secret@push.example.org/'), 'endpoint_invalid');
  assert.equal(wordOf('https://8.8.8.8@127.0.0.1/'), 'endpoint_invalid');
  for (const scheme of ['http', 'ftp', 'ws', 'file', 'data', 'javascript']) {
    assert.equal(wordOf(`${scheme}://push.example.org/`), 'endpoint_not_https', scheme);
  }
});

test('in public an endpoint is on one of the ports', () => {
  for (const port of ['', ':443', ':8443'])
    assert.equal(wordOf(`https://push.example.org${port}/`), 'ok', port);
  for (const port of [':22', ':80', ':444', ':0', ':65535'])
    assert.equal(wordOf(`https://push.example.org${port}/`), 'endpoint_port', port);
});

test('an endpoint has up to 2048 code points', () => {
  const start = 'https://push.example.org/';
  assert.equal(wordOf(start + 'x'.repeat(2048 - start.length)), 'ok');
  assert.equal(wordOf(start + '😀'.repeat(2048 - start.length)), 'ok');
  assert.equal(wordOf(start + 'x'.repeat(2049 - start.length)), 'endpoint_too_long');
});

const PRIVATE_HOSTS = {
  loopback: ['127.0.0.1', '127.255.255.254', '[::1]'],
  'names of loopback': [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'a.localhost',
    'a.b.localhost.',
  ],
  'names in disguise': ['ⓛocalhost', 'l%6fcalhost', 'ＬＯＣＡＬＨＯＳＴ', 'local\u00adhost'],
  'short, decimal, hexadecimal, octal': [
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0',
  ],
  'full-width digits and dots': ['１２７.０.０.１', '127。0。0。1', '127．0．0．1', '①②⑦.0.0.1'],
  'trailing dot and escapes': ['127.0.0.1.', '127.1.', '%31%32%37.0.0.1', '0x7F.0.0.1.'],
  unspecified: ['0.0.0.0', '0.1.2.3', '[::]'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '167772161'],
  'link-local': ['169.254.0.1', '[fe80::1]', '[febf::1]'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'cloud metadata': [
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
  ],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.255', '255.255.255.255', '[ff02::1]', '[ff0e::1]'],
  'reserved, benchmark, documentation': [
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '192.88.99.1',
    '[2001:db8::1]',
    '[3fff::1]',
    '[2001:2::1]',
    '[100::1]',
    '[5f00::1]',
    '[2001:20::1]',
    '[2001:1::1]',
  ],
  'IPv4 in IPv6': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:8.8.8.8]',
    '[::127.0.0.1]',
    '[::8.8.8.8]',
    '[::ffff:0:127.0.0.1]',
    '[0:0:0:0:0:ffff:a00:1]',
  ],
  NAT64: ['[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a00:1]', '[64:ff9b:1:ffff::a00:1]'],
  '6to4 and Teredo': ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2001::1]', '[2001:0:7f00:1::1]'],
  'unique local, site local': ['[fc00::1]', '[fdff:ffff::1]', '[fec0::1]'],
  'not handed out': ['[4000::1]', '[1::1]', '[e000::1]'],
};

for (const [name, hosts] of Object.entries(PRIVATE_HOSTS)) {
  test(`no endpoint on a private host: ${name}`, () => {
    for (const host of hosts) {
      assert.equal(wordOf(`https://${host}/push`), 'endpoint_private', host);
      assert.equal(wordOf(`https://${host}:8443/push`), 'endpoint_private', host);
    }
  });
}

test('with the widest reach, http and every host pass, credentials and other schemes do not', () => {
  const passesAnywhere = (text: string) => checkEndpoint(text, { reach: 'any', ports: [] }).ok;
  assert.ok(passesAnywhere('http://127.0.0.1:8080/push'));
  assert.ok(passesAnywhere('https://localhost/push'));
  assert.ok(passesAnywhere('http://[::1]/push'));
  assert.ok(!passesAnywhere('http://user@127.0.0.1/push'));
  assert.ok(!passesAnywhere('ftp://127.0.0.1/push'));
});

test('with reach loopback, loopback passes by http and https, other private hosts do not', () => {
  const rule = (text: string) => {
    const found = checkEndpoint(text, { reach: 'loopback', ports: [443] });
    return found.ok ? found.isAllowed : found.word;
  };
  for (const host of ['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '127.255.255.254', '2130706433'])
    for (const scheme of ['http', 'https'])
      assert.equal(rule(`${scheme}://${host}:9/push`), isLoopback, host);
  for (const host of ['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'])
    for (const scheme of ['http', 'https'])
      assert.equal(rule(`${scheme}://${host}:9/push`), isLoopback, host);
  const others = Object.entries(PRIVATE_HOSTS).flatMap(([, hosts]) => hosts);
  for (const host of others.filter((one) => rule(`https://${one}/push`) !== isLoopback))
    for (const scheme of ['http', 'https'])
      assert.equal(rule(`${scheme}://${host}/push`), 'endpoint_private', host);
  for (const host of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '[::]', '[::ffff:10.0.0.1]', '[::127.0.0.1]'])
    assert.equal(rule(`https://${host}/push`), 'endpoint_private', host);
  // A name passes by its address: loopback alone for http, public addresses alone for https.
  assert.equal(rule('http://push.example.org:9/push'), isLoopback);
  assert.equal(rule('https://push.example.org/push'), isPublicAddress);
  assert.equal(rule('http://8.8.8.8/push'), 'endpoint_not_https');
});

test('an address is public only if it is one address of global unicast, written plainly', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ]) {
    assert.ok(isPublicAddress(address), address);
  }
  for (const address of [
    '',
    'localhost',
    '8.8.8',
    '8.8.8.8.',
    '010.8.8.8',
    '8.8.8.8/8',
    '2606:4700::1%eth0',
    'fe80::1%1',
  ]) {
    assert.ok(!isPublicAddress(address), address);
  }
});

type Found = string | LookupAddress[];

function look(
  resolve: Resolve,
  { all, isAllowed = isPublicAddress }: { all: boolean; isAllowed?: AddressRule },
): Promise<Found> {
  const lookup = guardedLookup({ isAllowed, resolve });
  return new Promise((found, failed) => {
    lookup('push.example.org', { all }, (error, address) => (error ? failed(error) : found(address)));
  });
}

const v4 = (address: string): LookupAddress => ({ address, family: 4 });

test('a name that leads to loopback is refused', async () => {
  for (const all of [true, false]) {
    await assert.rejects(
      look(async () => [v4('127.0.0.1'), { address: '::1', family: 6 }], { all }),
      PrivateAddressError,
    );
  }
});

test('of a name with public and private addresses, only the public ones are used', async () => {
  const mixed: Resolve = async () => [v4('10.0.0.1'), v4('8.8.8.8'), v4('169.254.169.254'), v4('1.1.1.1')];
  assert.deepEqual(await look(mixed, { all: true }), [v4('8.8.8.8'), v4('1.1.1.1')]);
  assert.equal(await look(mixed, { all: false }), '8.8.8.8');
});

test('a name that changes from public to private is checked at each connection', async () => {
  const answers = ['8.8.8.8', '127.0.0.1'];
  let asked = 0;
  const rebinding: Resolve = async () => [v4(answers[asked++] ?? '127.0.0.1')];
  assert.deepEqual(await look(rebinding, { all: true }), [v4('8.8.8.8')]);
  assert.equal(asked, 1, 'the checked answer is used, without a second query');
  await assert.rejects(look(rebinding, { all: true }), PrivateAddressError);
});

test('a name without addresses, or without an answer, is an error', async () => {
  await assert.rejects(
    look(async () => [], { all: true }),
    { message: 'The name has no address' },
  );
  const broken: Resolve = () => Promise.reject(new Error('queryA ESERVFAIL'));
  await assert.rejects(look(broken, { all: true }), { message: 'queryA ESERVFAIL' });
});

const RECORDS: Record<string, { type: number; data: number[] }[]> = {
  'both.example': [
    { type: 1, data: [8, 8, 8, 8] },
    { type: 28, data: [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11] },
  ],
  'old.example': [{ type: 1, data: [127, 0, 0, 1] }],
};

/** A name server that knows {@link RECORDS} (RFC 1035 4). */
async function startNameServer(): Promise<{ socket: Socket; address: string }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += query.readUInt8(at) + 1) {
      labels.push(query.toString('latin1', at + 1, at + 1 + query.readUInt8(at)));
    }
    const records = RECORDS[labels.join('.')];
    const type = query.readUInt16BE(end + 1);
    const found = (records ?? []).filter((record) => record.type === type);
    const answers = found.map(({ data }) => [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]);
    const header = [0x81, records ? 0x80 : 0x83, 0, 1, 0, found.length, 0, 0, 0, 0];
    const parts = [
      query.subarray(0, 2),
      Buffer.from(header),
      query.subarray(12, end + 5),
      Buffer.from(answers.flat()),
    ];
    socket.send(Buffer.concat(parts), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { socket, address: `127.0.0.1:${socket.address().port}` };
}

test('names are resolved by DNS, for IPv4 and IPv6 addresses', async (t) => {
  const { socket, address } = await startNameServer();
  t.after(() => socket.close());
  assert.deepEqual(await resolveByDns('both.example', [address]), [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
  assert.deepEqual(await resolveByDns('old.example', [address]), [v4('127.0.0.1')]);
  await assert.rejects(resolveByDns('none.example', [address]), { code: 'ENOTFOUND' });
  await assert.rejects(
    look(() => resolveByDns('old.example', [address]), { all: true }),
    PrivateAddressError,
  );
});

test('with another rule, the addresses that it allows are used, and localhost is found', async () => {
  assert.equal(await look(async () => [v4('127.0.0.1')], { all: false, isAllowed: isLoopback }), '127.0.0.1');
  const lookup = guardedLookup({ isAllowed: isLoopback });
  const address = await new Promise((found, failed) => {
    lookup('localhost', { all: false }, (error, result) => (error ? failed(error) : found(result)));
  });
  assert.match(String(address), /^(?:127\.0\.0\.1|::1)$/);
});
