import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { connectPostgres } from '../../test/postgres-client.ts';
import { databaseUrl } from '../../test/postgres-cluster.ts';
import { onPostgres } from '../databases.ts';
import { waitForIdleMachine } from '../idle-machine.ts';
import type { Effort } from '../measure.ts';
import { runProgram, temporaryFolder } from '../processes.ts';
import { endedMicros, type ProcessorClock } from '../processor-time.ts';
import { type Line, perSecond } from '../table.ts';

/** Where lines are imported, and an empty copy of it into which the same rows are inserted. */
interface Target {
  readonly env: Record<string, string>;
  /** The address of the copy, or its file. */
  readonly copy: string;
  /** Of the processes of the database, if it has its own. */
  readonly micros?: ProcessorClock;
  read(table: string): Promise<unknown[]>;
}

/** As those of other products, ids of users do not sort by their age. */
const id = (n: number) => `${Math.imul(n, 2_654_435_761) >>> 0}-${n}`;
const hash = `$2b$10$${'a'.repeat(21)}u${'a'.repeat(30)}u`;

/** The line with a number, and the tables that its kind fills. */
const KINDS: Record<string, { tables: readonly string[]; line: (n: number, count: number) => object }> = {
  users: {
    tables: ['users', 'inbox_heads', 'name_keys'],
    line: (n) => ({ id: id(n), username: `user${n}`, password_hash: hash, bio: 'likes tea', created_at: n }),
  },
  friendships: {
    tables: ['friends'],
    line: (n, count) => ({ friends: [id(n), id((n * 31 + 7) % count)], at: n }),
  },
  messages: {
    tables: ['messages', 'conversations'],
    line: (n, count) => {
      const pair = [id(Math.floor(n / 10)), id((Math.floor(n / 10) + 1) % count)];
      const [from, to] = n % 2 ? pair : pair.reverse();
      return { message: { id: `m${id(n)}`, from, to, body: 'Shall we meet near the station?', at: n } };
    },
  },
};

/** An import of each kind of lines by bare inserts of the same rows, in processor time. */
export async function imports(effort: Effort): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const db = await openSqlite({ folder: folder.path, log: pino({ level: 'silent' }) });
  await migrate(db);
  await db[Symbol.asyncDispose]();
  const file = join(folder.path, 'doorman.db');
  const copy = join(folder.path, 'bare.db');
  await copyFile(file, copy);
  return await compare(effort, folder.path, {
    env: { DATA_DIR: folder.path },
    copy,
    async read(table) {
      using imported = new DatabaseSync(file);
      // In the order in which they were inserted; `name_keys` has no row numbers.
      const order = table === 'name_keys' ? 'user_id' : 'rowid';
      return imported.prepare(`select * from ${table} order by ${order}`).all();
    },
  });
}

export function importsOnPostgres(effort: Effort): Promise<Line[]> {
  return onPostgres('import', async ({ settings: env, micros }) => {
    await using folder = await temporaryFolder();
    const url = env.DATABASE_URL ?? '';
    const db = await openPostgres({ url, log: pino({ level: 'silent' }) });
    await migrate(db);
    await db[Symbol.asyncDispose]();
    await using server = await connectPostgres(databaseUrl(url, 'template1'));
    await server.rows('create database bare template postgres');
    return await compare(effort, folder.path, {
      env,
      copy: databaseUrl(url, 'bare'),
      ...(micros && { micros }),
      async read(table) {
        await using imported = await connectPostgres(url);
        return await imported.rows(`select * from ${table}`);
      },
    });
  });
}

async function compare(effort: Effort, folder: string, target: Target): Promise<Line[]> {
  const count = effort.importedLines;
  const database = async () => (await target.micros?.()) ?? 0;
  const lines: Line[] = [];
  async function write(name: string, objects: readonly unknown[]): Promise<string> {
    const file = join(folder, `${name}.jsonl`);
    await writeFile(file, objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
    return file;
  }
  /** What each line costs, in microseconds of the program and of the database, and in seconds. */
  async function run(words: readonly string[], env: Record<string, string>) {
    await waitForIdleMachine(effort.patienceSeconds);
    const [startedAt, used, stored] = [performance.now(), await endedMicros(), await database()];
    await runProgram(words, env);
    return {
      program: ((await endedMicros()) - used) / count,
      database: ((await database()) - stored) / count,
      each: (performance.now() - startedAt) / 1000 / count,
    };
  }

  for (const [kind, { tables, line }] of Object.entries(KINDS)) {
    const objects = Array.from({ length: count }, (_, n) => line(n, count));
    const ours = await run(['src/cli.ts', 'import', await write(kind, objects)], target.env);
    const files: string[] = [];
    for (const table of tables) files.push(table, await write(table, await target.read(table)));
    const bare = await run(['bench/bare/inserts.ts', ...files], { TARGET: target.copy });
    const ratio = (bare.program + bare.database) / (ours.program + ours.database);
    lines.push({
      work: `import of ${count.toLocaleString('en-US')} ${kind}, in processor time`,
      ours: perSecond(1 / ours.each),
      bare: perSecond(1 / bare.each),
      ratio,
      target: { value: ratio, unit: 'ratio', floor: 0.4, aim: 0.6 },
      micros: {
        service: ours.program,
        ...(target.micros && { database: ours.database }),
        bare: bare.program + bare.database,
      },
    });
  }
  return lines;
}
