import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db, Tx } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { type KeyedRow, namesOf, replaceNameKeys } from './name-keys.ts';

const SLICE_USERS = 200;
const RETRY_MS = 60_000;
const HOUR_MS = 3_600_000;
const WALKS_FOR_MS = 24 * HOUR_MS;

const MENDED = {
  id: 'text',
  nickname: 'text',
  status: 'text',
  is_listed: 'bigint',
  keyed_names: 'text',
  names: 'text',
} as const;

/**
 * A walk at the start, and hourly on the first day: for so long nodes of the version before, which write no keys, may run beside this one. A
 * walk that failed, as the database was away or busy, begins again after a minute.
 */
export function userJobs(db: Db, { monotonicMs }: Clock): PeriodicJob[] {
  const startedAt = monotonicMs();
  let dueAt = startedAt;
  const run = async (stopping?: AbortSignal) => {
    const at = monotonicMs();
    if (at < dueAt || at > startedAt + WALKS_FOR_MS) return;
    await mendNameKeys(db, stopping);
    dueAt = at + HOUR_MS;
  };
  return [{ name: 'mend name keys', everyMs: RETRY_MS, run }];
}

/**
 * Goes through all users and gives those their keys whom the migration, or a node of the version before, left with none, or with those of
 * other names. Several processes may do it at once, and a walk that was stopped begins again: who has their keys is passed without a write.
 */
export async function mendNameKeys(db: Db, stopping?: AbortSignal): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined && !stopping?.aborted; ) {
    const users: KeyedRow[] = await db.all<KeyedRow>`
      select id, username, nickname, status, is_listed, keyed_names from users where id > ${after} order by id limit ${SLICE_USERS}`;
    const wanted = users.map((user) => ({ ...user, names: namesOf(user) }));
    const outdated = wanted.filter(({ keyed_names, names }) => keyed_names !== names);
    if (outdated.length > 0) await db.transaction((tx) => mend(tx, outdated));
    after = users.length < SLICE_USERS ? undefined : users.at(-1)?.id;
    await yieldToEventLoop();
  }
}

/** Locks, by its first statement, those who are still as they were read. Who is not was changed with their keys, or waits for the next walk. */
async function mend(tx: Tx, outdated: readonly (KeyedRow & { names: string })[]): Promise<void> {
  const locked = await tx.all<{ id: string }>`
    update users set keyed_names = wanted.names from ${asTable(MENDED, outdated)} as wanted
    where users.id = wanted.id and users.nickname = wanted.nickname and users.status = wanted.status
      and users.is_listed = wanted.is_listed and users.keyed_names = wanted.keyed_names
    returning users.id`;
  const ids = new Set(locked.map(({ id }) => id));
  const changes = outdated.map(({ id, keyed_names: from, names: to }) => ({ id, from, to }));
  await replaceNameKeys(
    tx,
    changes.filter(({ id }) => ids.has(id)),
  );
}
