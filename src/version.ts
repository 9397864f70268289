import { readFile } from 'node:fs/promises';

/** The program's fields of `package.json`. */
interface Release {
  /** By semver.org; the kit has the same one. */
  readonly version: string;
  readonly description: string;
  /** An SPDX identifier. */
  readonly license: string;
}

export async function readRelease(): Promise<Release> {
  return JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
}
