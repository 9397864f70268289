import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../../../test/any-text.ts';
import { FILTERS, parsePeopleQuery, peoplePath, toQuery } from './people-address.ts';

const parse = (path: string) => parsePeopleQuery(new URL(path, 'https://chat.example.org').search);

test('the address of the list says its filter and its search', () => {
  assert.equal(peoplePath({}), '/people');
  assert.equal(peoplePath({ show: 'all', q: '' }), '/people');
  assert.equal(peoplePath({ show: 'requests' }), '/people?show=requests');
  assert.equal(peoplePath({ q: 'ada l' }), '/people?q=ada+l');
  assert.equal(peoplePath({ show: 'friends', q: '100%&=' }), '/people?show=friends&q=100%25%26%3D');
  assert.deepEqual(parse('/people'), { show: 'all', q: '' });
  assert.deepEqual(parse('/people?show=online'), { show: 'online', q: '' });
  assert.deepEqual(parse('/people?q=%40ada%20l&show=friends'), { show: 'friends', q: 'ada l' });
  assert.deepEqual(parse('/people/0199?show=requests&q=%E5%B0%8F'), { show: 'requests', q: '小' });
});

test('what an address says in another way counts as not said', () => {
  for (const search of [
    '?show=',
    '?show=everyone',
    '?show=Friends',
    '?show=friends%00',
    '?Show=friends',
    '?a=b',
  ])
    assert.deepEqual(parsePeopleQuery(search), { show: 'all', q: '' }, search);
  assert.deepEqual(parsePeopleQuery('?show=x&show=friends&q=a&q=b'), { show: 'all', q: 'a' });
});

test('the query is cut to what the service accepts', () => {
  assert.equal(toQuery('  @ada '), 'ada');
  assert.equal(toQuery('@'), '@');
  assert.equal(toQuery('@ @ada'), 'ada');
  assert.equal(toQuery('a@b'), 'a@b');
  assert.equal(toQuery('   '), '');
  assert.equal(toQuery('@😀'), '😀');
  assert.equal(toQuery('😀'.repeat(70)), '😀'.repeat(64));
  assert.equal(toQuery('x'.repeat(10_000)), 'x'.repeat(64));
  assert.equal(toQuery('a\0b\n\ud800\udc00c\ud800'), 'ab\ud800\udc00c');
  assert.equal(toQuery('\udfff'), '');
  assert.equal(parse('/people?q=%00').q, '');
  assert.equal(parse(`/people?q=${'%E4%BD%A0'.repeat(10_000)}`).q, '你'.repeat(64));
});

test('an address that is printed is parsed to the same query, whatever was typed', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FILTERS), anyText({ maxLength: 200 }), (show, typed) => {
      const q = toQuery(typed);
      assert.ok(q.isWellFormed() && !q.includes('\0') && [...q].length <= 64);
      assert.deepEqual(parse(peoplePath({ show, q })), { show, q });
    }),
    { numRuns: 1_000 },
  );
});
