import { openPasswords } from '../accounts/passwords.ts';
import { createInvite, listInvites, revokeInvite } from '../accounts/registration/invites.ts';
import { wholeNumber } from '../config/fields.ts';
import { type Context, warnOfLocalLink, withDatabase, writeTable } from './context.ts';
import { type Options, UsageError } from './run.ts';

const MAX_USES = 100_000;
const MAX_DAYS = 365;

/** `invite [--uses N] [--days N]`, `invite list`, `invite revoke ID`. */
export async function invite(context: Context, [action, id]: string[], options: Options): Promise<void> {
  if (action === undefined) return create(context, options);
  if (Object.keys(options).length > 0) throw new UsageError();
  if (action === 'list' && id === undefined) return list(context);
  if (action === 'revoke' && id !== undefined) return revoke(context, id);
  throw new UsageError();
}

async function create(context: Context, options: Options): Promise<void> {
  const read = (name: 'uses' | 'days', most: number, usual: number) => {
    const number = wholeNumber(1, most)(String(options[name] ?? usual));
    if (number === undefined) throw new UsageError(`--${name} must be a whole number from 1 to ${most}`);
    return number;
  };
  const bounds = { uses: read('uses', MAX_USES, 1), days: read('days', MAX_DAYS, 7) };
  return withDatabase(context, async (db, { bcryptCost, publicUrl, registration }) => {
    const { queue } = openPasswords({ cost: bcryptCost });
    const { id, code, expires_at } = await createInvite(db, queue, bounds, Date.now());
    context.output.write(`${code}\n${publicUrl}/sign-up#invite=${code}\n`);
    warnOfLocalLink(publicUrl, context.errors);
    const users = bounds.uses === 1 ? '1 registration' : `${bounds.uses} registrations`;
    context.errors.write(`good for ${users} until ${toTime(expires_at)}; its id is ${id}\n`);
    if (registration === 'open')
      context.errors.write(
        'REGISTRATION is open in this environment: on such a server no invite is needed\n',
      );
    if (registration === 'closed')
      context.errors.write('REGISTRATION is closed in this environment: such a server refuses invites too\n');
  });
}

function list(context: Context): Promise<void> {
  return withDatabase(context, async (db) => {
    const rows = (await listInvites(db, Date.now())).map(({ id, uses, uses_left, expires_at }) => [
      id,
      `${uses_left} of ${uses}`,
      toTime(expires_at),
    ]);
    writeTable(context.output, [['id', 'left', 'expires'], ...rows]);
  });
}

function revoke(context: Context, id: string): Promise<void> {
  return withDatabase(context, async (db) => {
    if (!(await revokeInvite(db, id)))
      throw new Error(`there is no invite with the id ${JSON.stringify(id)}: invite list shows the ids`);
    context.output.write(`revoked ${id}\n`);
  });
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
