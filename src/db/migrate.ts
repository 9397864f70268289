import type { Queries, SchemaDb } from './db.ts';
import { statements as version010 } from './migrations/0024-version-0.1.0.ts';
import { statements as invites } from './migrations/0025-invites.ts';
import { statements as passwordLinks } from './migrations/0026-password-links.ts';
import { statements as proofsOfSessions } from './migrations/0027-proofs-of-sessions.ts';
import { statements as mailAndAccountLog } from './migrations/0028-mail-and-account-log.ts';
import { statements as reachAndReports } from './migrations/0029-reach-and-reports.ts';
import { statements as changedMessages } from './migrations/0030-changed-messages.ts';
import { statements as apiKeys } from './migrations/0031-api-keys.ts';
import { statements as nameKeys } from './migrations/0032-name-keys.ts';
import { statements as avatars } from './migrations/0033-avatars.ts';
import { statements as pictures } from './migrations/0034-pictures.ts';
import { statements as leaving } from './migrations/0035-leaving.ts';

/** The words of `create table` in which the databases differ. */
interface ColumnTypes {
  kind: SchemaDb['kind'];
  /** Sorts by bytes. */
  text: string;
  bigint: string;
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
  sqlite: { kind: 'sqlite', text: 'text', bigint: 'integer', strict: 'strict' },
  postgres: { kind: 'postgres', text: 'text collate "C"', bigint: 'bigint', strict: '' },
};

/** The last migration of version 0.1.0, whose tables the first one of today makes at once (decision 032). */
const VERSION_0_1_0 = '0024-additive-migrations';

/** In the order in which they run. A migration is never edited or taken out once it is merged. */
export const migrations: readonly Migration[] = [
  { name: VERSION_0_1_0, additive: false, statements: version010 },
  { name: '0025-invites', additive: true, statements: invites },
  { name: '0026-password-links', additive: true, statements: passwordLinks },
  { name: '0027-proofs-of-sessions', additive: false, statements: proofsOfSessions },
  { name: '0028-mail-and-account-log', additive: true, statements: mailAndAccountLog },
  { name: '0029-reach-and-reports', additive: true, statements: reachAndReports },
  { name: '0030-changed-messages', additive: true, statements: changedMessages },
  { name: '0031-api-keys', additive: true, statements: apiKeys },
  { name: '0032-name-keys', additive: true, statements: nameKeys },
  { name: '0033-avatars', additive: true, statements: avatars },
  { name: '0034-pictures', additive: true, statements: pictures },
  { name: '0035-leaving', additive: true, statements: leaving },
];

/**
 * Runs the migrations that this database does not have yet, all or none. Several processes may call it at once. Migrations of a
 * newer version that are additive are left as they are.
 *
 * @param known what a test adds to the migrations of this version
 * @throws {Error} when the database is of a version before 0.1.0, or has a migration that this version does not know, and that is not additive
 */
export async function migrate(db: SchemaDb, known: readonly Migration[] = migrations): Promise<void> {
  const type = types[db.kind];
  await db.changeSchema(async (tx) => {
    await tx.script(
      `create table if not exists migrations (
        name ${type.text} primary key not null, at ${type.bigint} not null, additive ${type.bigint} not null default 0) ${type.strict}`,
    );
    const done = await readNames(tx);
    if (done.size > 0) {
      await refuseUnfit(tx, done, known);
      await tx.run`delete from migrations where name < ${VERSION_0_1_0}`;
    }
    for (const { name, additive, statements } of known.filter((migration) => !done.has(migration.name))) {
      for (const statement of statements(type)) await tx.script(statement);
      await tx.run`insert into migrations (name, at, additive) values (${name}, ${Date.now()}, ${additive ? 1 : 0})`;
    }
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

async function refuseUnfit(
  tx: Queries,
  done: ReadonlySet<string>,
  known: readonly Migration[],
): Promise<void> {
  const [last] = [...done].sort().reverse();
  if (!done.has(VERSION_0_1_0))
    throw new Error(
      `The database is of a version before 0.1.0 (its last migration is "${last}"): start version 0.1.0 or 0.2.0 on it once, then this one.`,
    );
  const names = new Set(known.map(({ name }) => name));
  const later = await tx.all<{ name: string }>`
    select name from migrations where additive = 0 and name > ${VERSION_0_1_0} order by name`;
  const unknown = later.find(({ name }) => !names.has(name));
  if (unknown)
    throw new Error(
      `The database was last used by a newer version of Doorman (it has "${unknown.name}", which this version does not know): start that version or a later one.`,
    );
}

async function readNames(db: Queries): Promise<Set<string>> {
  const rows = await db.all<{ name: string }>`select name from migrations order by name`;
  return new Set(rows.map((row) => row.name));
}
