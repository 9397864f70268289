import type { Queries, SchemaDb } from './db.ts';
import { statements as accounts } from './migrations/0001-accounts.ts';
import { statements as blocks } from './migrations/0002-blocks.ts';
import { statements as push } from './migrations/0003-push.ts';
import { statements as inbox } from './migrations/0004-inbox.ts';
import { statements as chat } from './migrations/0005-chat.ts';
import { statements as friends } from './migrations/0006-friends.ts';
import { statements as pushQueue } from './migrations/0007-push-queue.ts';
import { statements as pushDelivery } from './migrations/0008-push-delivery.ts';
import { statements as presence } from './migrations/0009-presence.ts';
import { statements as toldMarks } from './migrations/0010-told-marks.ts';
import { statements as pushReceipts } from './migrations/0011-push-receipts.ts';
import { statements as flatIndexes } from './migrations/0012-flat-indexes.ts';
import { statements as deviceProofs } from './migrations/0013-device-proofs.ts';
import { statements as pushLimits } from './migrations/0014-push-limits.ts';
import { statements as subscriptionsOfSessions } from './migrations/0015-subscriptions-of-sessions.ts';
import { statements as pushLogReasons } from './migrations/0016-push-log-reasons.ts';
import { statements as plainNames } from './migrations/0017-plain-names.ts';
import { statements as subscriptionLanguages } from './migrations/0018-subscription-languages.ts';
import { statements as sessionAddresses } from './migrations/0019-session-addresses.ts';
import { statements as logOfRemovedDevices } from './migrations/0020-log-of-removed-devices.ts';
import { statements as trimByUser } from './migrations/0021-trim-by-user.ts';
import { statements as conversationsByHour } from './migrations/0022-conversations-by-hour.ts';
import { statements as changes } from './migrations/0023-changes.ts';
import { statements as additiveMigrations } from './migrations/0024-additive-migrations.ts';
import { statements as invites } from './migrations/0025-invites.ts';
import { statements as passwordLinks } from './migrations/0026-password-links.ts';
import { statements as proofsOfSessions } from './migrations/0027-proofs-of-sessions.ts';

/** The words of `create table` in which the databases differ. */
interface ColumnTypes {
  kind: SchemaDb['kind'];
  /** Sorts by bytes. */
  text: string;
  bigint: string;
  bytes: string;
  /** Follows the closing bracket; without it SQLite stores any type in any column. */
  strict: string;
}

interface Migration {
  readonly name: string;
  /**
   * Whether versions that do not know the migration work on with the tables that it leaves: it only adds tables, columns with a
   * default, and indexes of tables that it adds. Nodes of both versions then run side by side during an update.
   */
  readonly additive: boolean;
  readonly statements: (type: ColumnTypes) => string[];
}

const types: Record<SchemaDb['kind'], ColumnTypes> = {
  sqlite: { kind: 'sqlite', text: 'text', bigint: 'integer', bytes: 'blob', strict: 'strict' },
  postgres: { kind: 'postgres', text: 'text collate "C"', bigint: 'bigint', bytes: 'bytea', strict: '' },
};

/** The migration from which on `migrations` says which are additive. */
const ADDITIVE_MIGRATIONS = '0024-additive-migrations';

/** In the order in which they run. A migration is never edited or taken out once it is merged. */
export const migrations: readonly Migration[] = [
  { name: '0001-accounts', additive: false, statements: accounts },
  { name: '0002-blocks', additive: false, statements: blocks },
  { name: '0003-push', additive: false, statements: push },
  { name: '0004-inbox', additive: false, statements: inbox },
  { name: '0005-chat', additive: false, statements: chat },
  { name: '0006-friends', additive: false, statements: friends },
  { name: '0007-push-queue', additive: false, statements: pushQueue },
  { name: '0008-push-delivery', additive: false, statements: pushDelivery },
  { name: '0009-presence', additive: false, statements: presence },
  { name: '0010-told-marks', additive: false, statements: toldMarks },
  { name: '0011-push-receipts', additive: false, statements: pushReceipts },
  { name: '0012-flat-indexes', additive: false, statements: flatIndexes },
  { name: '0013-device-proofs', additive: false, statements: deviceProofs },
  { name: '0014-push-limits', additive: false, statements: pushLimits },
  { name: '0015-subscriptions-of-sessions', additive: false, statements: subscriptionsOfSessions },
  { name: '0016-push-log-reasons', additive: false, statements: pushLogReasons },
  { name: '0017-plain-names', additive: false, statements: plainNames },
  { name: '0018-subscription-languages', additive: false, statements: subscriptionLanguages },
  { name: '0019-session-addresses', additive: false, statements: sessionAddresses },
  { name: '0020-log-of-removed-devices', additive: false, statements: logOfRemovedDevices },
  { name: '0021-trim-by-user', additive: false, statements: trimByUser },
  { name: '0022-conversations-by-hour', additive: false, statements: conversationsByHour },
  { name: '0023-changes', additive: false, statements: changes },
  { name: ADDITIVE_MIGRATIONS, additive: false, statements: additiveMigrations },
  { name: '0025-invites', additive: true, statements: invites },
  { name: '0026-password-links', additive: true, statements: passwordLinks },
  { name: '0027-proofs-of-sessions', additive: false, statements: proofsOfSessions },
];

/**
 * Runs the migrations that this database does not have yet, all or none. Several processes may call it at once. Migrations of a
 * newer version that are additive are left as they are.
 *
 * @param known what a test adds to the migrations of this version
 * @throws {Error} when the database has a migration that this version does not know, and that is not additive
 */
export async function migrate(db: SchemaDb, known: readonly Migration[] = migrations): Promise<void> {
  const type = types[db.kind];
  await db.changeSchema(async (tx) => {
    await tx.script(
      `create table if not exists migrations (name ${type.text} primary key not null, at ${type.bigint} not null) ${type.strict}`,
    );
    const done = await readNames(tx);
    refuseUnknown(done, known, done.has(ADDITIVE_MIGRATIONS) ? await readAdditive(tx) : new Set());
    const missing = known.filter((migration) => !done.has(migration.name));
    for (const migration of missing)
      for (const statement of migration.statements(type)) await tx.script(statement);
    // Only now does the table surely have its column `additive`.
    for (const { name, additive } of missing)
      await tx.run`insert into migrations (name, at, additive) values (${name}, ${Date.now()}, ${additive ? 1 : 0})`;
  });
}

/** Whether this version has migrations to run after which nodes of an earlier version could not work on; never on a new database. */
export async function mustMigrateAlone(db: SchemaDb): Promise<boolean> {
  let done: Set<string>;
  try {
    done = await readNames(db);
  } catch (error) {
    if (!db.isStatementFault(error)) throw error;
    return false; // there are no tables yet
  }
  return migrations.some(({ name, additive }) => !additive && !done.has(name));
}

function refuseUnknown(
  done: ReadonlySet<string>,
  known: readonly Migration[],
  additive: ReadonlySet<string>,
): void {
  const names = new Set(known.map((migration) => migration.name));
  const unknown = [...done].find((name) => !names.has(name) && !additive.has(name));
  if (unknown === undefined) return;
  throw new Error(
    `The database was last used by a newer version of Doorman (it has "${unknown}", which this version does not know): start that version or a later one.`,
  );
}

async function readNames(db: Queries): Promise<Set<string>> {
  const rows = await db.all<{ name: string }>`select name from migrations order by name`;
  return new Set(rows.map((row) => row.name));
}

async function readAdditive(tx: Queries): Promise<Set<string>> {
  const rows = await tx.all<{ name: string }>`select name from migrations where additive = 1`;
  return new Set(rows.map((row) => row.name));
}
