import { DoormanError } from '../errors.ts';
import { callService, readBaseUrl } from '../http/http.ts';
import { readSession } from '../session/session-store.ts';
import { GuardedStorage } from '../storage/guarded-storage.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from '../timeouts.ts';
import {
  browserLanguage,
  readSubscriptionIntent,
  saveSubscriptionIntent,
  subscribe,
  toSubscribeBody,
} from './push-subscription.ts';

/**
 * For a service worker's `pushsubscriptionchange`: the browser lost the subscription. Subscribes again and registers the new
 * subscription at the service, by the stored session and in the language that the page chose. Without a session, or if its user
 * has not enabled notifications here, no subscription is left.
 *
 * @param options.storage the storage of `createDoorman` in the page
 * @param timeouts for tests only
 * @throws {DoormanError} `storage_failed` if the storage cannot be read within 2 s, or the service's refusal. `push.check`
 *   makes up for it when the page opens next
 */
export async function resubscribe(
  registration: ServiceWorkerRegistration,
  options: { baseUrl: string; storage: DoormanStorage },
  timeouts: Pick<Timeouts, 'deadlineMs' | 'storageMs'> = DEFAULT_TIMEOUTS,
): Promise<void> {
  const storage = new GuardedStorage(options.storage, timeouts.storageMs);
  const [session, intent] = await Promise.all([
    readSession(storage, timeouts),
    readSubscriptionIntent(storage),
  ]);
  // Without an answer of the storage the user's choice is unknown, so nothing is removed.
  storage.check();
  if (!session || session.userId !== intent?.userId) {
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    return;
  }
  const { userId, token } = session;
  const baseUrl = readBaseUrl(options.baseUrl);
  const { deadlineMs } = timeouts;
  const get = { method: 'GET', deadlineMs } as const;
  // The service accepts a subscription without a session. The second call fails if the session has ended.
  const [{ publicKey }] = await Promise.all([
    callService(baseUrl, { ...get, path: '/api/push/public-key' }),
    callService(baseUrl, { ...get, path: '/api/push/devices', token }),
  ]);
  if (publicKey === undefined) throw new DoormanError(0, 'unreachable', 'The service has no key');
  const subscription = await subscribe(registration, publicKey, intent.key);
  const lang = intent.lang ?? browserLanguage();
  const body = {
    userId,
    subscription: toSubscribeBody(subscription),
    ...(lang !== undefined && { lang }),
  };
  const post = { method: 'POST', token, deadlineMs } as const;
  await callService(baseUrl, { ...post, path: '/api/push/subscribe', body });
  const { endpoint } = subscription;
  await saveSubscriptionIntent(storage, { ...intent, key: publicKey, endpoint });
  if (intent.endpoint === endpoint) return;
  // If this call fails, the push service reports the end at the next push.
  const unsubscribe = { ...post, path: '/api/push/unsubscribe', body: { endpoint: intent.endpoint } };
  await callService(baseUrl, unsubscribe).catch(() => {});
}
