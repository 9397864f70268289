import type { Clock, PeriodicJob } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import { LocalLimits } from '../limits/local-limits.ts';
import { Attention } from './decide/attention.ts';
import { applyEarlyReceipts, openPushReceipts, type PushReceipts } from './log/receipts.ts';
import { removeExpired } from './subscriptions/subscriptions.ts';
import { openVapidKeyring, type VapidKeyring } from './subscriptions/vapid-keys.ts';
import { openPushClient, type PushClient } from './webpush/client.ts';
import type { EndpointPolicy, Resolve } from './webpush/endpoint-guard.ts';
import { openPushFigures, type PushFigures } from './webpush/push-figures.ts';

const TEST_SENDS = {
  limit: 5,
  windowMs: 60_000,
  maxKeys: 100_000,
  refusal: ['too_many_test_sends', 'Too many test notifications, try again later'],
} as const;
const CLEAN_UP_MS = 60 * 60 * 1000;

/** The long-lived parts of push, except the worker that sends, which starts after the app is built. */
export interface PushServices extends AsyncDisposable {
  /** Which users have a device in use. Sockets and frames write it, push decisions read it. */
  readonly attention: Attention;
  readonly vapidKeys: VapidKeyring;
  readonly client: PushClient;
  readonly receipts: PushReceipts;
  /** Where push endpoints may lead. */
  readonly endpointPolicy: EndpointPolicy;
  readonly testSendLimit: LocalLimits;
  /** For `/metrics` alone; null where that is off. */
  readonly figures: PushFigures | null;
}

/** What tests replace of the network. */
export interface PushWorld {
  resolve?: Resolve;
  /** How long a push service may take to answer. */
  pushDeadlineMs?: number;
}

/** Creates the VAPID key and the key of receipts if the database has none. */
export async function openPush(
  db: Db,
  config: Pick<Config, 'metrics' | 'pushAllowPrivate' | 'pushPorts' | 'tryingLocally' | 'vapidSubject'>,
  { monotonicMs, now }: Clock,
  { resolve, pushDeadlineMs }: PushWorld = {},
): Promise<PushServices> {
  const endpointPolicy: EndpointPolicy = {
    reach: config.pushAllowPrivate ? 'any' : config.tryingLocally ? 'loopback' : 'public',
    ports: config.pushPorts,
  };
  const vapidKeys = await openVapidKeyring(db, config.vapidSubject, now);
  const receipts = await openPushReceipts(db);
  const figures = config.metrics && openPushFigures();
  const client = openPushClient({ ...endpointPolicy, figures, resolve, deadlineMs: pushDeadlineMs });
  return {
    attention: new Attention(),
    vapidKeys,
    client,
    receipts,
    endpointPolicy,
    testSendLimit: new LocalLimits([TEST_SENDS], monotonicMs),
    figures,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Removes subscriptions that were unusable for too long, and moves early receipts into the log. */
export function pushJobs(db: Db, { now }: Clock): PeriodicJob[] {
  return [
    {
      name: 'clean up push',
      everyMs: CLEAN_UP_MS,
      run: async () => {
        await removeExpired(db, now());
        await applyEarlyReceipts(db, now());
      },
    },
  ];
}
