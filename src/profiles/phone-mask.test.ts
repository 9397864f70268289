import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskPhone } from './profiles.ts';

const TABLE = {
  '': '',
  '1': '*',
  '1234': '****',
  '12345': '***45',
  '123456789': '*******89',
  '1234567890': '********90',
  '12345678901': '123****8901',
  '13812345678': '138****5678',
  '123456789012345': '123********2345',
  '+49 30 123456': '***********56',
  '+86 138 1234 5678': '*86*1********5678',
  '(030) 12-34': '*********34',
  '+1-2': '****',
  '---': '***',
  '+86-(138).1234 5678': '*86**1*********5678',
};

test('of 11 digits and more the first 3 and the last 4 stay, of 5 to 10 the last 2, else none', () => {
  for (const [phone, masked] of Object.entries(TABLE)) assert.equal(maskPhone(phone), masked, phone);
});

test('the length stays, nothing but digits and asterisks shows, and never more digits than promised', () => {
  const phones = fc.string({ unit: fc.constantFrom(...'0123456789+-(). '), maxLength: 32 });
  fc.assert(
    fc.property(phones, (phone) => {
      const masked = maskPhone(phone);
      assert.equal(masked.length, phone.length);
      assert.match(masked, /^[0-9*]*$/);
      const digits = phone.replaceAll(/\D/g, '').length;
      const shown = masked.replaceAll('*', '').length;
      assert.equal(shown, digits >= 11 ? 7 : digits >= 5 ? 2 : 0);
      for (const [i, one] of [...masked].entries()) if (one !== '*') assert.equal(one, phone[i]);
    }),
  );
});
