import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { Authentication } from './accounts/authentication.ts';
import { LoginAttempts } from './accounts/login-attempts.ts';
import { PasswordAttempts } from './accounts/password-attempts.ts';
import { openPasswords, type Passwords } from './accounts/passwords.ts';
import { openTokens, type Tokens } from './accounts/tokens.ts';
import { Receipts } from './chat/receipts.ts';
import { RecipientTurns } from './chat/recipient-turns.ts';
import { Typing } from './chat/typing.ts';
import type { Config } from './config.ts';
import type { SchemaDb } from './db/db.ts';
import { recordExternalChange } from './db/external-changes.ts';
import { migrate } from './db/migrate.ts';
import type { PostgresLock } from './db/postgres/lock.ts';
import { lockFolder } from './db/server-lock.ts';
import { openSqlite } from './db/sqlite/sqlite.ts';
import { Events } from './events/hints.ts';
import type { ApiLimits } from './http/authenticate.ts';
import { openRateLimit, type SlidingLog } from './http/rate-limits.ts';
import { ReadLimit } from './http/read-limit.ts';
import { Refusals } from './http/refusals.ts';
import { Delivery } from './inbox/delivery.ts';
import { readEpoch } from './inbox/epoch.ts';
import { Appearances } from './presence/appearances.ts';
import { LastSeen } from './presence/last-seen.ts';
import { Presence } from './presence/presence.ts';
import { Watchers } from './presence/watchers.ts';
import { openPushReceipts, type PushReceipts } from './push/log/receipts.ts';
import { Attention } from './push/queue/attention.ts';
import { openVapidKeyring, type VapidKeyring } from './push/subscriptions/vapid-keys.ts';
import { openPushClient, type PushClient } from './push/webpush/client.ts';
import type { EndpointPolicy, Resolve } from './push/webpush/endpoint-guard.ts';
import { FriendLimits } from './relations/friend-limits.ts';

/** Everything that rooms stand on, opened once for a process. */
export interface Services {
  readonly config: Config;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  readonly every: Every;
  readonly db: SchemaDb;
  readonly events: Events;
  readonly presence: Presence;
  readonly watchers: Watchers;
  readonly delivery: Delivery;
  /** Who is there to see what comes, which decides about pushes. */
  readonly attention: Attention;
  readonly receipts: Receipts;
  readonly typing: Typing;
  /** Names this state of the database; positions in logs of another are void (architecture 4). */
  readonly epoch: string;
  readonly messageLimit: SlidingLog;
  /** Of the reads that cost most. */
  readonly readLimits: { readonly sync: ReadLimit; readonly watch: ReadLimit };
  readonly friendLimits: FriendLimits;
  /** Of test notifications, by user. */
  readonly testSendLimit: SlidingLog;
  /** null on the embedded database, which needs none. */
  readonly recipientTurns: RecipientTurns | null;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly authentication: Authentication;
  readonly passwordAttempts: PasswordAttempts;
  /** null where the operator turned the limit of logins off. */
  readonly loginAttempts: LoginAttempts | null;
  readonly limits: ApiLimits;
  /** For the log: what the limits refused in this minute. */
  readonly refusals: Refusals;
  readonly keyring: VapidKeyring;
  readonly sender: PushClient;
  readonly pushReceipts: PushReceipts;
  /** Where push endpoints may lead. */
  readonly pushPolicy: EndpointPolicy;
  /** The built page. */
  readonly pageFolder: string;
  /** Set when the process is about to stop: it serves what is under way and asks for nothing new. */
  readonly readiness: { draining: boolean };
  /** Settles when another server has taken the database over: this one can only stop. */
  readonly databaseTaken: Promise<void>;
}

/** Calls `run` every `ms` milliseconds until it is disposed. */
export type Every = (ms: number, run: () => void) => Disposable;

/** What tests put in place of the world outside. */
export interface World {
  now?: () => number;
  monotonicMs?: () => number;
  every?: Every;
  resolve?: Resolve;
  /** How long a push service may take to answer. */
  pushDeadlineMs?: number;
  pageFolder?: string;
}

/** Opens the database as it is, for a command that may run beside a server. */
export async function openDatabase(
  config: Config,
  log: Logger,
  lock: PostgresLock | null = null,
): Promise<SchemaDb> {
  const { databaseUrl, dataDir } = config;
  const db = databaseUrl
    ? await (await import('./db/postgres/postgres.ts')).openPostgres({ url: databaseUrl, log, lock })
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
 * refused, a second one on the same PostgreSQL waits (architecture 11).
 */
export async function openServices(
  config: Config,
  log: Logger,
  world: World = {},
): Promise<Services & AsyncDisposable> {
  const { now = Date.now, monotonicMs = () => performance.now(), every = startInterval } = world;
  const { resolve, pushDeadlineMs } = world;
  await using opening = new AsyncDisposableStack();
  const lock = await lockPostgres(config, log);
  opening.use(lock ?? lockFolder(config.dataDir));
  const db = opening.use(await openDatabase(config, log, lock));
  // A server that had this database before, and gets it back after this one, must not believe what it remembers.
  await db.transaction((tx) => recordExternalChange(tx));
  const pushPolicy: EndpointPolicy = {
    reach: config.pushAllowPrivate ? 'any' : config.tryingLocally ? 'loopback' : 'public',
    ports: config.pushPorts,
  };
  const sender = opening.use(
    openPushClient({
      ...pushPolicy,
      ...(resolve && { resolve }),
      ...(pushDeadlineMs && { deadlineMs: pushDeadlineMs }),
    }),
  );
  const tokens = await openTokens(db, config.tokenTtlSeconds, now);
  const authentication = new Authentication(db, tokens, now);
  const events = new Events();
  events.subscribe((event) => {
    if (event.type === 'sessions-ended') authentication.invalidate(event.sessionIds);
  });
  const presence = new Presence();
  const lastSeen = new LastSeen(db);
  const appearances = new Appearances(presence, lastSeen, { now, monotonicMs });
  const { api, auth } = config.rateLimits;
  const refusals = new Refusals(log);
  const services: Services = {
    config,
    log,
    now,
    monotonicMs,
    every,
    db,
    events,
    presence,
    attention: new Attention(),
    watchers: new Watchers(db, events, appearances, lastSeen),
    epoch: await readEpoch(db),
    messageLimit: openRateLimit({ limit: 30, windowMs: 10_000, maxKeys: 100_000 }),
    readLimits: {
      sync: new ReadLimit({ ofConnection: 5, ofUser: 20 }, 'too_many_syncs', monotonicMs),
      watch: new ReadLimit({ ofConnection: 10, ofUser: 40 }, 'too_many_watches', monotonicMs),
    },
    friendLimits: new FriendLimits(monotonicMs),
    testSendLimit: openRateLimit({ limit: 5, windowMs: 60_000, maxKeys: 100_000 }),
    recipientTurns: db.kind === 'postgres' ? new RecipientTurns() : null,
    delivery: new Delivery(db, events, (err) => log.error({ err }, 'an inbox could not be read')),
    receipts: new Receipts({ db, events }, now),
    typing: new Typing(db, events, presence, monotonicMs),
    passwords: openPasswords({ cost: config.bcryptCost }),
    tokens,
    authentication,
    passwordAttempts: new PasswordAttempts(
      openRateLimit({ limit: 10, windowMs: 15 * 60_000, maxKeys: 100_000 }),
      monotonicMs,
    ),
    loginAttempts: auth && new LoginAttempts(refusals, monotonicMs),
    refusals,
    limits: { api: api && openRateLimit(api), auth: auth && openRateLimit(auth) },
    keyring: await openVapidKeyring(db, config.vapidSubject, now),
    sender,
    pushReceipts: await openPushReceipts(db),
    pushPolicy,
    pageFolder: world.pageFolder ?? fileURLToPath(new URL('../web/dist', import.meta.url)),
    readiness: { draining: false },
    databaseTaken: lock?.taken ?? new Promise(() => {}),
  };
  const opened = opening.move();
  return Object.assign(services, { [Symbol.asyncDispose]: () => opened.disposeAsync() });
}

/** The timer does not keep the process alive. */
function startInterval(ms: number, run: () => void): Disposable {
  const timer = setInterval(run, ms).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function lockPostgres({ databaseUrl }: Config, log: Logger): Promise<PostgresLock | null> {
  if (!databaseUrl) return null;
  const { PostgresLock } = await import('./db/postgres/lock.ts');
  return PostgresLock.take({ url: databaseUrl, log });
}
