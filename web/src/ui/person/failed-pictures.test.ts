import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailedPictures } from './failed-pictures.ts';

const [GONE, OTHER] = ['https://pictures.example.org/gone.png', 'https://pictures.example.org/other.png'];

/** Pictures of a page that is connected, and whether one has failed. */
function connected() {
  const network = { isOnline: true };
  const pictures = new FailedPictures(() => network.isOnline);
  pictures.onConnection('connecting');
  pictures.onConnection('live');
  return { network, pictures, hasFailed: (address: string) => pictures.of(address).getSnapshot() };
}

test('a picture that failed is remembered, by its address, and each component that shows it is notified', () => {
  const { pictures, hasFailed } = connected();
  const notified: string[] = [];
  for (const address of [GONE, GONE, OTHER]) pictures.of(address).subscribe(() => notified.push(address));
  pictures.add(GONE);
  pictures.add(GONE);
  assert.deepEqual(notified, [GONE, GONE]);
  assert.deepEqual([hasFailed(GONE), hasFailed(OTHER)], [true, false]);
});

test('a picture that failed with a network stays so when the network comes back', () => {
  const { pictures, hasFailed } = connected();
  pictures.add(GONE);
  pictures.onConnection('waiting');
  pictures.add(OTHER);
  pictures.onConnection('connecting');
  pictures.onConnection('live');
  assert.deepEqual([hasFailed(GONE), hasFailed(OTHER)], [true, false]);
});

test('the browser may know of the network before the connection to the service breaks', () => {
  const { network, pictures, hasFailed } = connected();
  pictures.add(GONE);
  network.isOnline = false;
  pictures.add(OTHER);
  network.isOnline = true;
  pictures.retry();
  assert.deepEqual([hasFailed(GONE), hasFailed(OTHER)], [true, false]);
});

test('while the page connects at its start, only a failed try to connect is a lost network', () => {
  for (const isCutOff of [false, true]) {
    const pictures = new FailedPictures(() => true);
    pictures.onConnection('connecting');
    pictures.add(GONE);
    if (isCutOff) pictures.onConnection('waiting');
    pictures.onConnection('live');
    // A later outage does not count for it.
    pictures.onConnection('waiting');
    pictures.onConnection('live');
    assert.equal(pictures.of(GONE).getSnapshot(), !isCutOff);
  }
});

test('a bounded number of addresses is remembered, the last ones', () => {
  const { pictures, hasFailed } = connected();
  for (let i = 0; i <= 5_000; i++) pictures.add(`${GONE}?${i}`);
  assert.deepEqual(
    [hasFailed(`${GONE}?0`), hasFailed(`${GONE}?1`), hasFailed(`${GONE}?5000`)],
    [false, true, true],
  );
});
