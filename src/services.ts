import type { Logger } from 'pino';
import { type AccountServices, openAccounts } from './accounts/account-services.ts';
import { type ChatServices, openChat } from './chat/chat-services.ts';
import { type Clock, createClock } from './clock.ts';
import type { Config } from './config/config.ts';
import { DatabaseClock } from './db/database-clock.ts';
import type { SchemaDb } from './db/db.ts';
import { measureDb } from './db/measured-db.ts';
import { mustMigrateAlone } from './db/migrate.ts';
import type { PostgresLock } from './db/postgres/lock.ts';
import { lockFolder } from './db/sqlite/server-lock.ts';
import { openEvents, type SharedEvents } from './events/change-reader.ts';
import { recordExternalChange } from './events/changes.ts';
import { type ApiLimits, openApiLimits } from './http/api-limits.ts';
import { type InboxServices, openInboxes } from './inbox/inbox-services.ts';
import { type ExportLimits, openExportLimits } from './leaving/export/export-limits.ts';
import { logErasures } from './leaving/leaving-jobs.ts';
import { Limits } from './limits/limits.ts';
import { type LocalLimits, openReadLimits } from './limits/local-limits.ts';
import { type MailWorld, openMail } from './mail/mail-services.ts';
import type { AllNodeTimes, NodeServices } from './nodes/node-services.ts';
import { openDatabase } from './open-database.ts';
import { openPictureUploads, type PictureUploads } from './pictures/uploads.ts';
import { openPresence, type PresenceServices } from './presence/presence-services.ts';
import { openPush, type PushServices, type PushWorld } from './push/push-services.ts';
import { openFriendLimits } from './relations/friends.ts';

/** The long-lived parts of all rooms, opened once for a process. Each room opens its own. */
export interface Services {
  readonly config: Config;
  readonly log: Logger;
  /** The machine's, or on a node that of the database. */
  readonly clock: Clock;
  readonly db: SchemaDb;
  /** Hints within the process, and the reader of what other processes changed. */
  readonly events: SharedEvents;
  readonly limits: ServiceLimits;
  readonly accounts: AccountServices;
  readonly inbox: InboxServices;
  readonly presence: PresenceServices;
  readonly push: PushServices;
  readonly chat: ChatServices;
  /** The other servers of this service; null where one server has the database. */
  readonly nodes: NodeServices | null;
}

interface OpenServices extends Services, AsyncDisposable {
  /** Resolves when another server has taken over the database: this one has to stop. */
  readonly databaseTaken: Promise<void>;
}

/**
 * The limits of all requests, and those of rooms that keep nothing else open. Limits of other rooms are in the part of their room.
 */
interface ServiceLimits extends ApiLimits {
  readonly friends: LocalLimits;
  /** Limits `sync`, one of the most expensive reads. */
  readonly sync: LocalLimits;
  /** Limits what uploads pictures, in whatever room. */
  readonly pictures: PictureUploads;
  /** Limits the downloads of users' data. */
  readonly exports: ExportLimits;
}

/** The outside world, as far as tests replace it. */
export interface World extends Partial<Clock>, PushWorld, MailWorld {
  pageFolder?: string;
  /** The wall clock of the machine, which only a single server takes for the time; `now` replaces the time itself. */
  machineNow?: () => number;
  nodeTimes?: Partial<AllNodeTimes>;
}

/**
 * Opens everything that a server needs. Without `REDIS_URL` only one server at a time uses a database: a second one on the same
 * folder is refused, a second one on the same PostgreSQL waits (architecture 11).
 */
export async function openServices(config: Config, log: Logger, world: World = {}): Promise<OpenServices> {
  const { machineNow, now: givenNow } = world;
  const machine = createClock({ ...world, ...(machineNow && !givenNow && { now: machineNow }) });
  await using opening = new AsyncDisposableStack();
  const lock = await lockPostgres(config, log);
  opening.use(lock ?? lockFolder(config.dataDir));
  const db = opening.use(await openDatabase(config, log, lock));
  if (config.metrics) measureDb(db);
  // A server that had the database before, and gets it back after this one, must drop what it has in memory.
  if (config.redisUrl === null) await db.transaction((tx) => recordExternalChange(tx));
  const clock = config.redisUrl && !givenNow ? await DatabaseClock.open(db, machine) : machine;
  const events = await openEvents(db, clock, { hasNodes: config.redisUrl !== null });
  const node = await openNode(config, db, clock, log, world);
  if (node) opening.use(node);
  const limits = node?.limits ?? new Limits(clock.monotonicMs);
  const apiLimits = openApiLimits(config, log, clock.monotonicMs, limits);
  const mail = opening.use(await openMail(config, world));
  const accounts = await openAccounts(db, config, clock, events, apiLimits, limits, mail);
  const presence = openPresence(db, events, clock);
  const push = opening.use(await openPush(db, config, clock, world));
  push.attention.mayBeAttentive = (userId) => presence.online.mayBeAttentive(userId);
  const inbox = await openInboxes(db, events, clock, log, {
    hasNodes: config.redisUrl !== null,
    ...(world.nodeTimes && { times: world.nodeTimes }),
  });
  events.changes.onEverything(async () => {
    await Promise.all([accounts.tokens.reload(), push.vapidKeys.reload(db), inbox.failovers.reload(db)]);
  });
  logErasures(events, log);
  const services: Services = {
    config: { ...config, pageFolder: world.pageFolder ?? config.pageFolder },
    log,
    clock,
    db,
    events,
    limits: {
      ...apiLimits,
      friends: openFriendLimits(clock.monotonicMs),
      sync: openReadLimits('too_many_syncs', { ofConnection: 5, ofUser: 20 }, clock.monotonicMs),
      pictures: openPictureUploads(
        limits,
        config.rateLimits.pictures,
        () => config.hasPictures && node?.membership.hasEarlierVersion !== true,
      ),
      exports: openExportLimits(limits),
    },
    accounts,
    inbox,
    presence,
    push,
    chat: openChat(db, events, presence.online, clock, limits, config.rateLimits),
    nodes: node,
  };
  node?.join(services);
  const endings = opening.move();
  return Object.assign(services, {
    databaseTaken: lock?.taken ?? new Promise<void>(() => {}),
    [Symbol.asyncDispose]: () => endings.disposeAsync(),
  });
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
  await using alone = await PostgresLock.take({ url, log }, () => mustMigrateAlone(db));
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
