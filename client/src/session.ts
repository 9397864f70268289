import { DoormanError } from './errors.ts';
import type { Session, SessionEnd } from './events.ts';
import { callService } from './http.ts';
import type { DoormanStorage } from './storage.ts';
import type { Times } from './times.ts';
import { renewalOf, sessionIdOf } from './tokens.ts';
import type { FreshToken } from './wire.ts';

const KEY = 'session';

/** A session as it is kept; `renewAt` in epoch milliseconds of this device. */
interface KeptSession extends Session {
  renewAt: number;
}

/** The session that is kept, if any. For service workers, which have no `Doorman`. */
export async function readSession(storage: DoormanStorage): Promise<Session | undefined> {
  const kept = await findKept(storage);
  return kept && toSession(kept);
}

/** Whoever has to do with whose session this is. */
export interface SessionHost {
  readonly baseUrl: string;
  readonly storage: DoormanStorage;
  readonly times: Times;
  /** Another person, or nobody; everything of the one before has to go. Awaited before it is told on. */
  changed(session: Session | undefined, end: SessionEnd | undefined): Promise<void>;
  /** The same session has another token. */
  renewed(session: Session): void;
  /** Other tabs have to look at what is kept. */
  tellOthers(end: SessionEnd | undefined): void;
}

/** Who is signed in: kept, renewed, ended. Changes come one after the other. */
export class SessionKeeper {
  readonly #host: SessionHost;
  #kept: KeptSession | undefined;
  #current: Session | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #renewing: Promise<'renewed' | 'ended' | 'later'> | undefined;

  constructor(host: SessionHost) {
    this.#host = host;
  }

  get current(): Session | undefined {
    return this.#current;
  }

  /** Takes up what is kept, as at the start, or when another tab changed it. */
  restore(end?: SessionEnd): Promise<Session | undefined> {
    return this.#inTurn(async () => {
      const kept = await findKept(this.#host.storage);
      await this.#replace(kept, end);
      return this.#current;
    });
  }

  adopt({ userId, username, token }: Session): Promise<Session> {
    return this.#inTurn(async () => {
      const kept = { userId, username, token, renewAt: renewalOf(token, Date.now()) };
      await this.#keep(kept);
      // Another session, even of the same person, begins anew.
      this.#kept = undefined;
      await this.#replace(kept);
      this.#host.tellOthers(undefined);
      return toSession(kept);
    });
  }

  /**
   * Ends the session here. After `signed_out` and `ended`, which the user wanted, nothing is kept; after `expired` and
   * `suspended` what he wrote waits for him. If another tab signed somebody in meanwhile, that session is taken up.
   *
   * @param token the one that is no good; if there is another by now, nothing happens. Left out: whatever there is
   */
  end(end: SessionEnd, token?: string): Promise<void> {
    return this.#inTurn(async () => {
      const { storage, tellOthers } = this.#host;
      if (token !== undefined && token !== this.#kept?.token) return;
      const kept = await findKept(storage).catch(() => undefined);
      if (kept && this.#kept && !isSame(kept, this.#kept)) {
        await this.#replace(kept);
        return;
      }
      const isForGood = end === 'signed_out' || end === 'ended';
      // Before anybody is told, so that whoever reloads now finds nothing; and again, for what was written meanwhile.
      // A storage that fails does not keep the session; only who signs out must know that something is left.
      await (isForGood ? storage.clear() : storage.delete(KEY)).catch(() => {});
      await this.#replace(undefined, end);
      try {
        if (isForGood) await storage.clear();
      } catch (error) {
        if (end === 'signed_out') throw error;
      } finally {
        tellOthers.call(this.#host, end);
      }
    });
  }

  /** Gets a new token if it is time for it; nobody waits for that. */
  renewIfStale(): void {
    if (this.#kept && Date.now() >= this.#kept.renewAt) void this.renew();
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
    const { baseUrl, storage, times, renewed } = this.#host;
    const before = this.#kept;
    if (!before) return 'ended';
    const elsewhere = await findKept(storage);
    if (elsewhere && elsewhere.token !== before.token) {
      await this.restore();
      return this.#kept ? 'renewed' : 'ended';
    }
    try {
      const { deadlineMs } = times;
      const { token: old } = before;
      const call = { method: 'POST', path: '/api/token', body: {}, token: old, deadlineMs } as const;
      const { token } = (await callService(baseUrl, call)).data as FreshToken;
      await this.#inTurn(async () => {
        if (this.#kept !== before) return;
        const kept = { ...before, token, renewAt: renewalOf(token, Date.now()) };
        await this.#keep(kept);
        this.#kept = kept;
        this.#current = toSession(kept);
        renewed.call(this.#host, this.#current);
        this.#host.tellOthers(undefined);
      });
      return this.#kept ? 'renewed' : 'ended';
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (error.code !== 401) return 'later';
      await this.end('expired', before.token);
      return 'ended';
    }
  }

  /** Where nothing can be written, as on a full disk, the session lives as long as the page. */
  #keep(kept: KeptSession): Promise<void> {
    return this.#host.storage.set(KEY, kept).catch(() => {});
  }

  async #replace(kept: KeptSession | undefined, end?: SessionEnd): Promise<void> {
    const before = this.#kept;
    if (before?.token === kept?.token) return;
    this.#kept = kept;
    this.#current = kept && toSession(kept);
    if (before && kept && isSame(before, kept)) this.#host.renewed(toSession(kept));
    else await this.#host.changed(this.#current, this.#current ? undefined : (end ?? 'signed_out'));
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

function isSame(one: Session, other: Session): boolean {
  return one.userId === other.userId && sessionIdOf(one.token) === sessionIdOf(other.token);
}

function toSession({ userId, username, token }: KeptSession): Session {
  return { userId, username, token };
}
