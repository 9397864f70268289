import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weightIn } from './weights.ts';

test('the weight of an entry is 1 unless it says another, and 0 where it is not named', () => {
  const header = 'text/html, Application/JSON ; charset=utf-8 ;q=0.5, image/png;q=0, a;q=x';
  assert.equal(weightIn(header, 'text/html'), 1);
  assert.equal(weightIn(header, 'application/json'), 0.5);
  for (const name of ['image/png', 'a', 'text/*', '*/*']) assert.equal(weightIn(header, name), 0, name);
  assert.equal(weightIn('', 'br'), 0);
});

test('entries after the fiftieth are not read', () => {
  assert.equal(weightIn(`${'a,'.repeat(49)}br`, 'br'), 1);
  assert.equal(weightIn(`${'a,'.repeat(50)}br`, 'br'), 0);
});
