import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DoormanError } from 'doorman-client';
import { allSettled } from '../../../../test/stores.ts';
import { type Hit, MessageSearch } from './message-search.ts';

type Call = Parameters<ConstructorParameters<typeof MessageSearch>[0]['search']>;
type Page = Awaited<ReturnType<ConstructorParameters<typeof MessageSearch>[0]['search']>>;

interface Asked {
  readonly fields: Call[0];
  readonly known: number;
  readonly signal: AbortSignal | undefined;
  readonly answer: (page: Partial<Page>) => Promise<void>;
  readonly refuse: (error: Error) => Promise<void>;
}

const hit = (n: number, body = 'tea', peer = 'bob'): Hit => ({
  peer,
  n,
  from: peer,
  cid: `${n}`,
  body,
  at: n,
});

/** A search whose requests are answered by the test. */
function open(t: TestContext, onDevice: readonly Hit[] = []) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const asked: Asked[] = [];
  const people: unknown[] = [];
  const search = new MessageSearch({
    search: (fields, { known = [], signal } = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<Page>();
      asked.push({
        fields,
        known: known.length,
        signal,
        answer: (page) => {
          resolve({ items: [], people: [], searched: 0, ...page });
          return allSettled();
        },
        refuse: (error) => {
          reject(error);
          return allSettled();
        },
      });
      return promise;
    },
    findOnDevice: (q, peer) =>
      onDevice.filter((one) => one.body.includes(q) && one.peer === (peer ?? one.peer)),
    onPeople: (some) => void people.push(...some),
  });
  const last = () => asked.at(-1) ?? assert.fail('nothing was requested');
  const view = () => search.getSnapshot();
  return { search, asked, people, last, view, tick: (ms: number) => t.mock.timers.tick(ms) };
}

const numbers = (hits: readonly Hit[]) => hits.map(({ n }) => n);
const typed = (q: string, isOffline = false) => ({ q, isOffline });

test('it begins half a second after the last letter, and an earlier query is ended', async (t) => {
  const { search, asked, last, view, tick } = open(t);
  search.setQuery(typed('t'));
  tick(400);
  search.setQuery(typed('te'));
  tick(499);
  assert.deepEqual([asked.length, view().isLoading], [0, true]);
  tick(1);
  assert.deepEqual(last().fields, { q: 'te' });
  search.setQuery(typed('tea'));
  assert.ok(last().signal?.aborted);
  await last().answer({ items: [hit(1)] });
  assert.deepEqual(view().hits, []);
  tick(500);
  assert.deepEqual(
    asked.map(({ fields }) => fields.q),
    ['te', 'tea'],
  );
  await last().answer({ items: [hit(2)], searched: 7 });
  assert.deepEqual(
    [view().q, numbers(view().hits), view().searched, view().isLoading],
    ['tea', [2], 7, false],
  );
  // What is shown stays until the answer to another query; an empty one shows nothing at once.
  search.setQuery(typed('teas'));
  assert.deepEqual([view().q, numbers(view().hits), view().isLoading], ['tea', [2], true]);
  search.setQuery(typed(''));
  tick(5_000);
  assert.deepEqual([view().q, view().hits, view().isLoading, asked.length], ['', [], false, 2]);
});

test('it goes on by itself at most five times while fewer than twenty are shown, then by a button', async (t) => {
  const { search, asked, last, view } = open(t);
  search.setQuery({ q: 'tea', peer: 'bob', isOffline: false }, 0);
  t.mock.timers.tick(0);
  for (let call = 1; call <= 6; call++) {
    assert.equal(asked.length, call);
    assert.ok(view().isLoading);
    await last().answer({ items: [hit(100 - call)], searched: 20_000, next: `c${call}` });
  }
  assert.equal(asked.length, 6);
  assert.deepEqual(
    asked.map(({ fields, known }) => [fields.after, fields.peer, known]),
    [undefined, 'c1', 'c2', 'c3', 'c4', 'c5'].map((after, i) => [after, 'bob', i]),
  );
  assert.deepEqual([view().searched, view().hasMore, view().isLoading], [120_000, true, false]);
  search.more();
  search.more();
  assert.deepEqual([asked.length, last().fields.after], [7, 'c6']);
  await last().answer({ items: Array.from({ length: 20 }, (_, i) => hit(90 - i)), searched: 5, next: 'c7' });
  assert.deepEqual([asked.length, view().hits.length, view().isLoading], [7, 26, false]);
  search.more();
  await last().answer({ searched: 1 });
  assert.deepEqual([view().hasMore, view().searched, view().hits.length], [false, 120_006, 26]);
  search.more();
  assert.equal(asked.length, 8);
});

test('twenty hits are enough', async (t) => {
  const { search, asked, last, view } = open(t);
  search.setQuery(typed('tea'), 0);
  t.mock.timers.tick(0);
  await last().answer({ items: Array.from({ length: 20 }, (_, i) => hit(90 - i)), next: 'c' });
  assert.deepEqual([asked.length, view().hasMore, view().isLoading], [1, true, false]);
});

test('after too many searches it goes on when it may', async (t) => {
  const { search, asked, last, view, tick } = open(t);
  search.setQuery(typed('tea'), 0);
  tick(0);
  await last().refuse(new DoormanError(429, 'too_many_searches', '', { retryAfterMs: 3_000 }));
  assert.equal(view().waitsUntil, 1_003_000);
  tick(2_999);
  await allSettled();
  assert.equal(asked.length, 1);
  tick(1);
  await allSettled();
  assert.equal(asked.length, 2);
  await last().answer({ items: [hit(1)] });
  assert.deepEqual([view().waitsUntil, numbers(view().hits)], [undefined, [1]]);
});

test('another refusal is shown, and can be tried again', async (t) => {
  const { search, asked, last, view, tick } = open(t);
  search.setQuery(typed('tea'), 0);
  tick(0);
  await last().answer({ items: [hit(9)], next: 'c' });
  await last().refuse(new DoormanError(0, 'unreachable', ''));
  assert.deepEqual([view().failure, view().isLoading, numbers(view().hits)], ['unreachable', false, [9]]);
  search.more();
  assert.deepEqual([asked.length, last().fields.after, view().failure], [3, 'c', undefined]);
  await last().answer({ items: [hit(8)] });
  assert.deepEqual([numbers(view().hits), view().failure], [[9, 8], undefined]);
});

test('what is taken back is not found any more, also if a page in progress has it; an edit counts', async (t) => {
  const { search, last, view, tick } = open(t);
  search.setQuery(typed('tea'), 0);
  tick(0);
  await last().answer({ items: [hit(9), hit(8), hit(7)], next: 'c' });
  const change = (n: number, body: string | undefined) =>
    search.change((one) => (one.n !== n ? one : body === undefined ? undefined : { ...one, body }));
  change(9, undefined);
  change(8, 'tea at six');
  change(7, 'coffee');
  change(5, undefined);
  assert.deepEqual(
    view().hits.map(({ body }) => body),
    ['tea at six'],
  );
  await last().answer({ items: [hit(6), hit(5)], next: 'd' });
  assert.deepEqual(numbers(view().hits), [8, 6]);
  // A later page is from after the changes, and may be from after some without an event.
  change(4, 'tea at five');
  await last().answer({ next: 'e' });
  await last().answer({ items: [hit(4, 'tea at four')] });
  assert.equal(view().hits.at(-1)?.body, 'tea at four');
});

test('without a connection it finds what the device has, and searches again when the connection is back', async (t) => {
  const { search, asked, last, view, tick } = open(t, [hit(3), hit(2, 'coffee'), hit(1, 'tea', 'carol')]);
  search.setQuery(typed('tea', true));
  assert.deepEqual([numbers(view().hits), view().isOnDevice, view().isLoading], [[3, 1], true, false]);
  search.setQuery({ q: 'tea', peer: 'carol', isOffline: true });
  assert.deepEqual(numbers(view().hits), [1]);
  search.setQuery(typed('tea'));
  tick(500);
  assert.deepEqual([asked.length, view().isOnDevice], [1, true]);
  await last().answer({ items: [hit(4)] });
  assert.deepEqual([numbers(view().hits), view().isOnDevice], [[4], false]);
});

test('after a snapshot what was found is searched for again, and stays until the answer', async (t) => {
  const { search, asked, last, view, tick } = open(t);
  search.again();
  search.setQuery(typed('tea'), 0);
  tick(0);
  search.again();
  await last().answer({ items: [hit(9), hit(8)], next: 'c' });
  search.again();
  assert.ok(last().signal?.aborted);
  tick(0);
  assert.deepEqual([asked.length, last().fields, numbers(view().hits)], [3, { q: 'tea' }, [9, 8]]);
  await last().answer({ items: [hit(8)] });
  assert.deepEqual(numbers(view().hits), [8]);
});

test('its people become known', async (t) => {
  const { search, last, people, tick } = open(t);
  const bob = { id: 'bob', username: 'bob', nickname: 'Bob', avatar: '' };
  search.setQuery(typed('tea'), 0);
  tick(0);
  await last().answer({ people: [bob] });
  assert.deepEqual(people, [bob]);
});
