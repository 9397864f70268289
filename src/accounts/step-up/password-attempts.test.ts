import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { Limits } from '../../limits/limits.ts';
import { limitOldPasswords, OLD_PASSWORDS } from './password-attempts.ts';

const QUARTER_MS = 15 * 60_000;

function start() {
  const clock = { ms: 0 };
  const failures = new Limits(() => clock.ms).openFailures('old-password', OLD_PASSWORDS);
  const guard = (userId: string, run: () => Promise<string>) => limitOldPasswords(failures, userId, run);
  const wrong = () => Promise.reject(new ServiceError('invalid', 'wrong_old_password', 'wrong'));
  /** The word of the refusal, or what came back. */
  const attempt = (userId: string, run: () => Promise<string> = wrong) =>
    guard(userId, run).catch((error) => error.word ?? error.message);
  return { clock, guard, attempt, wrong };
}

test('ten wrong passwords in a quarter of an hour, then 429 until the first no longer counts', async () => {
  const { clock, guard, attempt, wrong } = start();
  for (let i = 0; i < 10; i++) {
    assert.equal(await attempt('alice'), 'wrong_old_password');
    clock.ms += 1000;
  }
  await assert.rejects(guard('alice', wrong), { kind: 'rate-limited', retryAfterSeconds: 890 });
  assert.equal(await attempt('alice', async () => 'right'), 'rate_limited');
  assert.equal(await attempt('bob'), 'wrong_old_password');
  clock.ms = QUARTER_MS - 1;
  assert.equal(await attempt('alice', async () => 'right'), 'rate_limited');
  clock.ms = QUARTER_MS;
  assert.equal(await attempt('alice', async () => 'right'), 'right');
  assert.equal(await attempt('alice'), 'wrong_old_password');
  assert.equal(await attempt('alice'), 'rate_limited');
});

test('right passwords, other refusals and faults do not count', async () => {
  const { attempt } = start();
  for (let i = 0; i < 30; i++) {
    assert.equal(await attempt('alice', async () => 'right'), 'right');
    const overload = async () => Promise.reject(new ServiceError('rate-limited', 'overloaded', 'busy'));
    assert.equal(await attempt('alice', overload), 'overloaded');
    assert.equal(await attempt('alice', () => Promise.reject(new Error('fault'))), 'fault');
  }
  assert.equal(await attempt('alice'), 'wrong_old_password');
});

test('parallel attempts are limited alike: one being checked counts as wrong', async () => {
  const { attempt } = start();
  const { promise: checked, resolve } = Promise.withResolvers<void>();
  let started = 0;
  const slow = async (): Promise<string> => {
    started++;
    await checked;
    throw new ServiceError('invalid', 'wrong_old_password', 'wrong');
  };
  const all = Array.from({ length: 50 }, () => attempt('alice', slow));
  resolve();
  const words = await Promise.all(all);
  assert.equal(started, 10);
  assert.equal(words.filter((word) => word === 'wrong_old_password').length, 10);
  assert.equal(words.filter((word) => word === 'rate_limited').length, 40);
});

test('an attempt that turns out right no longer counts', async () => {
  const { attempt } = start();
  const right = async () => 'right';
  assert.equal((await Promise.all(Array.from({ length: 10 }, () => attempt('alice', right)))).length, 10);
  for (let i = 0; i < 10; i++) assert.equal(await attempt('alice'), 'wrong_old_password');
  assert.equal(await attempt('alice'), 'rate_limited');
});
