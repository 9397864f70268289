import { parseArgs } from 'node:util';
import { openPasswords } from '../accounts/passwords.ts';
import { openInviteHash } from '../accounts/registration/invite-codes.ts';
import { createInvite, listInvites, revokeInvite } from '../accounts/registration/invites.ts';
import { wholeNumber } from '../config/fields.ts';
import { type Context, withDatabase } from './context.ts';
import { warnOfLocalLink } from './local-link.ts';
import { UsageError } from './run.ts';

const MAX_USES = 100_000;
const MAX_DAYS = 365;

/** `invite [--uses N] [--days N]`, `invite list`, `invite revoke ID`. */
export async function invite(context: Context, args: string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { uses: { type: 'string' }, days: { type: 'string' } },
  });
  const [action, id, ...rest] = positionals;
  const isNew = action === undefined;
  if (!isNew && Object.keys(values).length > 0) throw new UsageError();
  if (isNew) return create(context, values);
  if (action === 'list' && id === undefined) return list(context);
  if (action === 'revoke' && id !== undefined && rest.length === 0) return revoke(context, id);
  throw new UsageError();
}

async function create(context: Context, { uses = '1', days = '7' }): Promise<number> {
  const wanted = { uses: wholeNumber(1, MAX_USES)(uses), days: wholeNumber(1, MAX_DAYS)(days) };
  if (wanted.uses === undefined) throw new UsageError(`--uses must be a whole number from 1 to ${MAX_USES}`);
  if (wanted.days === undefined) throw new UsageError(`--days must be a whole number from 1 to ${MAX_DAYS}`);
  const bounds = { uses: wanted.uses, days: wanted.days };
  return withDatabase(context, async (db, { bcryptCost, publicUrl, registration }) => {
    const hashCode = await openInviteHash(db, openPasswords({ cost: bcryptCost }).queue);
    const { id, code, expires_at } = await createInvite(db, hashCode, bounds, Date.now());
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
    return 0;
  });
}

function list(context: Context): Promise<number> {
  return withDatabase(context, async (db) => {
    const rows = (await listInvites(db, Date.now())).map(({ id, uses, uses_left, expires_at }) => [
      id,
      `${uses_left} of ${uses}`,
      toTime(expires_at),
    ]);
    const table = [['id', 'left', 'expires'], ...rows];
    const widths = [0, 1].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
    for (const row of table)
      context.output.write(`${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}\n`);
    return 0;
  });
}

function revoke(context: Context, id: string): Promise<number> {
  return withDatabase(context, async (db) => {
    if (!(await revokeInvite(db, id)))
      throw new Error(`there is no invite with the id ${JSON.stringify(id)}: invite list shows the ids`);
    context.output.write(`revoked ${id}\n`);
    return 0;
  });
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
