import type { FileHandle } from 'node:fs/promises';
import { parseHash } from '../../accounts/hashes/hash-formats.ts';
import type { Passwords } from '../../accounts/passwords.ts';

/** The fields of a user line that cost a bcrypt. In the texts of others their quotes are escaped. */
const HASHED = /"password(?:_hash"\s*:\s*"(?:digest\$|sha256\$|[0-9a-fA-F]{64}")|"\s*:)/g;
const CHUNK_BYTES = 1 << 20;
/** What takes less needs no announcement. */
const SHORT_SECONDS = 10;

/**
 * How long it takes to hash the passwords and to wrap the digests of a file, by a measurement on this machine; `undefined` if it is
 * short.
 */
export async function expectHashing(file: FileHandle, passwords: Passwords): Promise<string | undefined> {
  const count = await countHashed(file);
  if (count === 0) return undefined;
  const startedAt = performance.now();
  const { concurrency } = passwords.queue;
  await Promise.all(Array.from({ length: concurrency }, () => passwords.hash('')));
  return describeHashing(count, (performance.now() - startedAt) / concurrency);
}

/** @returns 0 for a pipe, which can be read only once */
export async function countHashed(file: FileHandle): Promise<number> {
  if (!(await file.stat()).isFile()) return 0;
  const options = { start: 0, autoClose: false, encoding: 'latin1', highWaterMark: CHUNK_BYTES } as const;
  let count = 0;
  // A field between two chunks is missed: one in a thousand at most.
  for await (const chunk of file.createReadStream(options)) count += String(chunk).match(HASHED)?.length ?? 0;
  return count;
}

/** @param hashMs time for each */
export function describeHashing(count: number, hashMs: number): string | undefined {
  const seconds = (count * hashMs) / 1000;
  if (seconds < SHORT_SECONDS) return undefined;
  const [time, unit] =
    seconds < 120
      ? [seconds, 'seconds']
      : seconds < 7200
        ? [seconds / 60, 'minutes']
        : [seconds / 3600, 'hours'];
  const rate =
    hashMs < 1000 ? `${Math.round(1000 / hashMs)} a second` : `${(hashMs / 1000).toFixed(1)} seconds each`;
  return `about ${count} passwords are hashed by BCRYPT_COST, ${rate}: this takes ${time.toFixed(unit === 'hours' ? 1 : 0)} ${unit}`;
}

/** Counts the hashes of imported users which a login replaces, by their form. */
export class WeakForms {
  readonly #cost: number;
  readonly #counts = new Map<string, number>();

  /** @param cost that of new hashes */
  constructor(cost: number) {
    this.#cost = cost;
  }

  add(passwordHash: string): void {
    const stored = parseHash(passwordHash);
    if (!stored || (stored.format === 'bcrypt-sha256' && stored.cost >= this.#cost)) return;
    const isDigest = stored.format === 'digest' || stored.format === 'wrapped-digest';
    const form = isDigest ? `digest ${stored.digest.algorithm}` : stored.format;
    this.#counts.set(form, (this.#counts.get(form) ?? 0) + 1);
  }

  /** `bcrypt 3, digest md5 1`; '' if there are none. */
  toString(): string {
    return [...this.#counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([form, count]) => `${form} ${count}`)
      .join(', ');
  }
}
