import { DoormanError } from '../errors.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import type { Subscription } from '../wire.ts';

const KEY = 'push';

/** The user who enabled notifications on this device, and the subscription that the service has; `undefined` if off. */
interface SubscriptionIntent {
  readonly userId: string;
  /** The service's key with which the subscription was made. */
  readonly key: string;
  readonly endpoint: string;
  /** The language that the program chose for the notifications; absent if it chose none. */
  readonly lang?: string;
}

export async function readSubscriptionIntent(
  storage: DoormanStorage,
): Promise<SubscriptionIntent | undefined> {
  return (await storage.get(KEY)) as SubscriptionIntent | undefined; // written below only
}

export async function saveSubscriptionIntent(
  storage: DoormanStorage,
  intent: SubscriptionIntent | undefined,
): Promise<void> {
  await (intent ? storage.set(KEY, intent) : storage.delete(KEY));
}

/**
 * The subscription of this browser for the current key: the existing one, or a new one if there is none or its key differs,
 * since it could not receive pushes any more (RFC 8292 4).
 *
 * @param key the service's key, Base64 in either alphabet
 * @param knownKey the key of the existing subscription, for browsers that do not show it
 * @throws {DoormanError} `push_unavailable`: the browser or its push service returned no subscription
 */
export async function subscribe(
  { pushManager }: ServiceWorkerRegistration,
  key: string,
  knownKey: string | undefined,
): Promise<PushSubscription> {
  const applicationServerKey = decodeKey(key);
  try {
    const existing = await pushManager.getSubscription();
    if (existing && isFor(existing, applicationServerKey, knownKey === key)) return existing;
    await existing?.unsubscribe();
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  } catch (cause) {
    throw new DoormanError(0, 'push_unavailable', 'The browser gave no push subscription', { cause });
  }
}

/** The browser's language, where the service would accept it: users may enter any text as their language. */
export function browserLanguage(): string | undefined {
  const language = typeof navigator === 'undefined' ? undefined : navigator.language;
  return isLanguageTag(language) ? language : undefined;
}

/** Whether the service accepts it as a language. */
export function isLanguageTag(text: string | undefined): text is string {
  return text !== undefined && text.length <= 35 && /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i.test(text);
}

/** The form in which the service stores it. */
export function toSubscribeBody(subscription: PushSubscription): Subscription {
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
