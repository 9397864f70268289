import { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { Session, SessionEnd } from '../events.ts';
import { clearAllButProofs } from '../http/device-proofs.ts';
import { callService } from '../http/http.ts';
import { GuardedStorage } from '../storage/guarded-storage.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import type { TabChannel } from '../storage/tab-channel.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from '../timeouts.ts';
import type { FreshToken } from '../wire.ts';
import { halfLifeMs, sessionIdOf } from './tokens.ts';

const KEY = 'session';

/** A session as the storage has it; `renewAt` in epoch milliseconds of this device. */
interface StoredSession extends Session {
  renewAt: number;
}

/**
 * The stored session, if any. For service workers, which have no `Doorman`.
 *
 * @param timeouts for tests only
 * @throws {DoormanError} `storage_failed`: the storage failed, or did not answer within 2 s
 */
export async function readSession(
  storage: DoormanStorage,
  timeouts: Pick<Timeouts, 'storageMs'> = DEFAULT_TIMEOUTS,
): Promise<Session | undefined> {
  const guarded = new GuardedStorage(storage, timeouts.storageMs);
  const stored = await readStored(guarded);
  guarded.check();
  return stored && toSession(stored);
}

type OnChange = (session: Session | undefined, end: SessionEnd | undefined) => Promise<void>;

/** The session of this device: stores, renews and ends it. Changes are made one after the other. */
export class SessionStore {
  /** `renewed`: the same session has another token. */
  readonly events = new Emitter<{ renewed: Session }>();
  readonly #baseUrl: string;
  readonly #storage: GuardedStorage;
  readonly #tabs: TabChannel;
  readonly #timeouts: Timeouts;
  readonly #onChange: OnChange;
  #stored: StoredSession | undefined;
  #current: Session | undefined;
  /** When the token is to be renewed, by `performance.now()`. */
  #renewBy = 0;
  #lastChange: Promise<unknown> = Promise.resolve();
  #renewing: Promise<'renewed' | 'ended' | 'later'> | undefined;

  /** @param onChange another user is signed in, or none; the next change waits for it */
  constructor(
    baseUrl: string,
    storage: GuardedStorage,
    tabs: TabChannel,
    timeouts: Timeouts,
    onChange: OnChange,
  ) {
    this.#baseUrl = baseUrl;
    this.#storage = storage;
    this.#tabs = tabs;
    this.#timeouts = timeouts;
    this.#onChange = onChange;
  }

  get current(): Session | undefined {
    return this.#current;
  }

  /** Reads the stored session, at the start or after another tab changed it. @param end why the other tab removed it */
  restore(end?: SessionEnd): Promise<Session | undefined> {
    return this.#enqueue(async () => {
      const storage = this.#storage;
      // The other tab removed it from the storage, which does not change a copy in memory.
      if (end !== undefined) storage.forget(clearsDevice(end) ? undefined : KEY);
      await this.#replace(await readStored(storage), end);
      return this.#current;
    });
  }

  /** Stores the session that the service has just opened. */
  save({ userId, username, token }: Session): Promise<Session> {
    return this.#enqueue(async () => {
      const stored = { userId, username, token, renewAt: Date.now() + halfLifeMs(token) };
      const storage = this.#storage;
      // The next start must not find an earlier session in the storage.
      if (storage.isInMemory) await storage.delete(KEY);
      await storage.set(KEY, stored);
      // A new session of the same user is a change too.
      this.#stored = undefined;
      await this.#replace(stored);
      this.#tabs.post({ kind: 'session', end: undefined });
      return toSession(stored);
    });
  }

  /**
   * Ends the session here. After `signed_out`, `ended` and `leaving`, which the user wanted, only the device's proofs stay; after
   * `expired` and `suspended` the user's messages and changes that wait stay too. If another tab signed in meanwhile, its session is used.
   *
   * @param token the token that is not valid any more; if the session has another one by now, nothing happens. Left out: any
   */
  end(end: SessionEnd, token?: string): Promise<void> {
    return this.#enqueue(async () => {
      const storage = this.#storage;
      if (token !== undefined && token !== this.#stored?.token) return;
      const stored = await readStored(storage);
      if (stored && this.#stored && !isSame(stored, this.#stored)) {
        await this.#replace(stored);
        return;
      }
      // Before listeners run, so that a reload from now on finds nothing; and again, for what is written meanwhile.
      await (clearsDevice(end) ? clearAllButProofs(storage) : storage.delete(KEY));
      await this.#replace(undefined, end);
      if (clearsDevice(end)) await clearAllButProofs(storage);
      this.#tabs.post({ kind: 'session', end });
    });
  }

  /** Starts to renew the token if it is time, and does not wait for it. */
  renewIfStale(): void {
    if (!this.#stored) return;
    // The wall clock can be set back, and the monotonic clock stops while some machines sleep: either one is enough.
    if (Date.now() >= this.#stored.renewAt || performance.now() >= this.#renewBy) void this.renew();
  }

  /**
   * Gets a new token, or the one that another tab got. Calls at the same time share one request.
   *
   * @returns `ended`: the service does not know the session any more, which then has ended here too; `later`: no answer
   */
  renew(): Promise<'renewed' | 'ended' | 'later'> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<'renewed' | 'ended' | 'later'> {
    const storage = this.#storage;
    const before = this.#stored;
    if (!before) return 'ended';
    const latest = await readStored(storage);
    if (latest && latest.token !== before.token) {
      await this.restore();
      return this.#stored ? 'renewed' : 'ended';
    }
    try {
      const { deadlineMs } = this.#timeouts;
      const session = { token: before.token, deadlineMs, proofs: storage };
      const call = { method: 'POST', path: '/api/token', body: {}, ...session } as const;
      const { token } = (await callService(this.#baseUrl, call)).data as FreshToken;
      await this.#enqueue(async () => {
        if (this.#stored !== before) return;
        const renewed = { ...before, token, renewAt: Date.now() + halfLifeMs(token) };
        await storage.set(KEY, renewed);
        this.events.emit('renewed', this.#use(renewed));
        this.#tabs.post({ kind: 'session', end: undefined });
      });
      return this.#stored ? 'renewed' : 'ended';
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (error.code !== 401) return 'later';
      await this.end('expired', before.token);
      return 'ended';
    }
  }

  async #replace(stored: StoredSession | undefined, end?: SessionEnd): Promise<void> {
    const before = this.#stored;
    if (before?.token === stored?.token) return;
    const session = stored && this.#use(stored);
    if (!stored) this.#stored = this.#current = undefined;
    if (before && stored && isSame(before, stored)) this.events.emit('renewed', toSession(stored));
    else await this.#onChange(session, session ? undefined : (end ?? 'signed_out'));
  }

  #use(stored: StoredSession): Session {
    const leftMs = stored.renewAt - Date.now();
    // More than half a life is left only if the clock was set back since: then the token's age is unknown.
    this.#renewBy = performance.now() + (leftMs > halfLifeMs(stored.token) ? 0 : leftMs);
    this.#stored = stored;
    this.#current = toSession(stored);
    return this.#current;
  }

  #enqueue<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => {}); // the caller gets the error
    return result;
  }
}

async function readStored(storage: DoormanStorage): Promise<StoredSession | undefined> {
  const stored = await storage.get(KEY);
  // Written by this file only.
  return typeof stored === 'object' && stored !== null && 'token' in stored
    ? (stored as StoredSession)
    : undefined;
}

/** The user wanted this end, so nothing stays on the device. */
function clearsDevice(end: SessionEnd): boolean {
  return end === 'signed_out' || end === 'ended' || end === 'leaving';
}

function isSame(one: Session, other: Session): boolean {
  return one.userId === other.userId && sessionIdOf(one.token) === sessionIdOf(other.token);
}

function toSession({ userId, username, token }: StoredSession): Session {
  return { userId, username, token };
}
