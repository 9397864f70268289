import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import type { SchemaDb } from '../src/db/db.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres, START_MS } from '../src/db/postgres/postgres.ts';
import { openSqlite } from '../src/db/sqlite/sqlite.ts';
import { disposeAfter, type Scope } from './dispose-after.ts';
import { connectPostgres } from './postgres-client.ts';
import {
  type Cluster,
  databaseUrl,
  findPostgres,
  startCluster,
  templateDatabase,
} from './postgres-cluster.ts';
import { findRedis, type RedisServer, startRedis } from './redis-server.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

/** What `readConfig` needs to know of a database; `redisUrl` where several nodes use it. */
export type DatabaseSettings = { dataDir: string } | { databaseUrl: string; redisUrl?: string };

/** The same as settings of the environment. */
export function databaseEnv(settings: DatabaseSettings): Record<string, string> {
  if ('dataDir' in settings) return { DATA_DIR: settings.dataDir };
  const { databaseUrl, redisUrl } = settings;
  return { DATABASE_URL: databaseUrl, ...(redisUrl !== undefined && { REDIS_URL: redisUrl }) };
}

/** One of the databases on which the rules must hold. */
export interface TestDatabase {
  readonly kind: 'sqlite' | 'postgres';
  /** How many nodes serve it. */
  readonly nodes: number;
  /** Fresh, migrated and empty; closed after the test. */
  open(t: TestContext): Promise<SchemaDb>;
  /** The same, not opened, for tests that start a whole service or several processes. */
  create(t: Scope): Promise<DatabaseSettings>;
}

/**
 * What is removed after a group of tests. Not after each test: `t.after` runs in order of registration, so what a test
 * closes later would find its database gone.
 */
const folders: string[] = [];
const databases: string[] = [];

function registerGroup(register: () => void): void {
  register();
  // The last: a service that a group shares ends before its database.
  after(async () => {
    for (const folder of folders.splice(0)) await removeFolder(folder);
    await dropDatabases();
  });
}

/** Registers the same tests for SQLite and for PostgreSQL. */
export function onEachDatabase(name: string, register: (database: TestDatabase) => void): void {
  onSqlite(name, register);
  onPostgres(name, register);
}

export function onSqlite(name: string, register: (database: TestDatabase) => void): void {
  if (process.env.TEST_DATABASES === 'nodes') return;
  describe(`${name} (SQLite)`, () => registerGroup(() => register(sqlite)));
}

/** Registers the same tests for one server on SQLite, for one on PostgreSQL and for three nodes. */
export function onEachDeployment(name: string, register: (database: TestDatabase) => void): void {
  onEachDatabase(name, register);
  onNodes(name, register);
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
  describeServers(`${name} (PostgreSQL)`, postgresql, register, options);
}

/** Registers tests for three nodes on one PostgreSQL and one Redis; skipped like those of `onPostgres`. */
export function onNodes(
  name: string,
  register: (database: TestDatabase) => void,
  options: { concurrency?: boolean } = {},
): void {
  describeServers(`${name} (three nodes)`, threeNodes, register, options);
}

function describeServers(
  title: string,
  database: TestDatabase,
  register: (database: TestDatabase) => void,
  options: { concurrency?: boolean },
): void {
  if (process.env.TEST_DATABASES === 'nodes' && database.nodes === 1) return;
  if (process.env.TEST_DATABASES === 'sqlite') {
    describe(title, { skip: 'on SQLite alone; npm test runs it' }, () => register(database));
    return;
  }
  const missing = [
    process.env.TEST_POSTGRES_URL || findPostgres() ? [] : 'postgresql',
    process.env.TEST_REDIS_URL || database.nodes === 1 || findRedis() ? [] : 'redis-server',
  ].flat();
  if (missing.length === 0) {
    stopServersAtTheEnd();
    describe(title, options, () => registerGroup(() => register(database)));
    return;
  }
  const names = missing.join(' ');
  const reason = `not installed: ${names}; on Debian and Ubuntu: sudo apt-get install ${names}`;
  if (process.env.CI === 'true') {
    test(title, () => {
      throw new Error(reason);
    });
  } else {
    describe(title, { skip: reason }, () => register(database));
  }
}

const sqlite: TestDatabase = {
  kind: 'sqlite',
  nodes: 1,
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
  nodes: 1,
  async open(t) {
    const db = await openPostgres({ url: await makeDatabase(), startMs: START_MS });
    disposeAfter(t, db);
    return db;
  },
  async create() {
    return { databaseUrl: await makeDatabase() };
  },
};

const threeNodes: TestDatabase = {
  ...postgresql,
  nodes: 3,
  async create() {
    const [databaseUrl, redisUrl] = await Promise.all([makeDatabase(), testRedis()]);
    return { databaseUrl, redisUrl };
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
  folders.push(folder);
  return folder;
}

/** Creates a migrated, empty PostgreSQL database. @returns its address */
async function makeDatabase(): Promise<string> {
  const server = await testServer();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await using sql = await connectPostgres(server);
  const [version] = await sql.rows('show server_version_num');
  // Copying files takes half the processor time of logging each page, which version 15 made the default.
  const strategy = Number(version?.server_version_num) >= 150_000 ? 'strategy file_copy' : '';
  await sql.rows(`create database ${name} template ${templateDatabase} ${strategy}`);
  databases.push(name);
  return databaseUrl(server, name);
}

async function dropDatabases(): Promise<void> {
  if (databases.length === 0) return;
  await using sql = await connectPostgres(await testServer());
  for (const name of databases.splice(0)) await sql.rows(`drop database ${name} with (force)`);
}

/** Shared by the tests of this process, when none is given. */
let cluster: Promise<Cluster> | undefined;
let redis: Promise<RedisServer> | undefined;
let stopsAtTheEnd = false;

async function testServer(): Promise<string> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) return given;
  cluster ??= startCluster();
  return (await cluster).url;
}

/** The address of a Redis that other tests use as well. */
async function testRedis(): Promise<string> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return given;
  redis ??= startRedis();
  return (await redis).url;
}

function stopServersAtTheEnd(): void {
  if (stopsAtTheEnd) return;
  stopsAtTheEnd = true;
  after(async () => {
    await (await cluster)?.stop();
    await (await redis)?.[Symbol.asyncDispose]();
  });
}
