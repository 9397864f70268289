import type { Queries, Tx } from '../db/db.ts';
import { nameKey } from '../users/names.ts';
import { USER_COLUMNS, type UserRow } from '../users/schemas.ts';
import { userNotFound } from '../users/users.ts';
import { type Mac, openMac } from './secrets.ts';

/** No key of a name begins with it, as those are in lower case. */
const HELD = 'HELD:';

/**
 * The key by which the name of an erased user stays taken without being stored. One that is held already stays as it is.
 *
 * @param key see {@link nameKey}
 */
export function heldKey(mac: Mac, key: string): string {
  return key.startsWith(HELD) ? key : HELD + mac('held-name', key);
}

/**
 * Replaces the name of a user by the key that holds it, in the transaction that erases them, and removes their log. The update of a unique
 * key is the strongest lock of a row: it waits for all who have stored rows that reference the user, and those who look at the user
 * by `forKeyShare` wait for it. So it comes behind the locks of what has writers that then reference the user, sessions and
 * subscriptions, and before all else that those writers may have added.
 */
export async function holdName(tx: Tx, userId: string): Promise<void> {
  const user = await tx.get<
    Pick<UserRow, 'username_key'>
  >`select username_key from users where id = ${userId}`;
  if (!user) throw userNotFound();
  const held = heldKey(await openMac(tx), user.username_key);
  // During an update a node of the version before gives a held name to another user, who may be erased too.
  await tx.run`
    update users set username = '', nickname = '', nickname_key = '', username_key = ${held}
      || coalesce((select ' ' || ${userId} from users where username_key = ${held} and id <> ${userId}), '')
    where id = ${userId}`;
  await tx.run`delete from account_log where user_id = ${userId}`;
}

/**
 * Who has a username, in any spelling, also a suspended, deleted or erased user: to whoever asks whether a name is free. Of several, one
 * who is not erased.
 */
export async function findNameHolder(db: Queries, mac: Mac, username: string): Promise<UserRow | undefined> {
  const key = nameKey(username);
  const holders = await db.all<UserRow>`
    select ${USER_COLUMNS} from users where username_key in (${key}, ${heldKey(mac, key)})`;
  return holders.find((user) => user.username !== '') ?? holders[0];
}
