import type { Queries } from '../../db/db.ts';
import { asTable, forKeyShare } from '../../db/fragments.ts';
import { newId } from '../../db/ids.ts';

/** What can happen to an account, as its log names it. */
export const ACTS = [
  'signed_up',
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'session_ended',
  'sessions_ended',
  'password_changed',
  'password_reset',
  'link_made',
  'email_verified',
  'email_changed',
  'email_removed',
  'blocked',
  'unblocked',
  'suspended',
  'restored',
  'deletion_asked',
  'deletion_undone',
  'export_made',
  'mail',
] as const;

/** The client that caused an act. A field that is left out is not known, or no client caused it. */
export interface ActingClient {
  /** The caller's session. */
  readonly sessionId?: string;
  /** How it names itself (User-Agent). */
  readonly device?: string;
  /** Its network address. */
  readonly address?: string;
  /** The name of the API key by which a product's backend did it: the entry has it in `detail`, and as its device if no other is known. */
  readonly key?: string;
}

export interface AccountAct extends ActingClient {
  readonly userId: string;
  readonly what: (typeof ACTS)[number];
  /** Epoch milliseconds. */
  readonly at: number;
  /** The session that was opened or ended, or else the caller's. */
  readonly sessionId?: string;
  /** Further facts of the act. */
  readonly detail?: Readonly<Record<string, string | number>>;
}

const ENTRIES = {
  id: 'text',
  user_id: 'text',
  at: 'bigint',
  what: 'text',
  session_id: 'text',
  device: 'text',
  address: 'text',
  data: 'text',
} as const;

/** Writes an entry of the account's log, in the transaction of the act. */
export async function logAct(tx: Queries, act: AccountAct): Promise<void> {
  const { id, user_id, at, what, session_id, device, address, data } = toRow(act);
  await tx.run`
    insert into account_log (id, user_id, at, what, session_id, device, address, data)
    values (${id}, ${user_id}, ${at}, ${what}, ${session_id}, ${device}, ${address}, ${data})`;
}

/** The same for several acts, of users that may have been deleted meanwhile: nothing is written of those. */
export async function logActs(db: Queries, acts: readonly AccountAct[]): Promise<void> {
  await db.run`
    insert into account_log (id, user_id, at, what, session_id, device, address, data)
    select acts.id, user_id, at, what, session_id, device, address, data
    from ${asTable(ENTRIES, acts.map(toRow))} as acts join users on users.id = user_id
    where users.status <> 'deleted' ${forKeyShare}`;
}

function toRow({ userId, what, at, sessionId = '', address = '', key, ...act }: AccountAct) {
  const { device = key === undefined ? '' : deviceOfKey(key), detail = {} } = act;
  const data = JSON.stringify(key === undefined ? detail : { by: 'key', key, ...detail });
  return { id: newId(at), user_id: userId, at, what, session_id: sessionId, device, address, data };
}

/** How the lists of a user name an API key, beside the names that browsers give themselves. */
export function deviceOfKey(name: string): string {
  return `API key ${name}`;
}
