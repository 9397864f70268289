import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { Authentication } from './accounts/authentication.ts';
import { openPasswords, type Passwords } from './accounts/passwords.ts';
import { openTokens, type Tokens } from './accounts/tokens.ts';
import { WrongPasswords } from './accounts/wrong-passwords.ts';
import { Receipts } from './chat/receipts.ts';
import { RecipientTurns } from './chat/recipient-turns.ts';
import { Typing } from './chat/typing.ts';
import type { Config } from './config.ts';
import type { SchemaDb } from './db/db.ts';
import { migrate } from './db/migrate.ts';
import { lockFolder } from './db/server-lock.ts';
import { openSqlite } from './db/sqlite.ts';
import { Events } from './events/events.ts';
import type { ApiLimits } from './http/authenticate.ts';
import { openRateLimit, type SlidingLog } from './http/rate-limits.ts';
import { Delivery } from './inbox/delivery.ts';
import { readEpoch } from './inbox/epoch.ts';
import { Appearances } from './presence/appearances.ts';
import { LastSeen } from './presence/last-seen.ts';
import { Presence } from './presence/presence.ts';
import { Watchers } from './presence/watchers.ts';
import { Attention } from './push/attention.ts';
import type { Resolve } from './push/endpoint-guard.ts';
import { openPushReceipts, type PushReceipts } from './push/receipts.ts';
import { openPushSender, type PushSender } from './push/sender.ts';
import { openVapidKeyring, type VapidKeyring } from './push/vapid-keyring.ts';

/** Everything that rooms stand on, opened once for a process. */
export interface Services {
  readonly config: Config;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  readonly db: SchemaDb;
  readonly events: Events;
  readonly presence: Presence;
  readonly watchers: Watchers;
  readonly delivery: Delivery;
  /** Who is there to see what comes, which decides about pushes. */
  readonly attention: Attention;
  readonly receipts: Receipts;
  readonly typing: Typing;
  /** Names this state of the database; positions in logs of another are void (DESIGN 4). */
  readonly epoch: string;
  readonly messageLimit: SlidingLog;
  /** null on the embedded database, which needs none. */
  readonly recipientTurns: RecipientTurns | null;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly authentication: Authentication;
  readonly wrongPasswords: WrongPasswords;
  readonly limits: ApiLimits;
  readonly keyring: VapidKeyring;
  readonly sender: PushSender;
  readonly pushReceipts: PushReceipts;
  /** Whether http and private push endpoints pass, for trying everything on one machine. */
  readonly pushAllowPrivate: boolean;
  /** The built page. */
  readonly pageFolder: string;
  /** Set when the process is about to stop: it serves what is under way and asks for nothing new. */
  readonly readiness: { draining: boolean };
}

/** What tests put in place of the world outside. */
export interface World {
  now?: () => number;
  monotonicMs?: () => number;
  resolve?: Resolve;
  /** How long a push service may take to answer. */
  pushDeadlineMs?: number;
  pageFolder?: string;
}

/** Opens the database as it is, for a command that may run beside a server. */
export async function openDatabase(config: Config, log: Logger): Promise<SchemaDb> {
  const { databaseUrl, dataDir } = config;
  const db = databaseUrl
    ? await (await import('./db/postgres.ts')).openPostgres({ url: databaseUrl, log })
    : await openSqlite({ folder: dataDir, log });
  try {
    await migrate(db);
    return db;
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Opens everything a server needs. One server at a time has the database: a second one on the same folder is
 * refused, a second one on the same PostgreSQL waits (DESIGN 8).
 */
export async function openServices(
  config: Config,
  log: Logger,
  world: World = {},
): Promise<Services & AsyncDisposable> {
  const { now = Date.now, monotonicMs = () => performance.now(), resolve, pushDeadlineMs } = world;
  await using opening = new AsyncDisposableStack();
  opening.use(await lockServer(config, log));
  const db = opening.use(await openDatabase(config, log));
  const pushAllowPrivate = config.pushAllowPrivate || config.tryingLocally;
  const sender = opening.use(
    openPushSender({
      allowPrivate: pushAllowPrivate,
      ...(resolve && { resolve }),
      ...(pushDeadlineMs && { deadlineMs: pushDeadlineMs }),
    }),
  );
  const tokens = await openTokens(db, config.tokenTtlSeconds, now);
  const authentication = new Authentication(db, tokens, now);
  const events = new Events();
  events.subscribe((event) => {
    if (event.type === 'sessions-ended') authentication.forget(event.sessionIds);
  });
  const presence = new Presence();
  const lastSeen = new LastSeen(db);
  const appearances = new Appearances(presence, lastSeen, { now, monotonicMs });
  const { api, auth } = config.rateLimits;
  const services: Services = {
    config,
    log,
    now,
    monotonicMs,
    db,
    events,
    presence,
    attention: new Attention(),
    watchers: new Watchers(db, events, appearances, lastSeen),
    epoch: await readEpoch(db),
    messageLimit: openRateLimit({ limit: 30, windowMs: 10_000, maxKeys: 100_000 }),
    recipientTurns: db.kind === 'postgres' ? new RecipientTurns() : null,
    delivery: new Delivery(db, events, (err) => log.error({ err }, 'an inbox could not be read')),
    receipts: new Receipts({ db, events }, now),
    typing: new Typing(db, events, presence, monotonicMs),
    passwords: openPasswords({ cost: config.bcryptCost }),
    tokens,
    authentication,
    wrongPasswords: new WrongPasswords(
      openRateLimit({ limit: 10, windowMs: 15 * 60_000, maxKeys: 100_000 }),
      monotonicMs,
    ),
    limits: { api: api && openRateLimit(api), auth: auth && openRateLimit(auth) },
    keyring: await openVapidKeyring(db, config.vapidSubject, now),
    sender,
    pushReceipts: await openPushReceipts(db),
    pushAllowPrivate,
    pageFolder: world.pageFolder ?? fileURLToPath(new URL('../web/dist', import.meta.url)),
    readiness: { draining: false },
  };
  const opened = opening.move();
  return Object.assign(services, { [Symbol.asyncDispose]: () => opened.disposeAsync() });
}

async function lockServer(config: Config, log: Logger): Promise<AsyncDisposable> {
  if (!config.databaseUrl) return lockFolder(config.dataDir);
  const { lockDatabase } = await import('./db/postgres.ts');
  return lockDatabase({
    url: config.databaseUrl,
    log,
    onLost: (error) => {
      log.fatal({ err: error }, 'the lock on the database was lost: another server may have it now');
      process.exit(1);
    },
  });
}
