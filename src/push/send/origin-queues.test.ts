import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OriginQueues } from './origin-queues.ts';

interface QueuedJob {
  readonly origin: string;
  readonly n: number;
}

function jobs(origin: string, count: number): QueuedJob[] {
  return Array.from({ length: count }, (_, n) => ({ origin, n }));
}

/** Queues in which the push services at `origins` are known to answer. */
function established(...origins: string[]): OriginQueues<QueuedJob> {
  const queues = new OriginQueues<QueuedJob>();
  for (const origin of origins)
    for (let i = 0; i < 4; i++) {
      queues.offer({ origin, n: -1 });
      for (const job of queues.start(1)) queues.end(job, { ms: 10, isAnswered: true });
    }
  return queues;
}

test('a push service that answers gets sixteen requests at a time, one that is not known to answer two', () => {
  const queues = established('https://good');
  for (const job of [...jobs('https://good', 40), ...jobs('https://new', 10)]) assert(queues.offer(job));
  const started = Map.groupBy(queues.start(100), (job) => job.origin);
  assert.equal(started.get('https://good')?.length, 16);
  assert.equal(started.get('https://new')?.length, 2);
  assert.deepEqual(queues.start(100), []);
});

test('queues are served round-robin, each in its own order', () => {
  const queues = established('a', 'b');
  for (const job of [...jobs('a', 5), ...jobs('b', 2)]) queues.offer(job);
  assert.deepEqual(
    queues.start(5).map(({ origin, n }) => `${origin}${n}`),
    ['a0', 'b0', 'a1', 'b1', 'a2'],
  );
});

test('a push service that stops answering gets less, and more again when it answers', () => {
  const queues = established('a');
  for (const job of jobs('a', 16)) queues.offer(job);
  const hanging = queues.start(100);
  assert.equal(hanging.length, 16);
  for (const job of hanging) queues.end(job, { ms: 10_000, isAnswered: false });
  assert.deepEqual(
    jobs('a', 4).map((job) => queues.offer(job)),
    [true, true, false, false],
  );
  const [only, ...others] = queues.start(100);
  assert.deepEqual(others, []);
  assert(only);
  queues.end(only, { ms: 5, isAnswered: true });
  for (const job of jobs('a', 4)) queues.offer(job);
  assert.equal(queues.start(100).length, 2);
});

test('a thousand push services that hang leave room for those that answer', () => {
  const queues = established('https://good');
  for (let i = 0; i < 1_000; i++) for (const job of jobs(`https://evil-${i}`, 3)) queues.offer(job);
  assert.equal(queues.start(1_000).length, 64);
  for (const job of jobs('https://good', 100)) assert(queues.offer(job));
  assert.equal(queues.start(1_000).length, 16);
});

test('a full queue spreads the retries of refused jobs within a minute', () => {
  const queues = new OriginQueues<QueuedJob>();
  let taken = 0;
  while (queues.offer({ origin: 'a', n: taken })) taken += 1;
  assert.equal(taken, 32);
  // Its latency is not known yet.
  assert.deepEqual([queues.retryAt('a', 5_000), queues.retryAt('a', 5_000)], [5_250, 5_250]);
  for (const job of queues.start(2)) queues.end(job, { ms: 1_000, isAnswered: true });
  const retries = Array.from({ length: 1_000 }, () => queues.retryAt('a', 5_000));
  assert.deepEqual(retries.slice(0, 3), [5_125, 5_250, 5_375]);
  assert(retries.every((at) => at <= 65_000));
  assert(queues.offer({ origin: 'b', n: 0 }));
});

test('queues are empty when every job has ended or was removed', () => {
  const queues = new OriginQueues<QueuedJob>();
  for (const job of jobs('a', 3)) queues.offer(job);
  const started = queues.start(10);
  assert.equal(queues.isEmpty, false);
  assert.deepEqual(queues.clear(), [{ origin: 'a', n: 2 }]);
  for (const job of started) queues.end(job, null);
  assert.equal(queues.isEmpty, true);
  assert.deepEqual(queues.start(10), []);
});
