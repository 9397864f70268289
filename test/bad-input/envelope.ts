import assert from 'node:assert/strict';
import type { Answer } from '../harness.ts';

const CODES = [200, 400, 401, 403, 404, 429, 500];

/**
 * Asserts what holds for every answer (interface 4.1, architecture 10.1): JSON, one of the seven codes as `code` and as
 * status, and for a refusal an error word, a text and nothing else, but of a suspension its reason and end.
 */
export function assertEnvelope(answer: Answer, what: string): void {
  const { status, headers, body, text } = answer;
  const seen = `${what}: ${status} ${text.slice(0, 300)}`;
  assert.ok(CODES.includes(status), seen);
  assert.equal(body.code, status, seen);
  assert.equal(headers['content-type'], 'application/json; charset=utf-8', seen);
  assert.match(String(headers['x-request-id']), /^[0-9a-f]{8}-[0-9a-z]+$/, seen);
  assert.equal(headers['x-content-type-options'], 'nosniff', seen);
  assert.equal(headers['www-authenticate'], status === 401 ? 'Bearer' : undefined, seen);
  if (status === 200) assert.equal(body.msg, undefined, seen);
  else if (text !== '{"code":404,"message":"No push subscription found"}') {
    const ofSuspension = body.error === 'account_suspended' ? ['reason', 'until'] : [];
    assert.deepEqual(Object.keys(body), ['code', 'error', 'msg', ...ofSuspension], seen);
    assert.match(body.error, /^[a-z]+(_[a-z\d]+)*$/, seen);
    assert.ok(typeof body.msg === 'string' && body.msg !== '', seen);
  }
}

/** The same for an answer under `/api/`, which must refuse with one of the codes, in the language of its path. */
export function assertRefused(
  answer: Answer,
  codes: number | readonly number[],
  what: string,
  path: string,
): void {
  assertEnvelope(answer, what);
  const { status, headers, body, text } = answer;
  const seen = `${what}: ${status} ${text.slice(0, 300)}`;
  assert.ok([codes].flat().includes(status), seen);
  assert.equal(headers['cache-control'], 'no-store', seen);
  if (text === '{"code":404,"message":"No push subscription found"}') return;
  const isChinese = /\p{Script=Han}/u.test(body.msg);
  assert.equal(isChinese, !path.startsWith('/api/push/'), seen);
}
