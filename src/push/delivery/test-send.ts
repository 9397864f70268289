import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { ServiceError } from '../../errors.ts';
import type { SlidingLog } from '../../http/rate-limits.ts';
import { type LogOutcome, writePushLog } from '../log/push-log.ts';
import type { PushReceipts } from '../log/receipts.ts';
import type { PushLogEntry, SubscriptionRow } from '../schemas.ts';
import { listSubscriptions, markSuccess, markUnusable, removeGone } from '../subscriptions/subscriptions.ts';
import { deviceNameInLog } from '../subscriptions/unconfirmed.ts';
import type { VapidKeyring } from '../subscriptions/vapid-keys.ts';
import { buildRequest, type PushClient } from '../webpush/client.ts';
import { decodeKey, InvalidKeysError } from '../webpush/encryption.ts';
import type { Reach } from '../webpush/endpoint-guard.ts';
import type { PushWord } from '../webpush/push-words.ts';
import type { PushResponse } from '../webpush/request.ts';
import { toPushWord } from '../webpush/request.ts';
import { testPayload } from './payload.ts';
import { waitAtMost } from './wait-at-most.ts';

/** How long a test send waits for the push services; later answers are still written to the push log. */
const WAIT_MS = 3_000;
const TTL_SECONDS = 24 * 60 * 60;

interface TestSendServices {
  readonly db: Db;
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
  readonly push: {
    readonly client: PushClient;
    readonly receipts: PushReceipts;
    /** Limits the calls of a user: each sends to up to 23 devices. */
    readonly testSendLimit: SlidingLog;
    readonly vapidKeys: VapidKeyring;
  };
  readonly publicUrl: string;
  /** Which of the user's endpoints may be called; for others the log says that they were not. */
  readonly reach: Reach;
}

/**
 * Sends a test notification to every device of the user (interface 4.15; its content is ours), unconfirmed ones too. A
 * device that its push service no longer knows is removed.
 *
 * @param onFault called with errors of the service itself after the answer
 * @param deviceId the only device to send to
 * @returns what the push services logged within 3 s; `undefined` if nothing is stored, or not that device
 * @throws {ServiceError} `rate-limited`, word `too_many_test_sends`; a call that had nothing to send to is not counted
 */
export async function sendTest(
  services: TestSendServices,
  userId: string,
  onFault: (error: unknown) => void,
  deviceId?: string,
): Promise<PushLogEntry[] | undefined> {
  const stored = await listSubscriptions(services.db, userId);
  const subscriptions = stored.filter(({ id }) => deviceId === undefined || id === deviceId);
  if (subscriptions.length === 0) return undefined;
  const { allowed, retryAfterSeconds } = services.push.testSendLimit.take(
    userId,
    services.clock.monotonicMs(),
  );
  if (!allowed)
    throw new ServiceError(
      'rate-limited',
      'too_many_test_sends',
      'Too many test notifications, try again later',
      {
        retryAfterSeconds,
      },
    );
  const entries: PushLogEntry[] = [];
  const all = subscriptions.map(async (subscription) => {
    const outcome = await sendOne(services, subscription);
    entries.push(await writePushLog(services.db, userId, outcome, services.clock.now()));
  });
  await waitAtMost(WAIT_MS, Promise.all(all.map((one) => one.catch(onFault))));
  return [...entries];
}

async function sendOne(
  { db, clock, push, publicUrl, reach }: TestSendServices,
  subscription: SubscriptionRow,
): Promise<LogOutcome> {
  const { now } = clock;
  const { id: subscriptionId, endpoint } = subscription;
  const deviceName = deviceNameInLog(subscription);
  const logId = newId(now());
  const outcome = (
    word: LogOutcome['outcome'],
    status: number | null,
    reason: PushWord | '',
  ): LogOutcome => ({
    logId,
    subscriptionId,
    deviceName,
    kind: 'test',
    outcome: word,
    status,
    reason,
  });
  let answer: PushResponse;
  try {
    const p256dh = decodeKey(subscription.p256dh);
    const auth = decodeKey(subscription.auth);
    if (!p256dh || !auth) throw new InvalidKeysError('The keys are not Base64');
    const payload = testPayload(
      publicUrl,
      subscription.language,
      subscription.session_id === null ? undefined : push.receipts.issue(logId),
    );
    const vapid = push.vapidKeys.signerFor(subscription.vapid_public);
    const content = { endpoint, p256dh, auth, vapid, payload };
    const request = await buildRequest({ ...content, ttlSeconds: TTL_SECONDS, urgency: 'high' });
    answer = await push.client.send({ ...request, isPublicOnly: reach === 'public' });
  } catch (error) {
    if (!(error instanceof InvalidKeysError)) throw error;
    await markUnusable(db, subscription, now());
    return outcome('unusable', null, 'keys_unusable');
  }
  if (answer.kind === 'accepted') {
    await markSuccess(db, subscription, now());
    return outcome('accepted', answer.status, '');
  }
  const word = toPushWord(answer);
  if (answer.kind === 'failed') return outcome('failed', null, word);
  if (word !== 'gone') return outcome('refused', answer.status, word);
  await removeGone(db, subscription);
  return outcome('gone', answer.status, word);
}
