import type { Queries } from '../db/db.ts';
import { nameKey } from '../users/names.ts';
import { USER_COLUMNS, type UserRow } from '../users/schemas.ts';
import type { Mac } from './secrets.ts';

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

/** Who has a username, in any spelling, also a suspended, deleted or erased user: to whoever asks whether a name is free. */
export function findNameHolder(db: Queries, mac: Mac, username: string): Promise<UserRow | undefined> {
  const key = nameKey(username);
  return db.get<UserRow>`
    select ${USER_COLUMNS} from users where username_key in (${key}, ${heldKey(mac, key)})`;
}
