import { DoormanError } from '../errors.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import type { Subscription } from '../wire.ts';

const KEY = 'push';

/** Who wants notifications on this device, and where the service sent them last; `undefined` if nobody. */
export interface WantedPush {
  readonly userId: string;
  /** The service's, by which the subscription was made. */
  readonly key: string;
  readonly endpoint: string;
}

export async function findWanted(storage: DoormanStorage): Promise<WantedPush | undefined> {
  return (await storage.get(KEY)) as WantedPush | undefined; // written below alone
}

export async function keepWanted(storage: DoormanStorage, wanted: WantedPush | undefined): Promise<void> {
  await (wanted ? storage.set(KEY, wanted) : storage.delete(KEY));
}

/**
 * The subscription of this browser for the key in force: the one it has, or a new one if there is none, or one by another
 * key, which could not be served any more (RFC 8292 4).
 *
 * @param key as the service says it, Base64 of either alphabet
 * @param knownKey of the subscription there is, for browsers that do not tell
 * @throws {DoormanError} `push_unavailable`: the browser, or its push service, did not give one
 */
export async function subscribe(
  { pushManager }: ServiceWorkerRegistration,
  key: string,
  knownKey: string | undefined,
): Promise<PushSubscription> {
  const applicationServerKey = decodeKey(key);
  try {
    const kept = await pushManager.getSubscription();
    if (kept && isFor(kept, applicationServerKey, knownKey === key)) return kept;
    await kept?.unsubscribe();
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  } catch (cause) {
    throw new DoormanError(0, 'push_unavailable', 'The browser gave no push subscription', { cause });
  }
}

/** What the service stores of it. */
export function toWire(subscription: PushSubscription): Subscription {
  const { endpoint, keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
  return { endpoint: endpoint ?? subscription.endpoint, keys: { p256dh, auth } };
}

function isFor({ options, expirationTime }: PushSubscription, key: Uint8Array, isKnown: boolean): boolean {
  if (expirationTime !== null && expirationTime <= Date.now()) return false;
  const { applicationServerKey: used } = options;
  if (!used) return isKnown;
  const bytes = new Uint8Array(used);
  return bytes.length === key.length && bytes.every((byte, i) => byte === key[i]);
}

function decodeKey(key: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(key.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
}
