import { inBatches } from '../../db/batches.ts';
import type { Db, Queries, Tx } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { recordExternalChange } from '../../events/changes.ts';
import { type ApiKey, RIGHTS, type Right } from '../../http/authenticate.ts';
import { logActs } from '../log/account-log.ts';
import { createSecret, hashOfSecret } from '../secrets.ts';

const KEY = /^dk_[\w-]{43}$/;
const HOUR_MS = 60 * 60 * 1000;

interface KeyRow {
  id: string;
  name: string;
  may: string;
  created_at: number;
  used_at: number;
}

/** An API key as operators see it: the key itself is not stored. Times are epoch milliseconds. */
interface StoredKey extends ApiKey {
  readonly createdAt: number;
  /** When it was last used, to the hour; 0: never. */
  readonly usedAt: number;
}

/** Stores a new key. @returns it, which cannot be read again; `undefined` if the name is taken */
export async function addKey(
  db: Queries,
  name: string,
  may: readonly Right[],
  now: number,
): Promise<string | undefined> {
  const key = `dk_${createSecret()}`;
  const added = await db.run`
    insert into api_keys (id, name, hash, may, created_at)
    values (${newId(now)}, ${name}, ${hashOfSecret(key)}, ${may.join()}, ${now}) on conflict (name) do nothing`;
  return added === 0 ? undefined : key;
}

/** The keys by name. */
export async function listKeys(db: Queries): Promise<StoredKey[]> {
  const rows = await db.all<KeyRow>`
    select id, name, may, created_at, used_at from api_keys where name is not null order by name`;
  return rows.map(toKey);
}

/** @param hash as {@link hashOfKey} makes it */
export async function findKey(db: Queries, hash: string): Promise<StoredKey | undefined> {
  const row = await db.get<KeyRow>`
    select id, name, may, created_at, used_at from api_keys where hash = ${hash}`;
  return row && toKey(row);
}

/** The text by which a key is stored and found; `undefined` for a text that is no key. */
export function hashOfKey(text: string): string | undefined {
  return KEY.test(text) ? hashOfSecret(text) : undefined;
}

/** The hour of a time, as `used_at` stores it. */
export function hourOf(time: number): number {
  return time - (time % HOUR_MS);
}

/** Stores that keys were used. @param hours the id of each key, and when */
export async function touchKeys(db: Queries, hours: readonly [id: string, hour: number][]): Promise<void> {
  for (const [id, hour] of hours)
    await db.run`update api_keys set used_at = ${hour} where id = ${id} and used_at < ${hour}`;
}

/**
 * Ends a key, whose name is free then, for all servers within a second. The sessions by which it sent are left to
 * {@link endRevokedKeys}.
 *
 * @returns whether there was one
 */
export async function revokeKey(db: Db, name: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const revoked = await tx.run`update api_keys set name = null, hash = null where name = ${name}`;
    if (revoked > 0) await recordExternalChange(tx);
    return revoked > 0;
  });
}

/**
 * Removes revoked keys with the sessions by which they sent as users, in slices. Those sessions have no token and no socket. Several
 * processes may do it at once, and a later call completes what one left.
 */
export async function endRevokedKeys(db: Db, now: number): Promise<void> {
  const keys = await db.all<{ id: string }>`select id from api_keys where hash is null`;
  for (const { id } of keys) {
    await inBatches((limit) => db.transaction((tx) => endSessionsOfKey(tx, id, limit, now)));
    // A call that the key had begun may have opened one more: then the next call of this ends it.
    await db.run`
      delete from api_keys where id = ${id} and not exists (select 1 from api_key_sessions where key_id = ${id})`;
  }
}

async function endSessionsOfKey(tx: Tx, keyId: string, limit: number, now: number): Promise<number> {
  const ended = await tx.all<{ id: string; user_id: string; device: string }>`
    delete from sessions where id in (
      select session_id from api_key_sessions where key_id = ${keyId} order by user_id limit ${limit})
    returning id, user_id, device`;
  const acts = ended.map(({ id, user_id, device }) => ({
    userId: user_id,
    at: now,
    what: 'session_ended' as const,
    sessionId: id,
    detail: { by: 'operator', device },
  }));
  if (acts.length > 0) await logActs(tx, acts);
  return ended.length;
}

function toKey({ id, name, may, created_at, used_at }: KeyRow): StoredKey {
  const rights = RIGHTS.filter((right) => may.split(',').includes(right));
  return { id, name, may: rights, createdAt: created_at, usedAt: used_at };
}
