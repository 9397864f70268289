import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import type { SchemaDb } from '../src/db/db.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/postgres.ts';
import { openSqlite } from '../src/db/sqlite/sqlite.ts';
import { disposeAfter } from './dispose-after.ts';
import { connectPostgres } from './postgres-client.ts';
import {
  type Cluster,
  databaseUrl,
  findPostgres,
  startCluster,
  templateDatabase,
} from './postgres-cluster.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

/** What `readConfig` needs to know of a database. */
export type DatabaseSettings = { dataDir: string } | { databaseUrl: string };

/** One of the databases on which the rules must hold. */
export interface TestDatabase {
  readonly kind: 'sqlite' | 'postgres';
  /** Fresh, migrated and empty; closed after the test. */
  open(t: TestContext): Promise<SchemaDb>;
  /** The same, not opened, for tests that start a whole service or several processes. */
  create(t: TestContext): Promise<DatabaseSettings>;
}

/**
 * What is removed after a group of tests. Not after each test: `t.after` runs in order of registration, so what a test
 * closes later would find its database gone.
 */
const removals: (() => Promise<void>)[] = [];

function registerGroup(register: () => void): void {
  after(async () => {
    for (const remove of removals.splice(0)) await remove();
  });
  register();
}

/** Registers the same tests for SQLite and for PostgreSQL. */
export function onEachDatabase(name: string, register: (database: TestDatabase) => void): void {
  onSqlite(name, register);
  onPostgres(name, register);
}

export function onSqlite(name: string, register: (database: TestDatabase) => void): void {
  describe(`${name} (SQLite)`, () => registerGroup(() => register(sqlite)));
}

/**
 * Without PostgreSQL the tests are skipped, and with `CI=true` they fail. `TEST_DATABASES=sqlite` skips them always.
 *
 * @param options `concurrency: true` where most tests wait for timers
 */
export function onPostgres(
  name: string,
  register: (database: TestDatabase) => void,
  options: { concurrency?: boolean } = {},
): void {
  const title = `${name} (PostgreSQL)`;
  if (process.env.TEST_DATABASES === 'sqlite') {
    describe(title, { skip: 'on SQLite alone; npm test runs it' }, () => register(postgresql));
    return;
  }
  if (process.env.TEST_POSTGRES_URL || findPostgres()) {
    stopClusterAtTheEnd();
    describe(title, options, () => registerGroup(() => register(postgresql)));
    return;
  }
  const reason = 'PostgreSQL is not installed; on Debian and Ubuntu: sudo apt-get install postgresql';
  if (process.env.CI === 'true') {
    test(title, () => {
      throw new Error(reason);
    });
  } else {
    describe(title, { skip: reason }, () => register(postgresql));
  }
}

const sqlite: TestDatabase = {
  kind: 'sqlite',
  async open(t) {
    const db = await openSqlite({ folder: await makeMigratedFolder() });
    disposeAfter(t, db);
    return db;
  },
  async create() {
    return { dataDir: await makeMigratedFolder() };
  },
};

const postgresql: TestDatabase = {
  kind: 'postgres',
  async open(t) {
    const db = await openPostgres({ url: await makeDatabase() });
    disposeAfter(t, db);
    return db;
  },
  async create() {
    return { databaseUrl: await makeDatabase() };
  },
};

/** Created for the first database of this process, and copied for each further one. */
let sqliteTemplate: Promise<string> | undefined;

async function makeMigratedFolder(): Promise<string> {
  sqliteTemplate ??= makeTemplate();
  const [template, folder] = await Promise.all([sqliteTemplate, makeFolder()]);
  await copyFile(join(template, 'doorman.db'), join(folder, 'doorman.db'));
  return folder;
}

async function makeTemplate(): Promise<string> {
  const folder = await makeTemporaryFolder('template');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await using db = await openSqlite({ folder });
  await migrate(db);
  return folder;
}

async function makeFolder(): Promise<string> {
  const folder = await makeTemporaryFolder('data');
  removals.push(() => removeFolder(folder));
  return folder;
}

/** Creates a migrated, empty PostgreSQL database. @returns its address */
async function makeDatabase(): Promise<string> {
  const server = await testServer();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await maintain(server, `create database ${name} template ${templateDatabase}`);
  removals.push(() => maintain(server, `drop database ${name} with (force)`));
  return databaseUrl(server, name);
}

async function maintain(url: string, text: string): Promise<void> {
  await using sql = await connectPostgres(url);
  await sql.rows(text);
}

/** Shared by the tests of this process, when no server is given. */
let cluster: Promise<Cluster> | undefined;
let stopsAtTheEnd = false;

async function testServer(): Promise<string> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) return given;
  cluster ??= startCluster();
  return (await cluster).url;
}

function stopClusterAtTheEnd(): void {
  if (stopsAtTheEnd || process.env.TEST_POSTGRES_URL) return;
  stopsAtTheEnd = true;
  after(async () => {
    await (await cluster)?.stop();
  });
}
