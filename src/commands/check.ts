import { parseArgs } from 'node:util';
import { openTokens } from '../accounts/tokens.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { getValue } from '../db/installation-values.ts';
import { openLog } from '../log.ts';
import { openVapidKeyring } from '../push/subscriptions/vapid-keys.ts';
import { openDatabase } from '../services.ts';
import { type Context, findMissingDatabase } from './context.ts';
import { explain } from './explain.ts';

/** `check`: whether the settings, the database and the keys will do, a line each; 1 if anything will not. */
export async function check(context: Context, args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  let faults = 0;
  const tell = (subject: string, finding: string) => context.output.write(`${subject}: ${finding}\n`);
  const tellFault = (subject: string, fault: string) => {
    faults++;
    tell(subject, `FAULT: ${fault}`);
  };

  const config = readSettings((fault) => tellFault('config', fault));
  if (!config) return 1;
  for (const warning of config.warnings) tell('config', `WARNING: ${warning}`);
  tell('config', 'good');

  await using db = await reachDatabase(config);
  if (!db) return 1;
  tell('database', `${db.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, schema ${await findSchema(db)}`);

  for (const [subject, examine] of Object.entries(keys)) {
    try {
      tell(subject, await examine(db, config));
    } catch (error) {
      tellFault(subject, explain(error));
    }
  }
  return faults === 0 ? 0 : 1;

  function readSettings(onFault: (fault: string) => void): Config | undefined {
    try {
      return readConfig(context.env);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      error.faults.forEach(onFault);
      return undefined;
    }
  }

  async function reachDatabase(of: Config) {
    try {
      const missing = findMissingDatabase(of);
      if (missing === undefined) return await openDatabase(of, openLog('warn', context.errors));
      tellFault('database', `there is none in ${missing}; the first start of the server makes it`);
    } catch (error) {
      tellFault('database', explain(error));
    }
    return undefined;
  }
}

async function findSchema(db: Db): Promise<string> {
  const row = await db.get<{ name: string }>`select name from migrations order by name desc limit 1`;
  return row?.name ?? 'none';
}

/** Each says what is there, and throws what is wrong with it. */
const keys = {
  async 'token keys'(db: Db, { tokenTtlSeconds }: Config): Promise<string> {
    await refuseAbsent(db, 'jwt-keys');
    const tokens = await openTokens(db, tokenTtlSeconds, Date.now);
    if (!(await tokens.verify(await tokens.issue('nobody', 'none'))))
      throw new Error('a token that was signed just now cannot be verified');
    return `${tokens.keySet().keys.length}, new tokens are signed with ${tokens.keySet().keys.at(-1)?.kid}`;
  },

  async 'push keys'(db: Db, { vapidSubject }: Config): Promise<string> {
    await refuseAbsent(db, 'vapid-keys');
    // It refuses keys that are no pair.
    const keyring = await openVapidKeyring(db, vapidSubject, Date.now);
    return `new subscriptions get ${keyring.publicKey}`;
  },
};

/** Opening keys that are not there would make them, and this command writes nothing. */
async function refuseAbsent(db: Db, name: string): Promise<void> {
  if ((await getValue(db, name)) === undefined)
    throw new Error('there are none; the first start of the server makes them');
}
