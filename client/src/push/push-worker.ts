import { DoormanError } from '../errors.ts';
import { callService, readBaseUrl } from '../http/http.ts';
import { readSession } from '../session/session-store.ts';
import { GuardedStorage } from '../storage/guarded-storage.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from '../timeouts.ts';
import { findWanted, keepWanted, subscribe, toWire } from './push-subscription.ts';

/**
 * For a service worker's `pushsubscriptionchange`: the browser lost the subscription. It gets another one, and the service
 * learns of it, confirmed by the session that is kept; without one, or if its user wanted no notifications here, none is
 * left.
 *
 * @param options.storage the one that `createDoorman` has in the page
 * @param times for tests only
 * @throws {DoormanError} `storage_failed` if what is kept cannot be read within 2 s, or what the service says. What could
 *   not be done is done by `push.check` when the page opens next
 */
export async function resubscribe(
  registration: ServiceWorkerRegistration,
  options: { baseUrl: string; storage: DoormanStorage },
  times: Pick<Timeouts, 'deadlineMs' | 'storageMs'> = DEFAULT_TIMEOUTS,
): Promise<void> {
  const storage = new GuardedStorage(options.storage, times.storageMs);
  const [session, wanted] = await Promise.all([readSession(storage, times), findWanted(storage)]);
  // Without an answer nothing is known of the user, so nothing is taken away.
  storage.check();
  if (!session || session.userId !== wanted?.userId) {
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    return;
  }
  const { userId, token } = session;
  const baseUrl = readBaseUrl(options.baseUrl);
  const { deadlineMs } = times;
  const get = { method: 'GET', deadlineMs } as const;
  // The service takes a subscription from anybody: after the end of the session this would be a stranger's.
  const [{ publicKey }] = await Promise.all([
    callService(baseUrl, { ...get, path: '/api/push/public-key' }),
    callService(baseUrl, { ...get, path: '/api/push/devices', token }),
  ]);
  if (publicKey === undefined) throw new DoormanError(0, 'unreachable', 'The service has no key');
  const subscription = await subscribe(registration, publicKey, wanted.key);
  const body = { userId, subscription: toWire(subscription) };
  const post = { method: 'POST', token, deadlineMs } as const;
  await callService(baseUrl, { ...post, path: '/api/push/subscribe', body });
  const { endpoint } = subscription;
  await keepWanted(storage, { userId, key: publicKey, endpoint });
  if (wanted.endpoint === endpoint) return;
  // If the service does not hear of it, the push service tells it at the next push.
  const gone = { ...post, path: '/api/push/unsubscribe', body: { endpoint: wanted.endpoint } };
  await callService(baseUrl, gone).catch(() => {});
}
