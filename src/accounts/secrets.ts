import { createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import type { Queries } from '../db/db.ts';
import { getOrCreateValue } from '../db/installation-values.ts';

/** 32 random bytes in base64url. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The text by which a secret of {@link createSecret} is stored and found. A plain hash is enough: 2^256 of them cannot be tried. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Random symbols in groups of five that can be read out: `7KMPQ-2DXHE`. */
export function createReadableCode(symbols: string, groups: number): string {
  const group = () => Array.from({ length: 5 }, () => symbols[randomInt(symbols.length)]).join('');
  return Array.from({ length: groups }, group).join('-');
}

/** The HMAC of a text; `purpose` keeps those of one use apart from those of another. */
export type Mac = (purpose: string, text: string) => string;

/** HMACs by a key of this installation, for what a reader of the database could try out: codes of few digits, addresses. */
export async function openMac(db: Queries): Promise<Mac> {
  const key = Buffer.from(await getOrCreateValue(db, 'account-mac-key', createSecret), 'base64url');
  return (purpose, text) => createHmac('sha256', key).update(`${purpose} ${text}`).digest('base64url');
}
