import { randomUUID } from 'node:crypto';

/**
 * The syntax of a user's id: one of {@link newId}, or one that a product brought along. Ids are compared exactly. No id has a space, a
 * slash or a quote, so these separate ids from other text; nothing else tells ids and text apart. A pattern of JSON Schema, without its ends.
 */
export const USER_ID_PATTERN = '[A-Za-z0-9][A-Za-z0-9._:@|~-]{0,63}';
const USER_ID = new RegExp(`^${USER_ID_PATTERN}$`);

export function isUserId(id: unknown): id is string {
  return typeof id === 'string' && USER_ID.test(id);
}

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
