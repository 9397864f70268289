import { openTokens, rotateTokenKeys } from '../accounts/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import { openVapidKeyring, rotateVapidKeys } from '../push/subscriptions/vapid-keys.ts';
import { type Context, withDatabase } from './context.ts';
import { type Options, UsageError } from './run.ts';

/**
 * `keys rotate jwt|vapid`: makes a new signing key. Tokens and subscriptions of earlier keys stay valid; with `jwt --revoke` no
 * earlier token does.
 */
export async function keys(
  context: Context,
  [action, kind = '']: string[],
  { revoke }: Options,
): Promise<void> {
  if (action !== 'rotate' || !Object.hasOwn(rotations, kind)) throw new UsageError();
  if (revoke && kind !== 'jwt') throw new UsageError();
  const rotate = rotations[kind as keyof typeof rotations]; // checked just above
  return withDatabase(context, async (db, config) => {
    context.output.write(`${await rotate(db, config, revoke === true)}\n`);
  });
}

/** Each opens the keys first, which makes them in a new database. */
const rotations = {
  async jwt(db: Db, { tokenTtlSeconds }: Config, revokes: boolean): Promise<string> {
    const tokens = await openTokens(db, tokenTtlSeconds, Date.now);
    await rotateTokenKeys(db, tokenTtlSeconds, Date.now(), { revokes });
    await tokens.reload();
    const { keys } = tokens.keySet();
    return `new tokens are signed with the key ${keys.at(-1)?.kid}; good keys: ${keys.length}`;
  },

  async vapid(db: Db, { vapidSubject }: Config): Promise<string> {
    const keyring = await openVapidKeyring(db, vapidSubject, Date.now);
    await rotateVapidKeys(db);
    await keyring.reload(db);
    return `new push subscriptions get the key ${keyring.publicKey}`;
  },
};
