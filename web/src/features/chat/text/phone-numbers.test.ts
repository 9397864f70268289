import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitLinks } from './links.ts';

/** The phone numbers that are links, as they are written and as they are dialled. */
function phonesIn(text: string): [string, string][] {
  return splitLinks(text).flatMap((part) => (part.kind === 'link' ? [[part.text, part.href]] : []));
}

test('a number in the international form is a link', () => {
  const numbers: [string, string][] = [
    ['+4930123456', 'tel:+4930123456'],
    ['+49 30 123456', 'tel:+4930123456'],
    ['+49 (0)30 123456', 'tel:+4930123456'],
    ['(+49) 30 123456', 'tel:+4930123456'],
    ['+1 (212) 555-0123', 'tel:+12125550123'],
    ['+1.212.555.0123', 'tel:+12125550123'],
    ['+33 6 12 34 56 78', 'tel:+33612345678'],
    ['+86 138 0013 8000', 'tel:+8613800138000'],
    ['+420 123 456 789', 'tel:+420123456789'],
    ['+7 (495) 123-45-67', 'tel:+74951234567'],
  ];
  for (const [text, href] of numbers)
    for (const around of ['_', 'call _.', 'call (_)!', '电话_谢谢', '_, or later', 'Tel.:_\n'])
      assert.deepEqual(phonesIn(around.replace('_', text)), [[text, href]], around.replace('_', text));
});

test('a national number is a link where its grouping is that of a phone number', () => {
  const numbers: [string, string][] = [
    ['030 1234567', 'tel:0301234567'],
    ['030/1234567', 'tel:0301234567'],
    ['(030) 123456', 'tel:030123456'],
    ['0171-1234567', 'tel:01711234567'],
    ['020 7946 0958', 'tel:02079460958'],
    ['(020) 7946 0958', 'tel:02079460958'],
    ['06 12 34 56 78', 'tel:0612345678'],
    ['010-65529988', 'tel:01065529988'],
    ['0755-8234 5678', 'tel:075582345678'],
    ['03-1234-5678', 'tel:0312345678'],
    ['138 0013 8000', 'tel:13800138000'],
    ['212-555-0123', 'tel:2125550123'],
    ['1-800-555-0123', 'tel:18005550123'],
    ['(212) 555-0123', 'tel:2125550123'],
  ];
  for (const [text, href] of numbers)
    for (const around of ['_', 'call _.', '电话：_，谢谢', '_, or later'])
      assert.deepEqual(phonesIn(around.replace('_', text)), [[text, href]], around.replace('_', text));
  assert.deepEqual(
    phonesIn('030 1234567, 0171 1234567 / +49 30 7654321').map(([text]) => text),
    ['030 1234567', '0171 1234567', '+49 30 7654321'],
  );
});

test('dates, times, prices, addresses of machines, versions and numbers of orders are no phone numbers', () => {
  const others = [
    '2026-11-21',
    '21.11.2026',
    '01.02.2026',
    '01/02/2026',
    '01-02-2026 10:30',
    '01-02-2026 1030',
    '01 02 2026 1030',
    '01/02/2026 - 03/02/2026',
    '2026-11-21T14:03:00+0100',
    '09:00-17:00',
    '0800-1700',
    '1 234 567,89 €',
    '+12 345 678 €',
    '+12.345.678',
    '$212-555-0123',
    '12345678',
    '123456789012',
    '+1 000',
    '+1234567',
    '+1234567890123456',
    '192.168.0.1',
    '10.0.0.1:8080',
    '1.2.3-4567',
    '1.0.0+20130313144700',
    '#0451-2277-3391',
    'Order 0451-2277-3391',
    'order number: 0451-2277-3391',
    'No. 212-555-0123',
    '订单号：010-65529988',
    '订单010-65529988',
    'AB-010-65529988',
    '010-65529988-A',
    'x0171-1234567',
    '0171-1234567x',
    'a/030 1234567',
    '978-3-16-148410-0',
    '0-306-40615-2',
    '0123 4567 8901 2345',
    'DE89 3704 0044 0532 0130 00',
    '123-45-6789',
    '+12+13+14+15+16',
    '13800138000',
  ];
  for (const text of others) assert.deepEqual(phonesIn(text), [], text);
});

test('digits of a script that a phone does not dial are no phone number', () => {
  assert.deepEqual(phonesIn('+٤٩ ٣٠ ١٢٣٤٥٦'), []);
  assert.deepEqual(phonesIn('＋４９３０１２３４５６'), []);
});
