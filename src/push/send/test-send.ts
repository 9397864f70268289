import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../db/ids.ts';
import type { LocalLimits } from '../../limits/local-limits.ts';
import { lockUser } from '../../users/users.ts';
import { type LogEntry, listPushLog, writePushLog } from '../log/push-log.ts';
import type { PushLogEntry, SubscriptionRow } from '../schemas.ts';
import { listSubscriptions, markSuccess, markUnusable, removeGone } from '../subscriptions/subscriptions.ts';
import { deviceNameInLog } from '../subscriptions/unconfirmed.ts';
import { buildRequest } from '../webpush/client.ts';
import { InvalidKeysError } from '../webpush/encryption.ts';
import type { Reach } from '../webpush/endpoint-guard.ts';
import type { PushResponse } from '../webpush/request.ts';
import { toPushWord } from '../webpush/request.ts';
import type { SendServices } from './dispatcher.ts';
import { testPayload } from './payload.ts';

/** How long a test send waits for the push services; later answers are still written to the push log. */
const WAIT_MS = 3_000;

interface TestSendServices extends SendServices {
  /** `testSendLimit` limits the calls of a user: each sends to up to 23 devices. */
  readonly push: SendServices['push'] & { readonly testSendLimit: LocalLimits };
  /** Which of the user's endpoints may be called; for others the log says that they were not. */
  readonly reach: Reach;
}

/**
 * Sends a test notification to every device of the user (interface 4.15; its content is ours), unconfirmed ones too. A
 * device that its push service no longer knows is removed.
 *
 * @param deviceId the only device to send to
 * @returns what the push services logged within 3 s; `undefined` if nothing is stored, or not that device
 * @throws {ServiceError} `rate-limited`, word `too_many_test_sends`; a call that had nothing to send to is not counted
 */
export async function sendTest(
  services: TestSendServices,
  userId: string,
  deviceId?: string,
): Promise<PushLogEntry[] | undefined> {
  const { clock, db, log, push } = services;
  const stored = await listSubscriptions(db, userId);
  const subscriptions = stored.filter(({ id }) => deviceId === undefined || id === deviceId);
  if (subscriptions.length === 0) return undefined;
  push.testSendLimit.take(userId);
  const logIds = new Set<string>();
  const all = subscriptions.map(async (subscription) => {
    const logId = newId(clock.now());
    const result = await sendOne(services, subscription, logId);
    const entry: LogEntry = {
      userId,
      kind: 'test',
      subscriptionId: subscription.id,
      deviceName: deviceNameInLog(subscription),
      ...result,
    };
    await db.transaction(async (tx) => {
      // Not if the account was deleted meanwhile.
      if (await lockUser(tx, userId)) await writePushLog(tx, entry, clock.now(), logId);
    });
    logIds.add(logId);
  });
  const sent = Promise.all(all.map((one) => one.catch((err) => log.error({ err }, 'a test send failed'))));
  await Promise.race([sent, delay(WAIT_MS, undefined, { ref: false })]);
  return (await listPushLog(db, userId)).filter(({ id }) => logIds.has(id));
}

async function sendOne(
  { db, clock, push, publicUrl, reach }: TestSendServices,
  subscription: SubscriptionRow,
  logId: string,
): Promise<Pick<LogEntry, 'outcome' | 'status' | 'reason'>> {
  const { now } = clock;
  let answer: PushResponse;
  try {
    const payload = testPayload(
      publicUrl,
      subscription.language,
      subscription.session_id === null ? undefined : push.receipts.issue(logId),
    );
    const request = await buildRequest({
      ...subscription,
      vapid: push.vapidKeys.signerFor(subscription.vapid_public),
      payload,
    });
    answer = await push.client.send({ ...request, isPublicOnly: reach === 'public' });
  } catch (error) {
    if (!(error instanceof InvalidKeysError)) throw error;
    await markUnusable(db, subscription, now());
    return { outcome: 'unusable', reason: 'keys_unusable' };
  }
  if (answer.kind === 'accepted') {
    await markSuccess(db, subscription, now());
    return { outcome: 'accepted', status: answer.status };
  }
  const reason = toPushWord(answer);
  if (answer.kind === 'failed') return { outcome: 'failed', reason };
  if (reason === 'gone') await removeGone(db, subscription);
  return { outcome: reason === 'gone' ? 'gone' : 'refused', status: answer.status, reason };
}
