import { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { Session, SessionEnd } from '../events.ts';
import { clearAllButProofs } from '../http/device-proofs.ts';
import { callService } from '../http/http.ts';
import { GuardedStorage } from '../storage/guarded-storage.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import type { Tabs } from '../storage/tab-channel.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from '../timeouts.ts';
import type { FreshToken } from '../wire.ts';
import { halfLifeMs, sessionIdOf } from './tokens.ts';

const KEY = 'session';

/** A session as it is kept; `renewAt` in epoch milliseconds of this device. */
interface KeptSession extends Session {
  renewAt: number;
}

/**
 * The session that is kept, if any. For service workers, which have no `Doorman`.
 *
 * @param times for tests only
 * @throws {DoormanError} `storage_failed`: the storage failed, or did not answer within 2 s
 */
export async function readSession(
  storage: DoormanStorage,
  times: Pick<Timeouts, 'storageMs'> = DEFAULT_TIMEOUTS,
): Promise<Session | undefined> {
  const guarded = new GuardedStorage(storage, times.storageMs);
  const kept = await findKept(guarded);
  guarded.check();
  return kept && toSession(kept);
}

/** What the user before must leave nothing in. Changes of the session wait for it. */
type OnChange = (session: Session | undefined, end: SessionEnd | undefined) => Promise<void>;

/** Who is signed in: kept, renewed, ended. Changes come one after the other. */
export class SessionKeeper {
  /** `renewed`: the same session has another token. */
  readonly events = new Emitter<{ renewed: Session }>();
  readonly #baseUrl: string;
  readonly #storage: GuardedStorage;
  readonly #tabs: Tabs;
  readonly #times: Timeouts;
  readonly #onChange: OnChange;
  #kept: KeptSession | undefined;
  #current: Session | undefined;
  /** When the token is to be renewed, by `performance.now()`. */
  #renewBy = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #renewing: Promise<'renewed' | 'ended' | 'later'> | undefined;

  /** @param onChange another user is signed in, or none: all that belongs to the user before has to go */
  constructor(baseUrl: string, storage: GuardedStorage, tabs: Tabs, times: Timeouts, onChange: OnChange) {
    this.#baseUrl = baseUrl;
    this.#storage = storage;
    this.#tabs = tabs;
    this.#times = times;
    this.#onChange = onChange;
  }

  get current(): Session | undefined {
    return this.#current;
  }

  /** Takes up what is kept, as at the start, or when another tab changed it. */
  restore(end?: SessionEnd): Promise<Session | undefined> {
    return this.#inTurn(async () => {
      const storage = this.#storage;
      // Another tab removed it from the storage, which a copy in memory does not show.
      if (end !== undefined) storage.forget(isForGood(end) ? undefined : KEY);
      await this.#replace(await findKept(storage), end);
      return this.#current;
    });
  }

  adopt({ userId, username, token }: Session): Promise<Session> {
    return this.#inTurn(async () => {
      const kept = { userId, username, token, renewAt: Date.now() + halfLifeMs(token) };
      const storage = this.#storage;
      // What the storage has of an earlier session is not to be found at the next start.
      if (storage.isInMemory) await storage.delete(KEY);
      await storage.set(KEY, kept);
      // Another session, even of the same person, begins anew.
      this.#kept = undefined;
      await this.#replace(kept);
      this.#tabs.tell({ kind: 'session', end: undefined });
      return toSession(kept);
    });
  }

  /**
   * Ends the session here. After `signed_out` and `ended`, which the user wanted, nothing is kept but the device's proofs;
   * after `expired` and `suspended` what the user wrote is kept for them. If another tab signed in meanwhile, that session
   * is taken up.
   *
   * @param token the one that is no good; if there is another by now, nothing happens. Left out: whatever there is
   */
  end(end: SessionEnd, token?: string): Promise<void> {
    return this.#inTurn(async () => {
      const storage = this.#storage;
      if (token !== undefined && token !== this.#kept?.token) return;
      const kept = await findKept(storage);
      if (kept && this.#kept && !isSame(kept, this.#kept)) {
        await this.#replace(kept);
        return;
      }
      // Before anybody is told, so that whoever reloads now finds nothing; and again, for what was written meanwhile.
      await (isForGood(end) ? clearAllButProofs(storage) : storage.delete(KEY));
      await this.#replace(undefined, end);
      if (isForGood(end)) await clearAllButProofs(storage);
      this.#tabs.tell({ kind: 'session', end });
    });
  }

  /** Gets a new token if it is time for it; nobody waits for that. */
  renewIfStale(): void {
    if (!this.#kept) return;
    // The wall clock can be set back, and the monotonic one stands still while some machines sleep: either is enough.
    if (Date.now() >= this.#kept.renewAt || performance.now() >= this.#renewBy) void this.renew();
  }

  /**
   * Gets a new token, or the one that another tab got. Calls at the same time are one.
   *
   * @returns `ended`: the service knows this session no more, which then has ended here too; `later`: it did not answer
   */
  renew(): Promise<'renewed' | 'ended' | 'later'> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<'renewed' | 'ended' | 'later'> {
    const storage = this.#storage;
    const before = this.#kept;
    if (!before) return 'ended';
    const elsewhere = await findKept(storage);
    if (elsewhere && elsewhere.token !== before.token) {
      await this.restore();
      return this.#kept ? 'renewed' : 'ended';
    }
    try {
      const { deadlineMs } = this.#times;
      const { token: old } = before;
      const session = { token: old, deadlineMs, proofs: storage };
      const call = { method: 'POST', path: '/api/token', body: {}, ...session } as const;
      const { token } = (await callService(this.#baseUrl, call)).data as FreshToken;
      await this.#inTurn(async () => {
        if (this.#kept !== before) return;
        const kept = { ...before, token, renewAt: Date.now() + halfLifeMs(token) };
        await storage.set(KEY, kept);
        this.events.emit('renewed', this.#take(kept));
        this.#tabs.tell({ kind: 'session', end: undefined });
      });
      return this.#kept ? 'renewed' : 'ended';
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (error.code !== 401) return 'later';
      await this.end('expired', before.token);
      return 'ended';
    }
  }

  async #replace(kept: KeptSession | undefined, end?: SessionEnd): Promise<void> {
    const before = this.#kept;
    if (before?.token === kept?.token) return;
    const session = kept && this.#take(kept);
    if (!kept) this.#kept = this.#current = undefined;
    if (before && kept && isSame(before, kept)) this.events.emit('renewed', toSession(kept));
    else await this.#onChange(session, session ? undefined : (end ?? 'signed_out'));
  }

  #take(kept: KeptSession): Session {
    const leftMs = kept.renewAt - Date.now();
    // More than half a life is left only if the clock was set back since: how old the token is is not known.
    this.#renewBy = performance.now() + (leftMs > halfLifeMs(kept.token) ? 0 : leftMs);
    this.#kept = kept;
    this.#current = toSession(kept);
    return this.#current;
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(act);
    this.#turn = result.catch(() => {}); // whoever asked hears of it
    return result;
  }
}

async function findKept(storage: DoormanStorage): Promise<KeptSession | undefined> {
  const kept = await storage.get(KEY);
  // Written by this file alone.
  return typeof kept === 'object' && kept !== null && 'token' in kept ? (kept as KeptSession) : undefined;
}

/** The user wanted the end, so nothing stays on the device. */
function isForGood(end: SessionEnd): boolean {
  return end === 'signed_out' || end === 'ended';
}

function isSame(one: Session, other: Session): boolean {
  return one.userId === other.userId && sessionIdOf(one.token) === sessionIdOf(other.token);
}

function toSession({ userId, username, token }: KeptSession): Session {
  return { userId, username, token };
}
