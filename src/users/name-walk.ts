import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db, Tx } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { type KeyedUser, namesOf, replaceNameKeys } from './name-keys.ts';

const SLICE_USERS = 200;
const HOUR_MS = 3_600_000;
const WALKS_FOR_MS = 24 * HOUR_MS;

const MENDED = {
  id: 'text',
  username: 'text',
  nickname: 'text',
  status: 'text',
  is_listed: 'bigint',
  keyed_names: 'text',
  names: 'text',
} as const;

type Walked = KeyedUser & { id: string; keyed_names: string };

/** Nodes of the version before, which write no keys, may run beside this one for as long as an update takes: a day at most. */
export function userJobs(db: Db, { monotonicMs }: Clock): PeriodicJob[] {
  const startedAt = monotonicMs();
  const run = async (stopping?: AbortSignal) => {
    if (monotonicMs() - startedAt <= WALKS_FOR_MS) await mendNameKeys(db, stopping);
  };
  return [{ name: 'mend name keys', everyMs: HOUR_MS, run }];
}

/**
 * Goes through all users and gives those their keys whom the migration, or a node of the version before, left with none, or with those of
 * other names. Several processes may do it at once, and a walk that was stopped begins again: who has their keys is passed without a write.
 */
export async function mendNameKeys(db: Db, stopping?: AbortSignal): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined && !stopping?.aborted; ) {
    const users: Walked[] = await db.all<Walked>`
      select id, username, nickname, status, is_listed, keyed_names from users where id > ${after} order by id limit ${SLICE_USERS}`;
    const wanted = users.map((user) => ({ ...user, names: namesOf(user) }));
    const outdated = wanted.filter(({ keyed_names, names }) => keyed_names !== names);
    if (outdated.length > 0) await db.transaction((tx) => mend(tx, outdated));
    after = users.length < SLICE_USERS ? undefined : users.at(-1)?.id;
    await yieldToEventLoop();
  }
}

/** Locks, by its first statement, those who are still as they were read. Who is not was changed with their keys, or waits for the next walk. */
async function mend(tx: Tx, outdated: readonly (Walked & { names: string })[]): Promise<void> {
  const locked = await tx.all<{ id: string }>`
    update users set keyed_names = wanted.names from ${asTable(MENDED, outdated)} as wanted
    where users.id = wanted.id and users.username = wanted.username and users.nickname = wanted.nickname
      and users.status = wanted.status and users.is_listed = wanted.is_listed and users.keyed_names = wanted.keyed_names
    returning users.id`;
  const ids = new Set(locked.map(({ id }) => id));
  const changes = outdated.map(({ id, keyed_names: from, names: to }) => ({ id, from, to }));
  await replaceNameKeys(
    tx,
    changes.filter(({ id }) => ids.has(id)),
  );
}
