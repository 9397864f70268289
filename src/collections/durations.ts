/** How many durations of one kind fell into each bucket. */
interface DurationCounts {
  /** By bucket, each without those below it; the last one has all that exceed every bound. */
  readonly counts: number[];
  /** Seconds. */
  sum: number;
}

/** Durations of several kinds, counted by buckets. */
export class Durations {
  /** The upper bounds of the buckets in seconds, rising. */
  readonly bounds: readonly number[];
  readonly #byKind = new Map<string, DurationCounts>();

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
  }

  /** @param kind one of few: each is kept */
  add(kind: string, seconds: number): void {
    let counted = this.#byKind.get(kind);
    if (counted === undefined) {
      counted = { counts: new Array<number>(this.bounds.length + 1).fill(0), sum: 0 };
      this.#byKind.set(kind, counted);
    }
    const { bounds } = this;
    let bucket = 0;
    // Beyond the last bound the comparison with undefined is false.
    while (seconds > (bounds[bucket] as number)) bucket++;
    counted.counts[bucket] = (counted.counts[bucket] ?? 0) + 1;
    counted.sum += seconds;
  }

  entries(): Iterable<[kind: string, counted: DurationCounts]> {
    return this.#byKind.entries();
  }
}
