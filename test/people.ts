import { insertUser, type NewUser } from '../src/accounts/accounts.ts';
import type { Db } from '../src/db/db.ts';
import { newId } from '../src/db/ids.ts';

/** Inserts a user into the database, for tests of rules; without a given password they cannot log in. @returns the user's id */
export async function addUser(db: Db, username: string, more: Partial<NewUser> = {}): Promise<string> {
  const created_at = more.created_at ?? 1_760_000_000_000;
  const user = { id: newId(created_at), username, password_hash: '!', ...more, created_at };
  const row = await db.transaction((tx) => insertUser(tx, user));
  if (!row) throw new Error(`${username} is taken`);
  return row.id;
}

/** Many users at once, older than any other: `crowd1`, `crowd2`.. @returns their ids, in the same order */
export async function addCrowd(db: Db, count: number): Promise<string[]> {
  await db.run`
    insert into users (id, username, username_key, password_hash, nickname, nickname_key, keyed_names, created_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select '00000000-0000-7000-8000-' || cast(100000000000 + n as text), 'crowd' || cast(n as text), 'crowd' || cast(n as text),
      '!', 'crowd' || cast(n as text), '',
      'crowd' || cast(n as text) || '
' || 'crowd' || cast(n as text), n
    from numbers where n <= ${count}`;
  await db.run`
    insert into name_keys (key, user_id)
    select username, id from users where username like 'crowd%' and created_at <= ${count} on conflict do nothing`;
  return Array.from({ length: count }, (_, i) => `00000000-0000-7000-8000-${100_000_000_001 + i}`);
}

/** Makes two users friends, or strangers again. */
export async function setFriends(db: Db, one: string, other: string, areFriends = true): Promise<void> {
  await db.run`delete from friends where (user_id, peer_id) in ((${one}, ${other}), (${other}, ${one}))`;
  if (areFriends)
    await db.run`
      insert into friends (user_id, peer_id, state, at) values (${one}, ${other}, 'friends', 1), (${other}, ${one}, 'friends', 1)`;
}
