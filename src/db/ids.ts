import { randomUUID } from 'node:crypto';

let lastMs = 0;
let counter = 0;

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
  const time = lastMs.toString(16).padStart(12, '0');
  // The variant and the random bits of both versions are in the same place. Node fetches random bytes for many ids at once.
  const tail = randomUUID().slice(19);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail}`;
}
