import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  type ConnectionState,
  createDoorman,
  type Doorman,
  type DoormanEvent,
  type DoormanEvents,
  type DoormanStorage,
  type Session,
} from 'doorman-client';
import { MemoryStorage, type Timeouts } from 'doorman-client/testing';

/** As in production, except the waits after a broken connection. */
const QUICK: Partial<Timeouts> = { backoffMs: 20, maxBackoffMs: 200 };

/** Only ends a test that hangs; some events take 10 s by design. */
const GIVE_UP_MS = 100_000;

const EVENTS = [
  'session',
  'connection',
  'snapshot',
  'message',
  'unsent',
  'edited',
  'reaction',
  'conversation',
  'marked',
  'friend',
  'block',
  'unblock',
  'profile',
  'settings',
  'sessions',
  'account',
  'presence',
  'typing',
  'outgoing',
  'change',
  'storage',
] as const satisfies readonly DoormanEvent[];

/** An event that the kit emitted, with its data. */
type Emitted = { [E in DoormanEvent]: { readonly event: E; readonly what: DoormanEvents[E] } }[DoormanEvent];

interface Options {
  device?: string;
  storage?: DoormanStorage;
  getToken?: () => Promise<string | undefined>;
  times?: Partial<Timeouts>;
}

/** The kit of one device, and all events that it emitted. It is disconnected when the test ends. */
export class Device {
  readonly doorman: Doorman;
  readonly storage: DoormanStorage;
  readonly emitted: Emitted[] = [];
  #wake: (() => void)[] = [];

  constructor(
    t: TestContext,
    url: string,
    { storage = new MemoryStorage(), times, ...options }: Options = {},
  ) {
    this.storage = storage;
    this.doorman = createDoorman({ baseUrl: url, storage, ...options }, { ...QUICK, ...times });
    for (const event of EVENTS)
      this.doorman.on(event, (what) => {
        this.emitted.push({ event, what } as Emitted); // `on` ties the data to the event
        for (const wake of this.#wake.splice(0)) wake();
      });
    t.after(() => this.doorman.disconnect());
  }

  get id(): string {
    return this.session.userId;
  }

  get session(): Session {
    const { session } = this.doorman;
    if (!session) throw new Error('no user is signed in');
    return session;
  }

  /** The data of all events of one kind. */
  all<E extends DoormanEvent>(event: E): DoormanEvents[E][] {
    return this.emitted.flatMap((one) => (one.event === event ? [one.what as DoormanEvents[E]] : []));
  }

  /** Waits for the first event of a kind, from the `from`-th on, that `isMeant` accepts. */
  async first<E extends DoormanEvent>(
    event: E,
    isMeant: (what: DoormanEvents[E]) => boolean = () => true,
    from = 0,
  ): Promise<DoormanEvents[E]> {
    const giveUp = AbortSignal.timeout(GIVE_UP_MS);
    for (;;) {
      const found = this.all(event).slice(from).find(isMeant);
      if (found !== undefined) return found;
      await this.#next(giveUp, `${event}: ${isMeant}; had ${JSON.stringify(this.all(event))}`);
    }
  }

  /** Waits until the connection is in this state. */
  async is<S extends ConnectionState['state']>(state: S): Promise<Extract<ConnectionState, { state: S }>> {
    const giveUp = AbortSignal.timeout(GIVE_UP_MS);
    for (;;) {
      const { connection } = this.doorman;
      if (connection.state === state) return connection as Extract<ConnectionState, { state: S }>; // it just was compared
      await this.#next(giveUp, `the state ${state}; is ${connection.state}`);
    }
  }

  /** Resolves at the next event. */
  async #next(giveUp: AbortSignal, awaited: string): Promise<void> {
    await new Promise<void>((wake, fail) => {
      const stop = () => fail(new Error(`it never came: ${awaited}`));
      giveUp.addEventListener('abort', stop, { once: true });
      this.#wake.push(() => {
        giveUp.removeEventListener('abort', stop);
        wake();
      });
    });
  }

  /** Waits for as many messages, and checks that they are these, in this order. */
  async hears(...bodies: string[]): Promise<void> {
    await until(() => this.bodies.length >= bodies.length);
    assert.deepEqual(this.bodies, bodies);
  }

  /** The bodies of all messages so far, in their order. */
  get bodies(): string[] {
    return this.all('message').map(({ body }) => body);
  }

  async signUp(username: string): Promise<this> {
    await this.doorman.signUp({ username, password: `password-of-${username}` });
    return this;
  }

  async signIn(username: string): Promise<this> {
    await this.doorman.signIn({ username, password: `password-of-${username}` });
    return this;
  }

  async connect(): Promise<this> {
    this.doorman.connect();
    await this.is('live');
    return this;
  }
}

/** Signs a user up and connects. */
export async function join(
  t: TestContext,
  url: string,
  username: string,
  options?: Options,
): Promise<Device> {
  const device = await new Device(t, url, options).signUp(username);
  return device.connect();
}

/** Waits for something that no event announces; fails after 30 s, so that a failing test ends. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 30_000;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error(`it never came: ${isSo}`);
    await new Promise((again) => setTimeout(again, 10));
  }
}

/** What a storage holds besides device proofs, which are all that remains after signing out. */
export async function allButProofs(storage: DoormanStorage): Promise<[key: string, value: unknown][]> {
  return (await storage.all('')).filter(([key]) => key !== 'device-proofs');
}
