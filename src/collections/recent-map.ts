/** Many small maps: growing a single one of a million keys stops the process for 100 ms, one of these for 1. */
const SHARDS = 64;

/**
 * A map whose memory is bounded: as new keys come, it forgets those that were last set two idle times ago or earlier, none before one
 * has passed. With more than `maxKeys` keys within that time it forgets the half that was set first.
 */
export class RecentMap<Value> {
  readonly #idleMs: number;
  /** At least 1, so a map of one key may hold two. */
  readonly #half: number;
  #recent = newShards<Value>();
  #older = newShards<Value>();
  #recentSize = 0;
  #since = Number.NEGATIVE_INFINITY;

  constructor({ idleMs, maxKeys }: { idleMs: number; maxKeys: number }) {
    this.#idleMs = idleMs;
    this.#half = Math.max(1, Math.floor(maxKeys / 2));
  }

  get(key: string): Value | undefined {
    const shard = shardOf(key);
    return this.#recent[shard]?.get(key) ?? this.#older[shard]?.get(key);
  }

  /** @param now milliseconds of a clock that never runs backwards */
  set(key: string, value: Value, now: number): void {
    const shard = shardOf(key);
    if (!this.#recent[shard]?.has(key)) {
      if (this.#recentSize >= this.#half || now - this.#since >= this.#idleMs) this.#forgetOlder(now);
      this.#recentSize++;
    }
    this.#recent[shard]?.set(key, value);
  }

  #forgetOlder(now: number): void {
    this.#older = this.#recent;
    this.#recent = newShards();
    this.#recentSize = 0;
    this.#since = now;
  }
}

function newShards<Value>(): Map<string, Value>[] {
  return Array.from({ length: SHARDS }, () => new Map());
}

function shardOf(key: string): number {
  let hash = 0;
  for (let i = Math.max(0, key.length - 8); i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) | 0;
  // `SHARDS` is a power of two, so this is always below it.
  return hash & (SHARDS - 1);
}
