import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedQueue } from './bounded-queue.ts';

/** A job that ends when the test ends it, and records its start. */
function openJob(started: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const job = () => {
    started.push(name);
    return promise;
  };
  return { job, end: () => resolve(`${name} done`), fail: (error: Error) => reject(error) };
}

function overloaded(error: unknown): boolean {
  assert(error instanceof Error);
  assert.partialDeepStrictEqual(
    { ...error, message: error.message },
    {
      name: 'ServiceError',
      kind: 'rate-limited',
      word: 'overloaded',
      message: '服务繁忙，请稍后再试',
      retryAfterSeconds: 3,
    },
  );
  return true;
}

test('at most `concurrency` jobs run at the same time, and they start in order of arrival', async () => {
  const queue = new BoundedQueue({ concurrency: 2, limit: 10 });
  const started: string[] = [];
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => openJob(started, name));
  assert(a && b && c && d && e);
  const [ra, rb, rc, rd] = [a, b, c, d].map(({ job }) => queue.run(job));
  assert.deepEqual([started.join(), queue.running, queue.waiting], ['a,b', 2, 2]);

  b.end();
  assert.equal(await rb, 'b done');
  assert.deepEqual([started.join(), queue.running, queue.waiting], ['a,b,c', 2, 1]);

  // A later job waits behind d.
  const re = queue.run(e.job);
  a.end();
  assert.equal(await ra, 'a done');
  assert.deepEqual([started.join(), queue.running, queue.waiting], ['a,b,c,d', 2, 1]);

  for (const { end } of [c, d, e]) end();
  assert.deepEqual(await Promise.all([rc, rd, re]), ['c done', 'd done', 'e done']);
  assert.deepEqual([started.join(), queue.running, queue.waiting], ['a,b,c,d,e', 0, 0]);
});

test('a job that finds the queue full is refused, to be tried again in three seconds', async () => {
  const queue = new BoundedQueue({ concurrency: 1, limit: 2 });
  const started: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => openJob(started, name));
  assert(a && b && c && d);
  const accepted = [a, b, c].map(({ job }) => queue.run(job));
  await assert.rejects(queue.run(d.job), overloaded);

  for (const { end } of [a, b, c]) end();
  await Promise.all(accepted);
  assert.equal(started.join(), 'a,b,c');
  d.end();
  assert.equal(await queue.run(d.job), 'd done');
});

test('a waiting job whose client disconnects never runs, and another can wait in its place', async () => {
  const queue = new BoundedQueue({ concurrency: 1, limit: 2 });
  const started: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => openJob(started, name));
  assert(a && b && c && d);
  const gone = new AbortController();
  const ra = queue.run(a.job);
  const rb = queue.run(b.job, gone.signal);
  const rc = queue.run(c.job);
  gone.abort(new Error('client is gone'));
  await assert.rejects(rb, { message: 'client is gone' });
  assert.equal(queue.waiting, 1);

  const rd = queue.run(d.job);
  for (const { end } of [a, c, d]) end();
  await Promise.all([ra, rc, rd]);
  assert.equal(started.join(), 'a,c,d');
});

test('a job whose client has already disconnected takes no slot', async () => {
  const queue = new BoundedQueue({ concurrency: 1, limit: 1 });
  const started: string[] = [];
  const a = openJob(started, 'a');
  await assert.rejects(queue.run(a.job, AbortSignal.abort(new Error('client is gone'))), {
    message: 'client is gone',
  });
  assert.deepEqual([started.length, queue.running], [0, 0]);
});

test('a started job keeps its slot until it ends, even if its client disconnects', async () => {
  const queue = new BoundedQueue({ concurrency: 1, limit: 2 });
  const started: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => openJob(started, name));
  assert(a && b && c);
  const goneWhileRunning = new AbortController();
  const goneAfterWaiting = new AbortController();
  const ra = queue.run(a.job, goneWhileRunning.signal);
  const rb = queue.run(b.job, goneAfterWaiting.signal);
  const rc = queue.run(c.job);
  goneWhileRunning.abort();
  await new Promise(setImmediate);
  assert.deepEqual([started.join(), queue.running, queue.waiting], ['a', 1, 2]);

  a.end();
  assert.equal(await ra, 'a done');
  goneAfterWaiting.abort();
  await new Promise(setImmediate);
  assert.deepEqual([started.join(), queue.running, queue.waiting], ['a,b', 1, 1]);

  b.end();
  c.end();
  assert.deepEqual(await Promise.all([rb, rc]), ['b done', 'c done']);
});

test('a job that fails passes its slot on', async () => {
  const queue = new BoundedQueue({ concurrency: 1, limit: 1 });
  const started: string[] = [];
  const [a, b] = ['a', 'b'].map((name) => openJob(started, name));
  assert(a && b);
  const ra = queue.run(a.job);
  const rb = queue.run(b.job);
  a.fail(new Error('no memory'));
  b.end();
  await assert.rejects(ra, { message: 'no memory' });
  assert.equal(await rb, 'b done');
  assert.equal(queue.running, 0);
});

test('a job counts for its weight while it waits, and no longer', async () => {
  const queue = new BoundedQueue({ concurrency: 1, limit: 3 });
  const started: string[] = [];
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => openJob(started, name));
  assert(a && b && c && d && e);
  const gone = new AbortController();
  const ra = queue.run(a.job, undefined, 100);
  const rb = queue.run(b.job, undefined, 2.5);
  const rc = queue.run(c.job, gone.signal, 2.5);
  assert.deepEqual([queue.running, queue.waiting], [1, 2]);
  await assert.rejects(queue.run(d.job), overloaded);

  gone.abort(new Error('client is gone'));
  await assert.rejects(rc, { message: 'client is gone' });
  // Half a job counts as one.
  const rd = queue.run(d.job, undefined, 0.5);
  await assert.rejects(queue.run(e.job), overloaded);

  a.end();
  await ra;
  const re = queue.run(e.job);
  for (const { end } of [b, d, e]) end();
  await Promise.all([rb, rd, re]);
  assert.deepEqual([started.join(), queue.running, queue.waiting], ['a,b,d,e', 0, 0]);
});
