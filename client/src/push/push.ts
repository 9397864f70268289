import { DoormanError } from '../errors.ts';
import type { Session } from '../events.ts';
import type { Api } from '../http/api.ts';
import type { GuardedStorage } from '../storage/guarded-storage.ts';
import type { PushDevice } from '../wire.ts';
import { findWanted, keepWanted, subscribe, toWire } from './push-subscription.ts';
import { judgeSupport } from './push-support.ts';

export type PushState =
  /** This browser cannot, or the page is not in a secure context. */
  | 'unsupported'
  /** iOS and iPadOS: only when the page was put on the home screen. */
  | 'needs_home_screen'
  /** The user, or the browser for him, said no: only the browser's settings change that. */
  | 'denied'
  /** It was not asked for yet, or was switched off here. */
  | 'off'
  | 'on';

/** Notifications on this device. The page registers its service worker by itself. */
export interface PushClient {
  state(): Promise<PushState>;
  /**
   * Asks for permission, subscribes with the key in force, and tells the service. To be called in the handler of a click,
   * after saying what for.
   *
   * @throws {DoormanError} `push_unavailable` when the browser gives no subscription, though it is permitted; or what the
   *   service says
   */
  enable(): Promise<PushState>;
  /** Unsubscribes here and at the service; the permission stays. */
  disable(): Promise<void>;
  /**
   * To be called at each start with a session: subscribes again when the browser lost the subscription, the key changed, or
   * the service does not have it, if notifications were enabled on this device before.
   *
   * @throws {DoormanError} as `enable`
   */
  check(): Promise<PushState>;
  /** Of the devices of `api.pushDevices`, this one. */
  thisDevice(): Promise<PushDevice | undefined>;
}

/** How long a service worker may take to be there after the page asked for it. */
const WORKER_MS = 10_000;

type PushApi = Pick<Api, 'pushKey' | 'pushSubscribe' | 'pushUnsubscribe' | 'pushDevices'>;

/** Changes come one after the other, so that two of them do not leave half of each. */
export class Push implements PushClient {
  readonly #api: PushApi;
  readonly #storage: GuardedStorage;
  readonly #session: () => Session | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(api: PushApi, storage: GuardedStorage, session: () => Session | undefined) {
    this.#api = api;
    this.#storage = storage;
    this.#session = session;
  }

  async state(): Promise<PushState> {
    const support = judgeSupport();
    if (support !== 'supported') return support;
    if (Notification.permission === 'denied') return 'denied';
    const isOn = Notification.permission === 'granted' && (await this.#isWanted()) && (await findHere());
    return isOn ? 'on' : 'off';
  }

  async enable(): Promise<PushState> {
    const support = judgeSupport();
    if (support !== 'supported') return support;
    // Before anything is awaited: browsers ask only while the click is fresh.
    const permission = await Notification.requestPermission();
    if (permission === 'granted') await this.#inTurn(() => this.#subscribe());
    return this.state();
  }

  async disable(): Promise<void> {
    await this.#inTurn(async () => {
      await keepWanted(this.#storage, undefined);
      const endpoint = await this.#unsubscribe();
      if (endpoint !== undefined && this.#session()) await this.#tellGone(endpoint);
    });
  }

  async check(): Promise<PushState> {
    if (judgeSupport() !== 'supported' || !this.#session()) return this.state();
    await this.#inTurn(async () => {
      const isWanted = await this.#isWanted();
      // Of a storage that failed it is not known what the user wanted: the subscription stays as it is.
      if (!isWanted && !this.#storage.isInMemory) await this.#unsubscribe();
      if (isWanted && Notification.permission === 'granted') await this.#subscribe();
    });
    return this.state();
  }

  async thisDevice(): Promise<PushDevice | undefined> {
    const here = await findHere();
    if (!here) return undefined;
    const service = new URL(here.endpoint).origin;
    const devices = await this.#api.pushDevices();
    const own = devices.filter((one) => one.current === 1 && one.service === service);
    return own.sort((a, b) => b.create_time - a.create_time)[0];
  }

  /** Where the browser is told; nobody is asked for it. */
  async endpoint(): Promise<string | undefined> {
    return (await findHere())?.endpoint;
  }

  /** The session has gone: nothing more may come to this device. Whether the user wanted it is remembered where it was. */
  async release(): Promise<void> {
    await this.#inTurn(() => this.#unsubscribe());
  }

  /** Somebody signed in: what came here for somebody else comes no more. */
  async releaseOthers(): Promise<void> {
    await this.#inTurn(async () => {
      if (!(await this.#isWanted())) await this.#unsubscribe();
    });
  }

  async #subscribe(): Promise<void> {
    const [api, storage] = [this.#api, this.#storage];
    const userId = this.#session()?.userId;
    if (userId === undefined) throw new DoormanError(401, 'signed_out', 'Nobody is signed in');
    const wanted = await findWanted(storage);
    const registration = await findWorker();
    // The service takes a subscription from anybody: after the end of the session this would be a stranger's.
    const [key] = await Promise.all([api.pushKey(), api.pushDevices()]);
    const subscription = await subscribe(registration, key, wanted?.key);
    // Also one that is known: the service may have lost it, and a repeat changes nothing.
    await api.pushSubscribe(toWire(subscription));
    if (this.#session()?.userId !== userId) return; // signed out meanwhile: what follows in turn removes it
    const { endpoint } = subscription;
    await keepWanted(storage, { userId, key, endpoint });
    if (wanted?.userId === userId && wanted.endpoint !== endpoint) await this.#tellGone(wanted.endpoint);
  }

  /** @returns the endpoint that was */
  async #unsubscribe(): Promise<string | undefined> {
    const here = await findHere();
    await here?.unsubscribe();
    return here?.endpoint;
  }

  async #tellGone(endpoint: string): Promise<void> {
    try {
      await this.#api.pushUnsubscribe({ endpoint });
    } catch (error) {
      // It did not have it any more.
      if (!(error instanceof DoormanError && error.code === 404)) throw error;
    }
  }

  async #isWanted(): Promise<boolean> {
    const wanted = await findWanted(this.#storage);
    return wanted !== undefined && wanted.userId === this.#session()?.userId;
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(act);
    this.#turn = result.catch(() => {}); // whoever asked hears of it
    return result;
  }
}

/** The subscription of this browser, whosever it is. */
async function findHere(): Promise<PushSubscription | null | undefined> {
  if (judgeSupport() !== 'supported') return undefined;
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
