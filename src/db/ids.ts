import { randomFillSync } from 'node:crypto';

let lastMs = 0;
let counter = 0;

/** Random bytes for many ids, fetched at once: a fetch takes longer than all the rest. */
const random = Buffer.allocUnsafe(8 * 512);
let used = random.length;

/**
 * A UUIDv7 (RFC 9562, 5.7) whose text sorts by the moment it was made. The 12 bits after the time are a counter
 * (RFC 9562, 6.2, method 1), so ids of one process also sort within a millisecond; when the counter is used up or
 * the clock runs backwards, the time part moves on by itself.
 *
 * @param now epoch milliseconds
 */
export function newId(now: number): string {
  if (now > lastMs) {
    lastMs = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  random[used] = ((random[used] ?? 0) & 0x3f) | 0x80;
  const tail = random.toString('hex', used, used + 8);
  used += 8;
  const time = lastMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
