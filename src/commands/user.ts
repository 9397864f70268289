import { open } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  findSuspension,
  findUsersByNameOrId,
  isErased,
  restoreByOperator,
  suspendByOperator,
} from '../accounts/account-status.ts';
import { findDeletion } from '../accounts/leaving/deletions.ts';
import { type AccountAct, logAct } from '../accounts/log/account-log.ts';
import { createPasswordLink } from '../accounts/password-links.ts';
import { openPasswords } from '../accounts/passwords.ts';
import { queueNotice } from '../accounts/recovery/notices.ts';
import { listSessions } from '../accounts/sessions.ts';
import { createPassword, setPassword } from '../accounts/set-password.ts';
import type { Config } from '../config/config.ts';
import type { Db, Tx } from '../db/db.ts';
import { recordChange, recordExternalChange } from '../events/changes.ts';
import type { SecurityEvent } from '../http/log/security-log.ts';
import { exportLines } from '../leaving/export/export-lines.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { privacyRowOf } from '../users/privacy.ts';
import { toOwnUser, type UserRow } from '../users/schemas.ts';
import { lockUser } from '../users/users.ts';
import { type Context, openProgress, warnOfLocalLink, withDatabase } from './context.ts';
import { type Options, UsageError } from './run.ts';
import { readLines } from './users-file/jsonl.ts';

const MAX_REASON = 500;
/** Far above the longest id. */
const MAX_ID_BYTES = 256;
/** With a zone, as what the machine's zone is may surprise the operator. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * `user show|suspend|restore|delete|password|link|export NAME-OR-ID [--id | --name]`, and `--reason TEXT` and `--until TIME` of `suspend`.
 * `--id` and `--name` say which of the two the word is. `user delete --ids FILE` is {@link deleteByIds}.
 */
export async function user(
  context: Context,
  [action = '', nameOrId]: string[],
  { id: isId, name: isName, ...options }: Options = {},
): Promise<number> {
  if (action === 'delete' && nameOrId === undefined && !isId && !isName && options.ids !== undefined)
    return deleteByIds(context, String(options.ids));
  if (!Object.hasOwn(actions, action) || nameOrId === undefined || (isId && isName)) throw new UsageError();
  if (action !== 'suspend' && Object.keys(options).length > 0) throw new UsageError();
  const act = actions[action as keyof typeof actions]; // checked just above
  if (options.ids !== undefined) throw new UsageError();
  const said = readSuspension(options);
  return withDatabase(context, async (db, config) => {
    const by = isId ? 'id' : isName ? 'name' : undefined;
    const [found, other] = await findUsersByNameOrId(db, nameOrId, by);
    const word = JSON.stringify(nameOrId);
    if (!found) throw new Error(`there is no user with the ${by ?? 'name or id'} ${word}`);
    if (other)
      throw new Error(
        `${word} is the id of ${found.username} and the name of ${other.username} (${other.id}): add --id or --name`,
      );
    const line = await act(db, found, config, context.errors, said, context.output);
    if (line !== undefined) context.output.write(`${line}\n`);
    return 0;
  });
}

/** Each returns a line for the operator, or writes many. */
const actions = {
  async show(db: Db, row: UserRow): Promise<string> {
    const { push_preview, status, created_at } = row;
    const sessions = (await listSessions(db, row.id, '', Date.now())).length;
    const [suspension, deletion] = [await findSuspension(db, row.id), await findDeletion(db, row.id)];
    const shown = { ...toOwnUser(row), push_preview, ...privacyRowOf(row), status, created_at, sessions };
    return JSON.stringify(
      { ...shown, ...(suspension && { suspension }), ...(deletion && { deletion }) },
      null,
      2,
    );
  },

  async suspend(
    db: Db,
    { id, username, status }: UserRow,
    { smtp }: Config,
    _errors: Writable,
    { reason, until }: ReturnType<typeof readSuspension>,
  ): Promise<string> {
    if (status === 'deleted' && !(await findDeletion(db, id)))
      throw new Error(`${nameOf({ id, username })} was deleted`);
    const end = until === null ? '' : ` until ${new Date(until).toISOString()}`;
    const suspension = { reason, until, at: Date.now() };
    const ended = await write(db, (tx) => suspendByOperator(tx, id, suspension, smtp !== null));
    return `suspended ${username} (${id})${end}, sessions ended: ${ended.length}`;
  },

  async delete(db: Db, user: UserRow): Promise<string> {
    const ended = await deleteOne(db, user.id);
    return `deleted ${nameOf(user)}, sessions ended: ${ended.length}`;
  },

  async restore(db: Db, row: UserRow, { smtp }: Config): Promise<string> {
    const { id, username } = row;
    if (isErased(row)) throw new Error(`${nameOf(row)} was deleted: nothing is left to restore`);
    await write(db, (tx) => restoreByOperator(tx, id, Date.now(), smtp !== null));
    return `restored ${username} (${id})`;
  },

  async password(db: Db, { id, username, status }: UserRow, { bcryptCost, smtp }: Config): Promise<string> {
    if (status === 'deleted') throw new Error(`${nameOf({ id, username })} was deleted`);
    const password = createPassword();
    const hash = await openPasswords({ cost: bcryptCost }).hash(password);
    const ended = await write(db, async (tx) => {
      await recordAct(tx, 'password_changed', id);
      if (smtp) await queueNotice(tx, 'password_changed', id, {}, Date.now());
      const ids = await recordEnded(tx, id, setPassword(tx, id, hash));
      await logOperator(tx, id, 'password_changed', { ended: ids.length });
      return ids;
    });
    return `the password of ${username} (${id}) is now ${password}, sessions ended: ${ended.length}`;
  },

  async link(db: Db, { id, username, status }: UserRow, { publicUrl }: Config, errors: Writable) {
    if (new URL(publicUrl).port === '0')
      throw new Error('the port of the server is not known: set PUBLIC_URL');
    const link = await db.transaction(async (tx) => {
      const made = await createPasswordLink(tx, id, Date.now());
      if (!made) return undefined;
      await recordAct(tx, 'link_made', id);
      await logOperator(tx, id, 'link_made');
      return made;
    });
    if (!link)
      throw new Error(`${nameOf({ id, username })} ${status === 'deleted' ? 'was deleted' : 'is suspended'}`);
    warnOfLocalLink(publicUrl, errors);
    const until = new Date(link.expiresAt).toISOString();
    return `${username} (${id}) can set a new password once until ${until}: ${publicUrl}/set-password#${link.token}`;
  },

  async export(
    db: Db,
    row: UserRow,
    { smtp }: Config,
    _errors: Writable,
    _said: object,
    output: Writable,
  ): Promise<undefined> {
    const { id } = row;
    const isLeft = await db.transaction(async (tx) => {
      // Locked, so that an account which is being deleted gets no entry.
      if (!(await lockUser(tx, id))) return false;
      await recordAct(tx, 'export_made', id);
      await logOperator(tx, id, 'export_made');
      if (smtp) {
        await queueNotice(tx, 'export_made', id, {}, Date.now());
        await recordExternalChange(tx);
      }
      return true;
    });
    if (!isLeft) throw new Error(`${nameOf(row)} was deleted`);
    await pipeline(Readable.from(exportLines(db, id, Date.now())), output, { end: false });
  },
};

/** An erased user has an id alone. */
function nameOf({ id, username }: Pick<UserRow, 'id' | 'username'>): string {
  return username === '' ? id : `${username} (${id})`;
}

/**
 * Deletes the users whose ids are in a file, an id a line; `-` is standard input. Ids that no user has are reported.
 *
 * @returns the exit code: 1 with any such id
 */
async function deleteByIds(context: Context, file: string): Promise<number> {
  await using handle = file === '-' ? undefined : await open(file);
  const input = handle?.createReadStream() ?? context.input;
  const progress = openProgress(context);
  const counts = { deleted: 0, before: 0, unknown: 0 };
  const summary = () =>
    `deleted ${counts.deleted}, deleted before ${counts.before}, unknown ${counts.unknown}`;
  // Awaited here, since `using` closes the file when this function returns.
  return await withDatabase(context, async (db) => {
    for await (const { number, bytes } of readLines(input, MAX_ID_BYTES)) {
      const id = bytes?.toString().trim() ?? '(too long)';
      const [found] = await findUsersByNameOrId(db, id, 'id');
      if (!found)
        context.errors.write(`line ${number}: there is no user with the id ${JSON.stringify(id)}\n`);
      const isLeft = found !== undefined && !(isErased(found) && found.username === '');
      if (isLeft) await deleteOne(db, id);
      counts[isLeft ? 'deleted' : found ? 'before' : 'unknown']++;
      progress(() => `up to line ${number}: ${summary()}`);
    }
    context.output.write(`${summary()}\n`);
    return counts.unknown > 0 ? 1 : 0;
  });
}

/** @returns the ids of the ended sessions */
function deleteOne(db: Db, id: string): Promise<string[]> {
  return write(db, (tx) => recordEnded(tx, id, deleteUser(tx, id)));
}

/**
 * @param name of the option with the reason
 * @throws {UsageError} for a reason that is too long, and a time that is past or has no zone
 */
export function readSuspension(options: Options, name = 'reason'): { reason: string; until: number | null } {
  const { [name]: reason = '', until } = options;
  if ([...String(reason)].length > MAX_REASON)
    throw new UsageError(`--${name} may have ${MAX_REASON} characters`);
  const end = until === undefined ? null : Date.parse(String(until));
  if (end !== null && !(TIME.test(String(until)) && end > Date.now()))
    throw new UsageError('--until must be a time to come with its zone, such as 2030-01-31T18:00:00Z');
  return { reason: String(reason), until: end };
}

/** Writes what the operator did into the user's log. */
async function logOperator(
  tx: Tx,
  userId: string,
  what: AccountAct['what'],
  detail: AccountAct['detail'] = {},
): Promise<void> {
  await logAct(tx, { userId, what, at: Date.now(), detail: { by: 'operator', ...detail } });
}

/** Lets the servers that run log what was done to a user. */
async function recordAct(tx: Tx, act: SecurityEvent, userId: string, count = 1): Promise<void> {
  await recordChange(tx, { type: 'operator-act', act, userId, count });
}

async function recordEnded(tx: Tx, userId: string, ending: Promise<string[]>): Promise<string[]> {
  const ended = await ending;
  if (ended.length > 0) await recordAct(tx, 'session_ended', userId, ended.length);
  return ended;
}

function write<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const result = await work(tx);
    await recordExternalChange(tx);
    return result;
  });
}
