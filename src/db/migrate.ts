import type { SchemaDb } from './db.ts';
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
  readonly statements: (type: ColumnTypes) => string[];
}

const types: Record<SchemaDb['kind'], ColumnTypes> = {
  sqlite: { kind: 'sqlite', text: 'text', bigint: 'integer', bytes: 'blob', strict: 'strict' },
  postgres: { kind: 'postgres', text: 'text collate "C"', bigint: 'bigint', bytes: 'bytea', strict: '' },
};

/** In the order in which they run. A migration is never edited or taken out once it is merged. */
const migrations: readonly Migration[] = [
  { name: '0001-accounts', statements: accounts },
  { name: '0002-blocks', statements: blocks },
  { name: '0003-push', statements: push },
  { name: '0004-inbox', statements: inbox },
  { name: '0005-chat', statements: chat },
  { name: '0006-friends', statements: friends },
  { name: '0007-push-queue', statements: pushQueue },
  { name: '0008-push-delivery', statements: pushDelivery },
  { name: '0009-presence', statements: presence },
  { name: '0010-told-marks', statements: toldMarks },
  { name: '0011-push-receipts', statements: pushReceipts },
  { name: '0012-flat-indexes', statements: flatIndexes },
  { name: '0013-device-proofs', statements: deviceProofs },
  { name: '0014-push-limits', statements: pushLimits },
  { name: '0015-subscriptions-of-sessions', statements: subscriptionsOfSessions },
  { name: '0016-push-log-reasons', statements: pushLogReasons },
  { name: '0017-plain-names', statements: plainNames },
  { name: '0018-subscription-languages', statements: subscriptionLanguages },
  { name: '0019-session-addresses', statements: sessionAddresses },
  { name: '0020-log-of-removed-devices', statements: logOfRemovedDevices },
  { name: '0021-trim-by-user', statements: trimByUser },
  { name: '0022-conversations-by-hour', statements: conversationsByHour },
];

/**
 * Runs the migrations that this database does not have yet, all or none. Several processes may call it at once.
 *
 * @throws {Error} when the database has a migration that this version does not know
 */
export async function migrate(db: SchemaDb): Promise<void> {
  const type = types[db.kind];
  await db.changeSchema(async (tx) => {
    await tx.script(
      `create table if not exists migrations (name ${type.text} primary key not null, at ${type.bigint} not null) ${type.strict}`,
    );
    const rows = await tx.all<{ name: string }>`select name from migrations order by name`;
    const done = new Set(rows.map((row) => row.name));
    const unknown = rows.find((row) => !migrations.some((migration) => migration.name === row.name));
    if (unknown) {
      throw new Error(
        `The database was last used by a newer version of Doorman (it has "${unknown.name}", which this version does not know): start that version or a later one.`,
      );
    }
    for (const migration of migrations) {
      if (done.has(migration.name)) continue;
      for (const statement of migration.statements(type)) await tx.script(statement);
      await tx.run`insert into migrations (name, at) values (${migration.name}, ${Date.now()})`;
    }
  });
}
