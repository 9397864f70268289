import { hkdfSync, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { readIssuer } from '../accounts/tokens.ts';
import type { Db } from '../db/db.ts';
import { getOrCreateValue } from '../db/installation-values.ts';
import { identifyDatabase } from '../db/postgres/identity.ts';

const KEY_NAME = 'node-key';
const KEY_BYTES = 32;

/** Values that the nodes of one database share, and no other program on their Redis. */
export interface Installation {
  /** Begins the names of channels and keys. */
  readonly name: string;
  /** Keys of single purposes are derived from it. */
  readonly key: Buffer;
}

/**
 * A key for one purpose of one installation (RFC 5869).
 *
 * @param salt tells several keys of a purpose apart
 */
export function deriveKey({ name, key }: Installation, purpose: string, salt = ''): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `doorman ${purpose} ${name}`, KEY_BYTES));
}

/** A copy of the database has the same issuer and key, and another name, unless its files were copied. */
export async function readInstallation(db: Db, log: Pick<Logger, 'warn'>): Promise<Installation> {
  const { cluster, oid, refusal } = await identifyDatabase(db);
  if (refusal !== undefined)
    log.warn(
      { err: refusal },
      'pg_control_system() is refused: a copy of this database with the same oid must not use the same Redis',
    );
  const key = await getOrCreateValue(db, KEY_NAME, () => randomBytes(KEY_BYTES).toString('base64url'));
  return {
    name: `${await readIssuer(db)}:${cluster ?? 'unknown'}.${oid}`,
    key: Buffer.from(key, 'base64url'),
  };
}
