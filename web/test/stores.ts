import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createDoorman, type Doorman, type DoormanStorage } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import type { TestDatabase } from '../../test/databases.ts';
import { startService, type TestService } from '../../test/harness.ts';
import { sendMessage } from '../../test/messages.ts';
import { Stores } from '../src/app/stores.ts';
import type { BrowserEnvironment } from '../src/data/browser-environment.ts';

/** The stores of one user on one device, with a kit of their own. */
export interface TestClient {
  readonly stores: Stores;
  readonly doorman: Doorman;
  readonly storage: DoormanStorage;
  readonly browser: TestBrowser;
  readonly id: string;
  /** Closes the stores, and opens others on the same device. */
  reload(): Promise<TestClient>;
}

/** For stores without a browser: the page is always attended, and badges and notifications are ignored. */
export function noBrowserEnvironment(): BrowserEnvironment {
  return {
    isAttended: () => true,
    isInFront: () => true,
    onAttention: () => () => {},
    onHidden: () => () => {},
    onNetwork: () => () => {},
    trackActivity: () => () => {},
    setBadge: () => {},
    closeNotifications: () => {},
  };
}

/** Records what the stores do to the browser; the test says whether the page is attended. */
export class TestBrowser {
  isAttended = true;
  readonly badges: number[] = [];
  /** Peers with notifications on the screen. */
  notified = new Set<string>();
  readonly #attention = new Set<(isAttended: boolean) => void>();
  readonly #hidden = new Set<() => void>();

  /** The user begins or ends looking at the page. */
  attend(isAttended: boolean): void {
    this.isAttended = isAttended;
    for (const listener of this.#attention) listener(isAttended);
  }

  hide(): void {
    this.attend(false);
    for (const listener of this.#hidden) listener();
  }

  get environment() {
    return {
      ...noBrowserEnvironment(),
      isAttended: () => this.isAttended,
      isInFront: () => this.isAttended,
      onAttention: (listener: (isAttended: boolean) => void) => {
        this.#attention.add(listener);
        return () => void this.#attention.delete(listener);
      },
      onHidden: (listener: () => void) => {
        this.#hidden.add(listener);
        return () => void this.#hidden.delete(listener);
      },
      setBadge: (count: number) => void this.badges.push(count),
      closeNotifications: (isOver: (peer: string) => boolean) => {
        this.notified = new Set([...this.notified].filter((peer) => !isOver(peer)));
      },
    };
  }
}

/** Shorter than in the page, so that the tests do not wait. */
const TIMES = { storageMs: 200, ackMs: 5, watchMs: 5, backoffMs: 20, maxBackoffMs: 100 };

/** A whole service, and the stores of its users. */
export class Town {
  service: TestService;
  readonly url: string;
  readonly #t: TestContext;

  constructor(t: TestContext, service: TestService, url: string) {
    this.#t = t;
    this.service = service;
    this.url = url;
  }

  static async open(
    t: TestContext,
    database: TestDatabase,
    options?: Parameters<typeof startService>[2],
  ): Promise<Town> {
    const service = await startService(t, database, options);
    return new Town(t, service, await service.app.listen({ port: 0, host: '127.0.0.1' }));
  }

  /** Signs up, and waits until the stores are fresh. */
  async join(username: string): Promise<TestClient> {
    const one = this.newClient(new MemoryStorage());
    await one.stores.start();
    await one.stores.session.signUp({ username, password: `password-of-${username}` });
    await settled(one);
    return one;
  }

  /** The same user on another device. */
  async another(username: string): Promise<TestClient> {
    const one = this.newClient(new MemoryStorage());
    await one.stores.start();
    await one.stores.session.signIn({ username, password: `password-of-${username}` });
    await settled(one);
    return one;
  }

  /** Stores that are not started yet. */
  newClient(storage: DoormanStorage): TestClient {
    const doorman = createDoorman({ baseUrl: this.url, storage }, TIMES);
    const browser = new TestBrowser();
    const stores = new Stores(doorman, browser.environment);
    const end = async () => {
      await stores.close();
      doorman.disconnect();
    };
    this.#t.after(end);
    return {
      stores,
      doorman,
      storage,
      browser,
      get id() {
        return doorman.session?.userId ?? assert.fail('no user is signed in');
      },
      reload: async () => {
        await end();
        const next = this.newClient(storage);
        await next.stores.start();
        return next;
      },
    };
  }

  /** The service ends, and starts again at the same address. */
  async restart(): Promise<void> {
    this.service = await this.service.restart();
    await this.service.app.listen({ port: Number(new URL(this.url).port), host: '127.0.0.1' });
  }

  /** Stores messages directly: the kit is limited to 30 in ten seconds. */
  async writeMany(from: TestClient, to: string, bodies: readonly string[]): Promise<void> {
    const { services } = this.service;
    const session = (await from.doorman.api.sessions()).find(({ current }) => current === 1);
    const sender = { userId: from.id, sessionId: session?.id ?? assert.fail() };
    for (const body of bodies)
      await sendMessage(services, sender, { to, cid: crypto.randomUUID(), body }, services.clock.now());
  }
}

export function settled({ stores }: TestClient): Promise<void> {
  return until(
    () => stores.freshness.getSnapshot() === 'fresh' && stores.connection.getSnapshot().state === 'live',
    'live',
  );
}

/** Waits until the condition holds, at most a minute. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => unknown) = 'it',
): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > end)
      assert.fail(`not within a minute: ${typeof what === 'string' ? what : JSON.stringify(what())}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits until `read` returns `expected`, and shows what it returned if it does not. */
export async function untilEqual<T>(read: () => T, expected: T): Promise<void> {
  await until(
    () => {
      try {
        assert.deepEqual(read(), expected);
        return true;
      } catch {
        return false;
      }
    },
    () => ({ expected, found: read() }),
  );
}

/** Waits until everything has run that waited for settled promises alone. */
export function allSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
