import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { parseNetworks } from '../client-address.ts';
import { openProxyWarnings } from './proxy-warnings.ts';

const HOUR_MS = 60 * 60 * 1000;

function start({ trust = '', hasPublicUrl = false, tryingLocally = false, origins = [] as string[] } = {}) {
  const lines: { fields: Record<string, unknown>; text: string }[] = [];
  const time = { now: 0 };
  const warnings = openProxyWarnings(
    {
      warn: (fields: Record<string, unknown>, text?: string) => void lines.push({ fields, text: text ?? '' }),
    },
    { trustProxy: parseNetworks(trust) ?? [], hasPublicUrl, tryingLocally, origins },
    () => time.now,
  );
  const look = (remoteAddress: string, headers: Record<string, string>) =>
    warnings.look({ socket: { remoteAddress }, headers } as unknown as IncomingMessage); // all that is read of it
  /** Notes so many users of an address, each with an id of their own. */
  let users = 0;
  const noteUsers = (count: number, address: string) => {
    for (let i = 0; i < count; i++) warnings.noteUser(`user-${++users}`, address);
  };
  return { warnings, lines, time, look, noteUsers, fields: () => lines.map(({ fields }) => fields) };
}

test('a forwarding header of a private peer is a warning, with the setting that trusts it', () => {
  for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip'])
    for (const [peer, set] of [
      ['172.18.0.5', 'TRUST_PROXY=172.18.0.5'],
      ['::ffff:172.18.0.5', 'TRUST_PROXY=172.18.0.5'],
      ['fd00::7', 'TRUST_PROXY=fd00::7'],
      ['fe80::7%eth0', 'TRUST_PROXY=fe80::7'],
      ['127.0.0.1', 'TRUST_PROXY=loopback'],
      ['::ffff:127.0.0.1', 'TRUST_PROXY=loopback'],
      ['::1', 'TRUST_PROXY=loopback'],
    ] as const) {
      const { look, lines } = start({ tryingLocally: true });
      look(peer, { [header]: '203.0.113.7' });
      assert.deepEqual(lines[0]?.fields, { header, set });
      assert.ok(lines[0]?.text.includes(`set ${set}`));
      const trusting = start({ trust: set.slice('TRUST_PROXY='.length) });
      trusting.look(peer, { 'x-forwarded-for': '203.0.113.7', [header]: '203.0.113.7' });
      assert.deepEqual(trusting.lines, [], 'the setting ends the warning');
    }
});

test('of a public peer the warning names the network alone, and comes once', () => {
  const { look, fields, time } = start();
  look('203.0.113.7', { 'x-forwarded-for': '127.0.0.1' });
  time.now += 100 * HOUR_MS;
  look('198.51.100.1', { 'x-forwarded-for': '127.0.0.1' });
  assert.deepEqual(fields(), [{ header: 'x-forwarded-for', network: '203.0.113.0/24' }]);
});

test('a trusted proxy that sends another header than X-Forwarded-For is a warning', () => {
  const { look, lines } = start({ trust: '10.0.0.0/8' });
  look('10.0.0.1', { 'x-real-ip': '203.0.113.7' });
  assert.deepEqual(lines[0]?.fields, { header: 'x-real-ip' });
  assert.match(lines[0]?.text ?? '', /let the proxy send X-Forwarded-For$/);
});

test('a warning comes once an hour at most', () => {
  const { look, lines, time } = start();
  for (let i = 0; i < 10; i++) look('10.0.0.1', { 'x-forwarded-for': '203.0.113.7' });
  time.now += HOUR_MS - 1;
  look('10.0.0.1', { 'x-forwarded-for': '203.0.113.7' });
  assert.equal(lines.length, 1);
  time.now += 1;
  look('10.0.0.1', { 'x-forwarded-for': '203.0.113.7' });
  assert.equal(lines.length, 2);
});

test('requests without such a header are no warning', () => {
  const { look, lines } = start();
  for (const peer of ['127.0.0.1', '172.18.0.5', '203.0.113.7'])
    look(peer, { via: '1.1 proxy', host: 'chat' });
  assert.deepEqual(lines, []);
});

test('five users from one private address within an hour are a warning, with what to set', () => {
  const { noteUsers, lines } = start();
  noteUsers(4, '172.18.0.5');
  assert.equal(lines.length, 0);
  noteUsers(1, '172.18.0.5');
  assert.deepEqual(lines[0]?.fields, { address: '172.18.0.5' });
  assert.match(
    lines[0]?.text ?? '',
    /if it is your proxy, set TRUST_PROXY=172\.18\.0\.5, and let the proxy send/,
  );
  const trusting = start({ trust: '172.16.0.0/12' });
  trusting.noteUsers(5, '172.18.0.5');
  assert.match(trusting.lines[0]?.text ?? '', /private address: let the proxy send X-Forwarded-For$/);
});

test('one user with many tokens, users of many addresses, of a slow hour, and among public ones are no warning', () => {
  const { warnings, noteUsers, lines, time } = start();
  for (let i = 0; i < 20; i++) warnings.noteUser('alice', '192.168.1.5');
  for (let i = 2; i < 200; i++) noteUsers(4, `192.168.7.${i}`);
  time.now += HOUR_MS;
  noteUsers(4, '192.168.1.5');
  noteUsers(1, '203.0.113.7');
  noteUsers(4, '192.168.1.5');
  noteUsers(1, '');
  noteUsers(20, '203.0.113.8');
  assert.deepEqual(lines, []);
});

test('a developer who tries many users on their own machine gets no warning', () => {
  const { noteUsers, lines } = start({ tryingLocally: true });
  noteUsers(100, '127.0.0.1');
  assert.deepEqual(lines, []);
});

test('a page that was refused its socket is a warning, with the setting to paste', () => {
  const { warnings, fields } = start();
  for (const origin of ['', 'null', 'nonsense', 'https://', 'javascript:alert(1)'])
    warnings.refusedOrigin(origin);
  assert.deepEqual(fields(), []);
  warnings.refusedOrigin('https://chat.example.com/x?token=secret');
  assert.deepEqual(fields(), [{ set: 'PUBLIC_URL=https://chat.example.com' }]);
  const set = start({ hasPublicUrl: true, origins: ['https://app.example.com'] });
  const long = `https://${'x'.repeat(100)}.${'y'.repeat(100)}.example.com`;
  for (const origin of ['null', long]) set.warnings.refusedOrigin(origin);
  assert.deepEqual(set.fields(), []);
  for (let i = 0; i < 2; i++) set.warnings.refusedOrigin('https://Other.example.com');
  assert.deepEqual(set.fields(), [{ set: 'ORIGINS=https://app.example.com,https://other.example.com' }]);
});
