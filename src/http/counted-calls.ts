/**
 * The times of the counted calls of many keys. A key has a slot, a small number; a slot with one call has one number, others
 * a ring buffer that doubles up to `limit` times. New slots are used in order, and the times of a slot are appended in
 * order. A time has expired when it is `windowMs` old.
 */
export class CountedCalls {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #newest: Float64Array;
  readonly #count: Int32Array;
  /** The times of a slot from `#head` on, wrapping around; undefined for a slot that never had two. */
  readonly #rings: (number[] | undefined)[] = [];
  readonly #head: Int32Array;

  /** Memory pages of these arrays are allocated when their first slot is used. */
  constructor(limit: number, windowMs: number, slots: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#newest = new Float64Array(slots);
    this.#count = new Int32Array(slots);
    this.#head = new Int32Array(slots);
  }

  /** How many calls are counted, as of the last `expire`. */
  count(slot: number): number {
    return at(this.#count, slot);
  }

  /** The latest call, also after it has expired. */
  newest(slot: number): number {
    return at(this.#newest, slot);
  }

  /** The oldest call that is counted, as of the last `expire`. */
  oldest(slot: number): number {
    const ring = this.#rings[slot];
    return ring === undefined ? this.newest(slot) : at(ring, at(this.#head, slot));
  }

  /** The counted calls, as of the last `expire`, the oldest first. */
  times(slot: number): number[] {
    const ring = this.#rings[slot];
    const head = at(this.#head, slot);
    return Array.from({ length: this.count(slot) }, (_, i) =>
      ring === undefined ? this.newest(slot) : at(ring, (head + i) % ring.length),
    );
  }

  hasExpired(time: number, now: number): boolean {
    return now - time >= this.#windowMs;
  }

  /** Drops expired calls. @returns how many are left */
  expire(slot: number, now: number): number {
    let count = this.count(slot);
    if (this.hasExpired(this.newest(slot), now)) {
      this.clear(slot);
      return 0;
    }
    const ring = this.#rings[slot];
    if (ring === undefined) return count;
    let head = at(this.#head, slot);
    // It ends at the newest at the latest, which has not expired.
    while (this.hasExpired(at(ring, head), now)) {
      head = head + 1 === ring.length ? 0 : head + 1;
      count--;
    }
    this.#head[slot] = head;
    this.#count[slot] = count;
    return count;
  }

  /** Counts a call at `now`, after an `expire` that left fewer than `limit`. */
  append(slot: number, now: number): void {
    const count = this.count(slot);
    if (count === 0) {
      // Written although it is undefined: an array that is filled in order stays one block of memory.
      this.#rings[slot] = undefined;
    } else {
      let ring = this.#rings[slot];
      if (ring === undefined || count === ring.length) ring = this.#grow(slot, count);
      const end = at(this.#head, slot) + count;
      ring[end < ring.length ? end : end - ring.length] = now;
    }
    this.#newest[slot] = now;
    this.#count[slot] = count + 1;
  }

  clear(slot: number): void {
    this.#rings[slot] = undefined;
    this.#count[slot] = 0;
  }

  /** Plain arrays of numbers are as compact as typed arrays, without the 200 bytes that each of those adds. */
  #grow(slot: number, count: number): number[] {
    const old = this.#rings[slot];
    const head = at(this.#head, slot);
    const ring = new Array<number>(Math.min(2 * count, this.#limit)).fill(this.newest(slot));
    if (old !== undefined) for (let i = 0; i < count; i++) ring[i] = at(old, (head + i) % count);
    this.#head[slot] = 0;
    this.#rings[slot] = ring;
    return ring;
  }
}

/** An element that exists: slots and heads never exceed their arrays. */
function at(numbers: Float64Array | Int32Array | number[], index: number): number {
  return numbers[index] as number;
}
