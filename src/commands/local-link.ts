import type { Writable } from 'node:stream';
import { isLoopback } from '../config/fields.ts';

/** Warns of a link to the page that other machines cannot open. */
export function warnOfLocalLink(publicUrl: string, errors: Writable): void {
  if (isLoopback(new URL(publicUrl).hostname))
    errors.write(`this link works only on this machine: set PUBLIC_URL, which is ${publicUrl} now\n`);
}
