import { addKey, endRevokedKeys, listKeys, revokeKey } from '../accounts/api-keys/api-keys.ts';
import { RIGHTS, type Right } from '../http/authenticate.ts';
import { type Context, withDatabase, writeTable } from './context.ts';
import { type Options, UsageError } from './run.ts';

const NAME = /^[a-z0-9-]{1,32}$/;

/** `api-key add NAME [--may RIGHTS]`, `api-key list`, `api-key revoke NAME`. */
export async function apiKey(context: Context, [action, name]: string[], options: Options): Promise<void> {
  if (action === 'add' && name !== undefined) return add(context, name, readRights(options));
  if (Object.keys(options).length > 0) throw new UsageError();
  if (action === 'list' && name === undefined) return list(context);
  if (action === 'revoke' && name !== undefined) return revoke(context, name);
  throw new UsageError();
}

/** @throws {UsageError} for what is no right */
function readRights({ may }: Options): readonly Right[] {
  if (may === undefined) return RIGHTS;
  const named = String(may).split(',');
  const rights = RIGHTS.filter((right) => named.includes(right));
  if (named.length !== rights.length)
    throw new UsageError(`--may takes some of ${RIGHTS.join(',')}, each once, separated by commas`);
  return rights;
}

function add(context: Context, name: string, may: readonly Right[]): Promise<void> {
  if (!NAME.test(name)) throw new UsageError('NAME must have 1 to 32 of a-z, 0-9 and -');
  return withDatabase(context, async (db) => {
    const key = await addKey(db, name, may, Date.now());
    if (key === undefined)
      throw new Error(`there is an API key with the name ${name}: revoke it, or choose another name`);
    context.output.write(`${key}\n`);
    context.errors.write(`the key ${name} may call: ${may.join(', ')}; it is not shown again\n`);
  });
}

function list(context: Context): Promise<void> {
  return withDatabase(context, async (db) => {
    const rows = (await listKeys(db)).map(({ name, may, createdAt, usedAt }) => [
      name,
      may.join(','),
      new Date(createdAt).toISOString(),
      usedAt === 0 ? 'never' : new Date(usedAt).toISOString(),
    ]);
    writeTable(context.output, [['name', 'may', 'created', 'used (hour)'], ...rows]);
  });
}

function revoke(context: Context, name: string): Promise<void> {
  return withDatabase(context, async (db) => {
    if (!(await revokeKey(db, name)))
      throw new Error(
        `there is no API key with the name ${JSON.stringify(name)}: api-key list shows the names`,
      );
    context.output.write(`revoked ${name}\n`);
    await endRevokedKeys(db, Date.now());
  });
}
