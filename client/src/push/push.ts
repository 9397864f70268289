import { DoormanError } from '../errors.ts';
import type { Session } from '../events.ts';
import type { Api } from '../http/api.ts';
import type { GuardedStorage } from '../storage/guarded-storage.ts';
import type { PushDevice } from '../wire.ts';
import {
  browserLanguage,
  isLanguageTag,
  readSubscriptionIntent,
  saveSubscriptionIntent,
  subscribe,
  toSubscribeBody,
} from './push-subscription.ts';
import { detectSupport } from './push-support.ts';

export type PushState =
  /** This browser has no Web Push, or the page has no secure context. */
  | 'unsupported'
  /** iOS and iPadOS: only after the page is added to the home screen. */
  | 'needs_home_screen'
  /** The user, or the browser for them, denied the permission: only the browser's settings change that. */
  | 'denied'
  /** Not enabled yet, or disabled on this device. */
  | 'off'
  | 'on';

export interface PushOptions {
  /**
   * The language of the notifications, a BCP 47 tag such as `zh-CN`. Left out: that of the last call that had one, else the
   * browser's.
   */
  lang?: string;
}

/** Notifications on this device. The page registers its own service worker. */
export interface PushClient {
  state(): Promise<PushState>;
  /**
   * Asks for permission, subscribes with the current key, and registers the subscription at the service. To be called in the
   * handler of a click, after the page has explained its purpose.
   *
   * @throws {DoormanError} `push_unavailable` if the browser returns no subscription despite the permission; or the service's
   *   refusal
   */
  enable(options?: PushOptions): Promise<PushState>;
  /** Unsubscribes here and at the service; the permission stays. */
  disable(): Promise<void>;
  /**
   * To be called at each start with a session. If notifications were enabled on this device before, it subscribes again when
   * the browser lost the subscription, the key changed, or the service does not have it. To be called with `lang` when the
   * user changes the language of the page: it never asks for permission.
   *
   * @throws {DoormanError} like `enable`
   */
  check(options?: PushOptions): Promise<PushState>;
  /** This device, among those of `api.pushDevices`. */
  thisDevice(): Promise<PushDevice | undefined>;
}

/** How long a service worker may take to become ready after the page registered it. */
const WORKER_MS = 10_000;

type PushApi = Pick<Api, 'pushKey' | 'pushSubscribe' | 'pushUnsubscribe' | 'pushDevices'>;

/** Changes are made one after the other, so that two at once do not leave a mixture. */
export class Push implements PushClient {
  readonly #api: PushApi;
  readonly #storage: GuardedStorage;
  readonly #session: () => Session | undefined;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(api: PushApi, storage: GuardedStorage, session: () => Session | undefined) {
    this.#api = api;
    this.#storage = storage;
    this.#session = session;
  }

  async state(): Promise<PushState> {
    const support = detectSupport();
    if (support !== 'supported') return support;
    if (Notification.permission === 'denied') return 'denied';
    const isOn =
      Notification.permission === 'granted' && (await this.#isEnabled()) && (await findSubscription());
    return isOn ? 'on' : 'off';
  }

  async enable({ lang }: PushOptions = {}): Promise<PushState> {
    const support = detectSupport();
    if (support !== 'supported') return support;
    // Before any `await`: browsers ask only as the direct effect of a click.
    const permission = await Notification.requestPermission();
    if (permission === 'granted') await this.#enqueue(() => this.#subscribe(lang));
    return this.state();
  }

  async disable(): Promise<void> {
    await this.#enqueue(async () => {
      await saveSubscriptionIntent(this.#storage, undefined);
      const endpoint = await this.#unsubscribe();
      if (endpoint !== undefined && this.#session()) await this.#unsubscribeAtService(endpoint);
    });
  }

  async check({ lang }: PushOptions = {}): Promise<PushState> {
    if (detectSupport() !== 'supported' || !this.#session()) return this.state();
    await this.#enqueue(async () => {
      const isEnabled = await this.#isEnabled();
      // After a storage failure the user's choice is unknown: the subscription stays as it is.
      if (!isEnabled && !this.#storage.isInMemory) await this.#unsubscribe();
      if (isEnabled && Notification.permission === 'granted') await this.#subscribe(lang);
    });
    return this.state();
  }

  async thisDevice(): Promise<PushDevice | undefined> {
    const subscription = await findSubscription();
    if (!subscription) return undefined;
    const service = new URL(subscription.endpoint).origin;
    const devices = await this.#api.pushDevices();
    const own = devices.filter((one) => one.current === 1 && one.service === service);
    return own.sort((a, b) => b.create_time - a.create_time)[0];
  }

  /** The endpoint of this browser's subscription. Never asks the user for permission. */
  async endpoint(): Promise<string | undefined> {
    return (await findSubscription())?.endpoint;
  }

  /** The session ended: no more pushes to this device. What the user had enabled stays in the storage, unless that is cleared. */
  async release(): Promise<void> {
    await this.#enqueue(() => this.#unsubscribe());
  }

  /** A user signed in: no more pushes for another user to this device. */
  async releaseOthers(): Promise<void> {
    await this.#enqueue(async () => {
      if (!(await this.#isEnabled())) await this.#unsubscribe();
    });
  }

  async #subscribe(chosen: string | undefined): Promise<void> {
    const [api, storage] = [this.#api, this.#storage];
    const userId = this.#session()?.userId;
    if (userId === undefined) throw new DoormanError(401, 'signed_out', 'No user is signed in');
    const intent = await readSubscriptionIntent(storage);
    // Stored first: if the page closes before the service answers, the worker knows the choice.
    const isChange = intent?.userId === userId && chosen !== intent.lang && isLanguageTag(chosen);
    if (isChange && this.#session()?.userId === userId)
      await saveSubscriptionIntent(storage, { ...intent, lang: chosen });
    const registration = await findWorker();
    // The service accepts a subscription without a session. `pushDevices` fails if the session has ended.
    const [key] = await Promise.all([api.pushKey(), api.pushDevices()]);
    const subscription = await subscribe(registration, key, intent?.key);
    const lang = chosen ?? (intent?.userId === userId ? intent.lang : undefined);
    // Also a known one: the service may have lost it, and a repeat changes nothing but the language.
    await api.pushSubscribe(toSubscribeBody(subscription), lang ?? browserLanguage());
    if (this.#session()?.userId !== userId) return; // signed out meanwhile: the next change removes it
    const { endpoint } = subscription;
    await saveSubscriptionIntent(storage, { userId, key, endpoint, ...(lang !== undefined && { lang }) });
    if (intent?.userId === userId && intent.endpoint !== endpoint)
      await this.#unsubscribeAtService(intent.endpoint);
  }

  /** @returns the former endpoint */
  async #unsubscribe(): Promise<string | undefined> {
    const subscription = await findSubscription();
    await subscription?.unsubscribe();
    return subscription?.endpoint;
  }

  async #unsubscribeAtService(endpoint: string): Promise<void> {
    try {
      await this.#api.pushUnsubscribe({ endpoint });
    } catch (error) {
      // The service did not have it any more.
      if (!(error instanceof DoormanError && error.code === 404)) throw error;
    }
  }

  async #isEnabled(): Promise<boolean> {
    const intent = await readSubscriptionIntent(this.#storage);
    return intent !== undefined && intent.userId === this.#session()?.userId;
  }

  #enqueue<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => {}); // the caller gets the error
    return result;
  }
}

/** The subscription of this browser, of any user. */
async function findSubscription(): Promise<PushSubscription | null | undefined> {
  if (detectSupport() !== 'supported') return undefined;
  return (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription();
}

async function findWorker(): Promise<ServiceWorkerRegistration> {
  const { promise, reject } = withReject();
  const timer = setTimeout(
    () => reject(new DoormanError(0, 'push_unavailable', 'The page has no service worker')),
    WORKER_MS,
  );
  try {
    return await Promise.race([navigator.serviceWorker.ready, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function withReject(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_resolve, refuse) => {
    reject = refuse;
  });
  return { promise, reject };
}
