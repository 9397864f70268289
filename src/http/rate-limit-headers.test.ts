import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { openRateLimit } from './rate-limits.ts';

const minute = 60_000;

test('the headers name the policy, what is left and until when, as the draft spells them', () => {
  const limit = { limit: 60, windowMs: minute };
  assert.deepEqual(
    rateLimitHeaders('api', limit, { allowed: true, remaining: 59, resetSeconds: 12, retryAfterSeconds: 0 }),
    { 'ratelimit-policy': '"api";q=60;w=60', ratelimit: '"api";r=59;t=12' },
  );
  const auth = { limit: 20, windowMs: 15 * minute };
  assert.deepEqual(
    rateLimitHeaders('auth', auth, { allowed: false, remaining: 0, resetSeconds: 7, retryAfterSeconds: 7 }),
    { 'ratelimit-policy': '"auth";q=20;w=900', ratelimit: '"auth";r=0;t=7', 'retry-after': '7' },
  );
});

test('a policy of the same name with other numbers has its own headers', () => {
  const verdict = { allowed: true, remaining: 1, resetSeconds: 1, retryAfterSeconds: 0 };
  rateLimitHeaders('changing', { limit: 5, windowMs: 1_000 }, verdict);
  const headers = rateLimitHeaders('changing', { limit: 7, windowMs: 1_500 }, verdict);
  assert.equal(headers['ratelimit-policy'], '"changing";q=7;w=2');
});

test('a refusal never has a retry-after of 0', () => {
  const headers = rateLimitHeaders('api', openRateLimit({ limit: 2, windowMs: 10 }), {
    allowed: false,
    remaining: 0,
    resetSeconds: 0,
    retryAfterSeconds: 0,
  });
  assert.equal(headers['retry-after'], '1');
});
