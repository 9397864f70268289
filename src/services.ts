import type { Logger } from 'pino';
import { type AccountServices, openAccounts } from './accounts/account-services.ts';
import { type ChatServices, openChat } from './chat/chat-services.ts';
import { type Clock, createClock } from './clock.ts';
import type { Config } from './config/config.ts';
import { DatabaseClock } from './db/database-clock.ts';
import type { SchemaDb } from './db/db.ts';
import { Durations } from './db/durations.ts';
import { measureDb } from './db/measured-db.ts';
import { mustMigrateAlone } from './db/migrate.ts';
import type { PostgresLock } from './db/postgres/lock.ts';
import { lockFolder } from './db/server-lock.ts';
import { ChangeReader } from './events/change-reader.ts';
import { recordExternalChange } from './events/changes.ts';
import { Events } from './events/hints.ts';
import { type ApiLimits, openApiLimits } from './http/api-limits.ts';
import { memoryLimits } from './http/limit-source.ts';
import { ReadLimit } from './http/read-limit.ts';
import { type InboxServices, openInboxes } from './inbox/inbox-services.ts';
import type { NodeServices, NodeTimes } from './nodes/node-services.ts';
import { openDatabase } from './open-database.ts';
import { openPresence, type PresenceServices } from './presence/presence-services.ts';
import { openPush, type PushServices, type PushWorld } from './push/push-services.ts';
import type { PushFigures } from './push/webpush/measured-client.ts';
import { FriendLimits } from './relations/friend-limits.ts';

/** The long-lived parts of all rooms, opened once for a process. Each room opens its own. */
export interface Services {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  /** The clock that `clock.now` follows on a node; null where that is the machine's. */
  readonly databaseClock: DatabaseClock | null;
  readonly db: SchemaDb;
  readonly events: Events;
  readonly changes: ChangeReader;
  readonly limits: Limits;
  readonly accounts: AccountServices;
  readonly inbox: InboxServices;
  readonly presence: PresenceServices;
  readonly push: PushServices;
  readonly chat: ChatServices;
  /** The other servers of this service; null where one server has the database. */
  readonly nodes: NodeServices | null;
  readonly lifecycle: Lifecycle;
  /** Measurements for `/metrics` alone; null where that is off. */
  readonly measures: Measures | null;
}

interface Measures {
  /** By operation. */
  readonly database: Durations;
  readonly pushes: PushFigures;
}

/**
 * The limits of all requests, and two limits of rooms that keep nothing else open. Each of the two is shared by a frame and its
 * HTTP twin, so neither of them can open it. Limits of other rooms are in the part of their room.
 */
interface Limits extends ApiLimits {
  readonly friends: FriendLimits;
  /** Limits `sync`, one of the most expensive reads. */
  readonly sync: ReadLimit;
}

interface Lifecycle {
  /** Set when the process is about to stop: it serves as before, but is not ready, so that a load balancer stops using it. */
  leaving: boolean;
  /** Set when the process stops: it answers the requests in flight and accepts no new ones. */
  draining: boolean;
  /** Resolves when another server has taken over the database: this one has to stop. */
  readonly databaseTaken: Promise<void>;
}

/** The outside world, as far as tests replace it. */
export interface World extends Partial<Clock>, PushWorld {
  pageFolder?: string;
  /** The wall clock of the machine, which only a single server takes for the time; `now` replaces the time itself. */
  machineNow?: () => number;
  nodeTimes?: Partial<NodeTimes>;
}

/**
 * Opens everything that a server needs. Without `REDIS_URL` only one server at a time uses a database: a second one on the same
 * folder is refused, a second one on the same PostgreSQL waits (architecture 11).
 */
export async function openServices(
  config: Config,
  log: Logger,
  world: World = {},
): Promise<Services & AsyncDisposable> {
  const { machineNow, now: givenNow } = world;
  const machine = createClock({ ...world, ...(machineNow && !givenNow && { now: machineNow }) });
  await using opening = new AsyncDisposableStack();
  const lock = await lockPostgres(config, log);
  opening.use(lock ?? lockFolder(config.dataDir));
  const measures = config.metrics && openMeasures();
  const opened = opening.use(await openDatabase(config, log, lock));
  const db = measures ? measureDb(opened, measures.database) : opened;
  // A server that had the database before, and gets it back after this one, must drop what it has in memory.
  if (config.redisUrl === null) await db.transaction((tx) => recordExternalChange(tx));
  const databaseClock = config.redisUrl && !givenNow ? await DatabaseClock.open(db, machine) : null;
  const clock = databaseClock ? { ...machine, now: databaseClock.now } : machine;
  const events = new Events();
  const changes = await ChangeReader.open(db, events, clock, { hasNodes: config.redisUrl !== null });
  const node = await openNode(config, db, clock, log, world);
  if (node) opening.use(node);
  const limits = node?.limits ?? memoryLimits;
  const apiLimits = openApiLimits(config, log, clock.monotonicMs, limits);
  const accounts = await openAccounts(db, config, clock, events, apiLimits, limits);
  const presence = openPresence(db, events, clock, node !== null);
  const push = opening.use(await openPush(db, config, clock, world, measures?.pushes));
  const inbox = await openInboxes(db, events, clock, log, {
    hasNodes: config.redisUrl !== null,
    ...(world.nodeTimes && { times: world.nodeTimes }),
  });
  changes.onEverything(async () => {
    await Promise.all([accounts.tokens.reload(db), push.vapidKeys.reload(db), inbox.failovers.reload(db)]);
  });
  const services: Services = {
    config: { ...config, pageFolder: world.pageFolder ?? config.pageFolder },
    log,
    clock,
    databaseClock,
    db,
    events,
    changes,
    limits: {
      ...apiLimits,
      friends: new FriendLimits(clock.monotonicMs),
      sync: new ReadLimit({ ofConnection: 5, ofUser: 20 }, 'too_many_syncs', clock.monotonicMs),
    },
    accounts,
    inbox,
    presence,
    push,
    chat: openChat(db, events, presence.online, clock, limits, config.rateLimits),
    nodes: node?.join({ accounts, changes, db, events, inbox, presence, push }) ?? null,
    lifecycle: { leaving: false, draining: false, databaseTaken: lock?.taken ?? new Promise(() => {}) },
    measures,
  };
  const endings = opening.move();
  return Object.assign(services, { [Symbol.asyncDispose]: () => endings.disposeAsync() });
}

/** The bounds are those that OpenTelemetry advises for a database; push services are slower. */
function openMeasures(): Measures {
  return {
    database: new Durations([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]),
    pushes: { answers: new Map(), durations: new Durations([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]) },
  };
}

async function lockPostgres(config: Config, log: Logger): Promise<PostgresLock | null> {
  const { databaseUrl: url, redisUrl } = config;
  if (!url) return null;
  const { PostgresLock } = await import('./db/postgres/lock.ts');
  if (redisUrl === null) return PostgresLock.take({ url, log });
  const lock = await PostgresLock.take({ url, log, isShared: true });
  if (!(await migrateAlone(config, url, log, lock))) return lock;
  return PostgresLock.take({ url, log, isShared: true });
}

/**
 * Runs migrations that are not additive when no other node runs; waits for those of an earlier version to end.
 *
 * @param lock the shared one, which is given back if it has to wait
 * @returns whether `lock` was given back
 */
async function migrateAlone(config: Config, url: string, log: Logger, lock: PostgresLock): Promise<boolean> {
  const { PostgresLock } = await import('./db/postgres/lock.ts');
  const { openPostgres, START_MS } = await import('./db/postgres/postgres.ts');
  await using db = await openPostgres({ url, log, poolSize: 1, startMs: START_MS });
  if (!(await mustMigrateAlone(db))) return false;
  await lock[Symbol.asyncDispose]();
  log.info('this version changes tables that nodes of an earlier version use; they have to end first');
  // Another node of this version may do it meanwhile.
  await using alone = await PostgresLock.takeWhile(() => mustMigrateAlone(db), { url, log });
  if (alone) await (await openDatabase(config, log, alone))[Symbol.asyncDispose]();
  return true;
}

/** Loads the client of Redis only where it is used. */
async function openNode({ redisUrl }: Config, db: SchemaDb, clock: Clock, log: Logger, { nodeTimes }: World) {
  if (redisUrl === null) return null;
  const [{ openNodes }, { readInstallation }] = await Promise.all([
    import('./nodes/node-services.ts'),
    import('./nodes/installation.ts'),
  ]);
  return openNodes(redisUrl, await readInstallation(db, log), clock, log, nodeTimes);
}
