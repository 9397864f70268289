import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { findUserByNameOrId, isErased, restoreUser, suspendUser } from '../accounts/account-status.ts';
import { createPasswordLink } from '../accounts/password-links.ts';
import { openPasswords } from '../accounts/passwords.ts';
import { createPassword, resetPassword } from '../accounts/reset-password.ts';
import { listSessions } from '../accounts/sessions.ts';
import type { Config } from '../config/config.ts';
import type { Db, Tx } from '../db/db.ts';
import { recordChange, recordExternalChange } from '../events/changes.ts';
import type { SecurityEvent } from '../http/log/security-log.ts';
import { toOwnUser, type UserRow } from '../users/schemas.ts';
import { type Context, withDatabase } from './context.ts';
import { deleteUser } from './delete-user.ts';
import { warnOfLocalLink } from './local-link.ts';
import { UsageError } from './run.ts';

/** `user show|suspend|restore|delete|password|link NAME-OR-ID`. */
export async function user(context: Context, args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [action = '', nameOrId, ...rest] = positionals;
  if (!Object.hasOwn(actions, action) || nameOrId === undefined || rest.length > 0) throw new UsageError();
  const act = actions[action as keyof typeof actions]; // checked just above
  return withDatabase(context, async (db, config) => {
    const found = await findUserByNameOrId(db, nameOrId);
    if (!found) throw new Error(`there is no user with the name or id ${JSON.stringify(nameOrId)}`);
    context.output.write(`${await act(db, found, config, context.errors)}\n`);
    return 0;
  });
}

/** Each returns a line for the operator. */
const actions = {
  async show(db: Db, row: UserRow): Promise<string> {
    const { push_preview, status, created_at } = row;
    const sessions = (await listSessions(db, row.id, '', Date.now())).length;
    return JSON.stringify({ ...toOwnUser(row), push_preview, status, created_at, sessions }, null, 2);
  },

  async suspend(db: Db, { id, username, status }: UserRow): Promise<string> {
    if (status === 'deleted') throw new Error(`${username} (${id}) was deleted`);
    const ended = await write(db, (tx) => recordEnded(tx, id, suspendUser(tx, id)));
    return `suspended ${username} (${id}), sessions ended: ${ended.length}`;
  },

  async delete(db: Db, { id, username }: UserRow): Promise<string> {
    const ended = await write(db, (tx) => recordEnded(tx, id, deleteUser(tx, id)));
    return `deleted ${username} (${id}), sessions ended: ${ended.length}`;
  },

  async restore(db: Db, row: UserRow): Promise<string> {
    const { id, username } = row;
    if (isErased(row)) throw new Error(`${username} (${id}) was deleted: only the name is left`);
    await write(db, (tx) => restoreUser(tx, id));
    return `restored ${username} (${id})`;
  },

  async password(db: Db, { id, username }: UserRow, { bcryptCost }: Config): Promise<string> {
    const password = createPassword();
    const hash = await openPasswords({ cost: bcryptCost }).hash(password);
    const ended = await write(db, async (tx) => {
      await recordAct(tx, 'password_changed', id);
      return recordEnded(tx, id, resetPassword(tx, id, hash));
    });
    if (!ended) throw new Error(`${username} (${id}) was deleted`);
    return `the password of ${username} (${id}) is now ${password}, sessions ended: ${ended.length}`;
  },

  async link(db: Db, { id, username, status }: UserRow, { publicUrl }: Config, errors: Writable) {
    if (new URL(publicUrl).port === '0')
      throw new Error('the port of the server is not known: set PUBLIC_URL');
    const link = await db.transaction(async (tx) => {
      const made = await createPasswordLink(tx, id, Date.now());
      if (made) await recordAct(tx, 'link_made', id);
      return made;
    });
    if (!link)
      throw new Error(`${username} (${id}) ${status === 'deleted' ? 'was deleted' : 'is suspended'}`);
    warnOfLocalLink(publicUrl, errors);
    const until = new Date(link.expiresAt).toISOString();
    return `${username} (${id}) can set a new password once until ${until}: ${publicUrl}/set-password#${link.token}`;
  },
};

/** Lets the servers that run log what was done to a user. */
async function recordAct(tx: Tx, act: SecurityEvent, userId: string, count = 1): Promise<void> {
  await recordChange(tx, { type: 'operator-act', act, userId, count });
}

async function recordEnded<T extends string[] | undefined>(
  tx: Tx,
  userId: string,
  ending: Promise<T>,
): Promise<T> {
  const ended = await ending;
  if (ended && ended.length > 0) await recordAct(tx, 'session_ended', userId, ended.length);
  return ended;
}

function write<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const result = await work(tx);
    await recordExternalChange(tx);
    return result;
  });
}
