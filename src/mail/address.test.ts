import assert from 'node:assert/strict';
import { test } from 'node:test';
import nodemailer from 'nodemailer';
import { addressKey, parseAddress } from './address.ts';

const LONGEST = `${'a'.repeat(250)}@x.y`;

test('an address keeps its local part; its host is stored in lower case and ASCII', () => {
  for (const [text, address] of [
    ['alice@example.org', 'alice@example.org'],
    ['Alice.B+chat@Mail.Example.ORG', 'Alice.B+chat@mail.example.org'],
    ["a'b`c{|}~^_/=?#$%&*+!.-@example.org", "a'b`c{|}~^_/=?#$%&*+!.-@example.org"],
    ['..a..@example.org', '..a..@example.org'],
    ['=?utf-8?q?b=40y.org=2C?=@example.org', '=?utf-8?q?b=40y.org=2C?=@example.org'],
    ['a@例え.jp', 'a@xn--r8jz45g.jp'],
    ['a@Bücher。example', 'a@xn--bcher-kva.example'],
    [LONGEST, LONGEST],
  ] as const)
    assert.equal(parseAddress(text), address, text);
});

for (const text of [
  '',
  'alice',
  '@example.org',
  'alice@',
  'alice@localhost',
  'a@b@example.org',
  'a＠example.org',
  'a@x.org, b@y.org',
  'a@x.org,b@y.org',
  'a,b@x.org',
  'a@x.org;b@y.org',
  'G: b@y.org, c@z.org;',
  '<b@y.org>',
  'a <b@y.org>',
  '"a b"@x.org',
  '"b@y.org"@x.org',
  'a(b)@x.org',
  'a\\b@x.org',
  'a@x.org\r\nBcc: b@y.org',
  'a\r\n@x.org',
  'a@x.org\n',
  ' a@x.org',
  'a@x.org ',
  'a@x.org\0',
  'a@x.org\u2028',
  'a@x.org／b',
  'ａ@x.org',
  'ä@x.org',
  'a@x.org/b',
  'a@x.org?b',
  'a@x.org#b',
  'a@x.org\\b',
  'a@x.org:25',
  'a@x%2eorg',
  'a@.x.org',
  'a@x..org',
  'a@x.org.',
  'a@-x.org',
  'a@x-.org',
  'a@x_y.org',
  'a@127.0.0.1',
  'a@0x7f.1',
  'a@[127.0.0.1]',
  'a@[::1]',
  `a@${'x'.repeat(64)}.org`,
  `a${LONGEST}`,
  `${'a'.repeat(246)}@ü.de`,
  'x'.repeat(1_000_000),
])
  test(`${JSON.stringify(text.slice(0, 60))} is no address`, () => {
    assert.equal(parseAddress(text), undefined);
  });

test('an address is one recipient for nodemailer, whatever its local part holds', async () => {
  const transport = nodemailer.createTransport({ streamTransport: true });
  const local = "abcXYZ019.!#$%&'*+/=?^_`{|}~-";
  for (const part of [...local, local, '=?utf-8?q?b=40y.org=2C?=', '=?utf-8?B?YkB5Lm9yZyxj?='].filter(
    (part) => part !== '.',
  )) {
    const address = parseAddress(`${part}@x.org`);
    assert.ok(address, part);
    const { envelope } = await transport.sendMail({ from: 'us@x.org', to: { name: '', address }, text: '' });
    assert.deepEqual(envelope.to, [address]);
  }
});

test('addresses that differ in case are one mailbox', () => {
  assert.equal(addressKey('Alice@example.org'), addressKey('aLICE@example.org'));
});
