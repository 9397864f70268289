import { constants, setPriority } from 'node:os';
import { openTokens } from '../accounts/tokens.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import { getValue } from '../db/installation-values.ts';
import { openLog } from '../log.ts';
import { openDatabase } from '../open-database.ts';
import { openVapidKeyring } from '../push/subscriptions/vapid-keys.ts';
import { checkDatabase } from './checks/database-checks.ts';
import { type Context, findMissingDatabase } from './context.ts';
import { explain } from './explain.ts';

/** The most findings of one part of the database that are printed; there may be thousands. */
const SHOWN_FAULTS = 3;

/** `check`: reports on the settings, the database with everything in it, and the keys, a line each. The exit code is 1 with any fault. */
export async function check(context: Context): Promise<number> {
  let faults = 0;
  const report = (subject: string, finding: string) => context.output.write(`${subject}: ${finding}\n`);
  const reportFault = (subject: string, fault: string) => {
    faults++;
    report(subject, `FAULT: ${fault}`);
  };

  /** Reports what `work` throws. */
  async function attempt<T>(subject: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      for (const fault of error instanceof ConfigError ? error.faults : [explain(error)])
        reportFault(subject, fault);
      return undefined;
    }
  }

  const config = await attempt('config', () => readConfig(context.env));
  if (!config) return 1;
  for (const warning of config.warnings) report('config', `WARNING: ${warning}`);
  report('config', 'good');
  const { smtp } = config;
  if (smtp)
    report(
      'mail',
      `by ${new URL(smtp.url).host} from ${smtp.from.address}; the command \`mail test\` sends one`,
    );

  await using db = await attempt('database', async () => {
    const missing = findMissingDatabase(config);
    if (missing === undefined) return openDatabase(config, openLog('warn', context.errors));
    throw new Error(`there is none in ${missing}; the first start of the server makes it`);
  });
  if (!db) return 1;
  report('database', `${db.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, schema ${await findSchema(db)}`);

  // A server on the same machine comes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  for await (const { subject, faults: found } of checkDatabase(db)) {
    if (found.length === 0) report(subject, 'good');
    for (const fault of found.slice(0, SHOWN_FAULTS)) reportFault(subject, fault);
    if (found.length > SHOWN_FAULTS) reportFault(subject, `and ${found.length - SHOWN_FAULTS} more`);
  }

  for (const [subject, describeKeys] of Object.entries(keyChecks)) {
    const description = await attempt(subject, () => describeKeys(db, config));
    if (description !== undefined) report(subject, description);
  }
  return faults === 0 ? 0 : 1;
}

async function findSchema(db: Db): Promise<string> {
  const row = await db.get<{ name: string }>`select name from migrations order by name desc limit 1`;
  return row?.name ?? 'none';
}

/** Each returns a description of its keys, or throws what is wrong with them. */
const keyChecks = {
  async 'token keys'(db: Db, { tokenTtlSeconds }: Config): Promise<string> {
    await assertStored(db, 'jwt-keys');
    const tokens = await openTokens(db, tokenTtlSeconds, Date.now);
    if (!(await tokens.verify(await tokens.issue('user', 'session'))))
      throw new Error('a token that was signed just now cannot be verified');
    return `${tokens.keySet().keys.length}, new tokens are signed with ${tokens.keySet().keys.at(-1)?.kid}`;
  },

  async 'push keys'(db: Db, { vapidSubject }: Config): Promise<string> {
    await assertStored(db, 'vapid-keys');
    // It throws for keys that are no pair.
    const keyring = await openVapidKeyring(db, vapidSubject, Date.now);
    return `new subscriptions get ${keyring.publicKey}`;
  },
};

/** Opening keys makes them if there are none, and this command writes nothing. */
async function assertStored(db: Db, name: string): Promise<void> {
  if ((await getValue(db, name)) === undefined)
    throw new Error('there are none; the first start of the server makes them');
}
