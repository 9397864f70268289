import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findVapidFlaw } from '../../../test/push-receiver.ts';
import { makeVapidKeys, openVapid } from './vapid.ts';

const HOUR = 3_600_000;
const ORIGIN = 'https://push.example.net';

function startVapid() {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const keys = makeVapidKeys();
  const vapid = openVapid({ keys, subject: 'mailto:admin@example.com', now: () => clock.now });
  return { clock, keys, vapid };
}

test('the tests read the header of RFC 8292 section 2.4, and refuse it changed or at another time', () => {
  const header =
    'vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs';
  const now = 1453523768_000 - HOUR;
  assert.equal(findVapidFlaw(header, { origin: ORIGIN, now }), undefined);
  assert.equal(findVapidFlaw(header, { origin: ORIGIN, now: now + HOUR }), 'expired');
  assert.equal(findVapidFlaw(header, { origin: ORIGIN, now: now - 23 * HOUR }), 'exp too far ahead');
  assert.equal(findVapidFlaw(header, { origin: 'https://push.example.org', now }), 'aud');
  assert.equal(findVapidFlaw(header.replace('i3CY', 'i3CZ'), { origin: ORIGIN, now }), 'signature');
});

test('keys are a 65-byte point and a 32-byte scalar in URL-safe Base64 without padding (interface 4.13)', () => {
  const { publicKey, privateKey } = makeVapidKeys();
  assert.match(publicKey, /^B[\w-]{86}$/);
  assert.match(privateKey, /^[\w-]{43}$/);
  assert.notEqual(makeVapidKeys().publicKey, publicKey);
});

test('a push service accepts the header: signature, key, origin, subject and expiry', () => {
  const { clock, keys, vapid } = startVapid();
  const header = vapid.header(ORIGIN);
  const expected = { origin: ORIGIN, now: clock.now, applicationServerKey: keys.publicKey };
  assert.equal(findVapidFlaw(header, expected), undefined);
  assert.equal(vapid.publicKey, keys.publicKey);
  const claims = JSON.parse(Buffer.from(header.split('.')[1] ?? '', 'base64url').toString());
  assert.equal(claims.sub, 'mailto:admin@example.com');
  const other = { ...expected, applicationServerKey: makeVapidKeys().publicKey };
  assert.equal(findVapidFlaw(header, other), 'another key');
});

test('a header is cached for its origin for 12 hours, and is good for at least 6 more', () => {
  const { clock, vapid } = startVapid();
  const first = vapid.header(ORIGIN);
  assert.notEqual(vapid.header('https://push.example.org'), first);
  clock.now += 12 * HOUR - 1;
  assert.equal(vapid.header(ORIGIN), first);
  assert.equal(findVapidFlaw(first, { origin: ORIGIN, now: clock.now + 6 * HOUR }), undefined);
  clock.now += 1;
  const second = vapid.header(ORIGIN);
  assert.notEqual(second, first);
  assert.equal(findVapidFlaw(second, { origin: ORIGIN, now: clock.now }), undefined);
});

test('a clock that is set back makes a new header', () => {
  const { clock, vapid } = startVapid();
  const first = vapid.header(ORIGIN);
  clock.now -= 10 * HOUR;
  assert.notEqual(vapid.header(ORIGIN), first);
  assert.equal(findVapidFlaw(vapid.header(ORIGIN), { origin: ORIGIN, now: clock.now }), undefined);
});

test('a thousand origins are cached, then the oldest is dropped', () => {
  const { vapid } = startVapid();
  const first = vapid.header('https://0.example');
  for (let n = 1; n < 1000; n++) vapid.header(`https://${n}.example`);
  // ECDSA signs with a fresh random number, so a new header differs.
  assert.equal(vapid.header('https://0.example'), first);
  vapid.header('https://1000.example');
  assert.notEqual(vapid.header('https://0.example'), first);
});

test('keys that are no pair are refused at the start', () => {
  const keys = { publicKey: makeVapidKeys().publicKey, privateKey: makeVapidKeys().privateKey };
  assert.throws(
    () => openVapid({ keys, subject: 'mailto:admin@example.com', now: Date.now }),
    /The VAPID public key does not belong to the private key/,
  );
});
