import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushResponse } from '../webpush/request.ts';
import { classifyResponse, suspendedUntil } from './retry-policy.ts';

const NOW = 1_790_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const fresh = { attempts: 0, decided_at: NOW, short: 0 };

function refused(status: number, retryAfter?: string | string[]): PushResponse {
  return {
    kind: 'refused',
    status,
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

test('201 and 202 are success, 404 and 410 remove the device, 413 sends the short form once', () => {
  assert.deepEqual(classifyResponse({ kind: 'accepted', status: 202 }, fresh, NOW, 0), {
    kind: 'ended',
    outcome: 'accepted',
    status: 202,
  });
  for (const status of [404, 410])
    assert.deepEqual(classifyResponse(refused(status), fresh, NOW, 0), {
      kind: 'ended',
      outcome: 'gone',
      status,
      reason: 'gone',
    });
  assert.deepEqual(classifyResponse(refused(413), fresh, NOW, 0), { kind: 'truncated' });
  assert.equal(classifyResponse(refused(413), { ...fresh, short: 1 }, NOW, 0).kind, 'refused');
});

test('429 and 503 wait as Retry-After says, from a second to an hour', () => {
  for (const status of [429, 503])
    for (const [retryAfter, waited] of [
      ['0', 1_000],
      ['Wed, 21 Oct 2015 07:28:00 GMT', 1_000],
      ['90', 90_000],
      [new Date(NOW + 90_000).toUTCString(), 90_000],
      [['30', '90'], 90_000],
      ['86400', HOUR],
      ['9'.repeat(30), HOUR],
      ['Fri, 31 Dec 9999 23:59:59 GMT', HOUR],
    ] as [string | string[], number][])
      assert.deepEqual(classifyResponse(refused(status, retryAfter), fresh, NOW, 0), {
        kind: 'rate_limited',
        until: NOW + waited,
        status,
        reason: status === 429 ? 'rate_limited' : 'server_error',
      });
});

test('429 and 503 with an unreadable Retry-After are retried like any failure', () => {
  for (const retryAfter of ['soon', '-1', '1.5', ''])
    assert.deepEqual(
      classifyResponse(refused(503, retryAfter), fresh, NOW, 1),
      classifyResponse(refused(503), fresh, NOW, 1),
    );
});

test('a failed push is retried after 1 s to 1 h, doubling, with jitter, and dropped after 24 h', () => {
  const wait = (answer: PushResponse, attempts: number, random: number) => {
    const outcome = classifyResponse(answer, { ...fresh, attempts }, NOW, random);
    assert.equal(outcome.kind, 'retried');
    return outcome.kind === 'retried' ? outcome.until - NOW : 0;
  };
  const timeout: PushResponse = { kind: 'failed', word: 'timeout' };
  for (const answer of [refused(500), refused(502), refused(503), refused(429), timeout]) {
    assert.deepEqual(
      [0, 1, 2, 11, 12, 40].map((attempts) => wait(answer, attempts, 1)),
      [1_000, 2_000, 4_000, 2_048_000, HOUR, HOUR],
    );
    assert.equal(wait(answer, 3, 0), 4_000);
    const old = { ...fresh, decided_at: NOW - DAY };
    assert.equal(classifyResponse(answer, old, NOW, 0).kind, 'ended');
  }
});

test('any other refusal, and an address that is not allowed, suspends the subscription', () => {
  const elsewhere: PushResponse = { kind: 'failed', word: 'private_address' };
  for (const answer of [...[301, 400, 401, 402, 403, 405, 415].map((status) => refused(status)), elsewhere])
    assert.equal(classifyResponse(answer, fresh, NOW, 0).kind, 'refused');
});

test('a port that is not allowed drops the push and keeps the device', () => {
  assert.deepEqual(classifyResponse({ kind: 'failed', word: 'port' }, fresh, NOW, 0), {
    kind: 'ended',
    outcome: 'failed',
    reason: 'port',
  });
});

test('a refused subscription is suspended for 1 h, doubling, and removed after 7 days without a success', () => {
  const waits: number[] = [];
  let at = NOW;
  for (let refusals = 0; ; refusals++) {
    const until = suspendedUntil({ refusals, refused_since: refusals === 0 ? null : NOW }, at);
    if (until === undefined) break;
    waits.push((until - at) / HOUR);
    at = until;
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 41]);
  assert.equal(at, NOW + 7 * DAY);
});
