import type { TestContext } from 'node:test';
import type { PushService } from '../push-service.ts';

const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0';

interface Options {
  userAgent?: string;
  maxTouchPoints?: number;
  /** iOS has push interfaces only for pages on the home screen. */
  hasPush?: boolean;
  isSecureContext?: boolean;
}

/**
 * What a browser offers a page for pushes, with subscriptions of the local push service; everything else of the kit runs as
 * it does on Node. test/browsers tests real browsers.
 */
export class PushBrowser {
  permission: NotificationPermission = 'default';
  /** What the user answers when asked for permission. */
  answer: NotificationPermission = 'granted';
  isStandalone = false;
  /** As the user named it in the browser's settings. */
  language: string | undefined;
  /** Whether a subscription shows the key with which it was made. */
  showsKey = true;
  /** Why the browser gives no subscription. */
  fault: Error | undefined;
  /** In order of occurrence. */
  readonly acts: string[] = [];
  readonly registration: ServiceWorkerRegistration;
  readonly #pushService: PushService;
  #subscription: PushSubscription | null = null;

  constructor(t: TestContext, pushService: PushService, options: Options = {}) {
    const { userAgent = DESKTOP, maxTouchPoints = 0, hasPush = true, isSecureContext = true } = options;
    this.#pushService = pushService;
    const pushManager = {
      getSubscription: async () => this.#subscription,
      subscribe: async (asked: PushSubscriptionOptionsInit) => this.#subscribe(asked),
    };
    this.registration = { pushManager } as unknown as ServiceWorkerRegistration; // all that the kit asks of it
    const permission = () => this.permission;
    const notification = {
      get permission() {
        return permission();
      },
      requestPermission: async () => {
        this.acts.push('asked');
        this.permission = this.answer;
        return this.permission;
      },
    };
    const serviceWorker = {
      ready: Promise.resolve(this.registration),
      getRegistration: async () => this.registration,
    };
    const language = () => this.language;
    install(t, 'navigator', {
      userAgent,
      maxTouchPoints,
      get language() {
        return language();
      },
      ...(hasPush && { serviceWorker }),
    });
    install(t, 'window', {
      isSecureContext,
      matchMedia: () => ({ matches: this.isStandalone }),
      ...(hasPush && { PushManager: {}, Notification: notification }),
    });
    install(t, 'Notification', notification);
  }

  get subscription(): PushSubscription | null {
    return this.#subscription;
  }

  /** The browser drops it, as when the user clears site data. */
  lose(): void {
    this.#subscription = null;
  }

  #subscribe({ applicationServerKey }: PushSubscriptionOptionsInit): PushSubscription {
    if (this.fault) throw this.fault;
    if (this.permission !== 'granted') throw new DOMException('not permitted', 'NotAllowedError');
    if (this.#subscription) throw new DOMException('there is one', 'InvalidStateError');
    const key = applicationServerKey as Uint8Array<ArrayBuffer>; // as the kit gives it
    const subscription = this.#pushService.subscribe(Buffer.from(key).toString('base64url'));
    this.acts.push('subscribed');
    const made = {
      endpoint: subscription.endpoint,
      expirationTime: null,
      options: { applicationServerKey: this.showsKey ? key.buffer : null },
      toJSON: () => subscription,
      unsubscribe: async () => {
        this.acts.push('unsubscribed');
        if (this.#subscription === made) this.#subscription = null;
        return true;
      },
    } as unknown as PushSubscription; // all that the kit asks of it
    this.#subscription = made;
    return made;
  }
}

function install(t: TestContext, name: string, value: object): void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true });
  t.after(() => {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  });
}
