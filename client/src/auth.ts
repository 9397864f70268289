import type { Session } from './events.ts';
import { callService } from './http/http.ts';
import type { Push } from './push/push.ts';
import type { SessionKeeper } from './session/session-store.ts';

interface EntranceHost {
  readonly baseUrl: string;
  readonly leavingMs: number;
  readonly session: SessionKeeper;
  readonly push: Push;
}

/** Signing in and out, with all that follows from it on this device and at the service. */
export class Entrance {
  readonly #host: EntranceHost;
  #leaving: Promise<void> | undefined;

  constructor(host: EntranceHost) {
    this.#host = host;
  }

  /** Takes up the session that the service has just opened. */
  async enter({ id, username, token }: { id: string; username: string; token: string }): Promise<Session> {
    const { session, push } = this.#host;
    await this.#leaving;
    const before = session.current;
    if (before && before.userId !== id) await this.leave();
    const entered = await session.adopt({ userId: id, username, token });
    // The same person once more: of the earlier session nobody holds the token any more.
    if (before?.userId === id) void this.#endAtService(before.token).catch(ignore);
    void push.releaseOthers().catch(ignore);
    return entered;
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#leave().finally(() => {
      this.#leaving = undefined;
    });
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    const { leavingMs, push, session } = this.#host;
    const { token } = session.current ?? (await session.restore()) ?? {};
    const endpoint = await push.endpoint().catch(() => undefined);
    // Here first: whatever becomes of the rest, a reload finds nothing.
    await session.end('signed_out');
    const atService = token === undefined ? undefined : this.#endAtService(token, endpoint);
    const all = Promise.all([push.release().catch(ignore), atService?.catch(ignore)]);
    await new Promise<unknown>((resolve) => {
      const timer = setTimeout(resolve, leavingMs);
      void all.then(resolve).finally(() => clearTimeout(timer));
    });
  }

  async #endAtService(token: string, endpoint?: string): Promise<void> {
    const { baseUrl, leavingMs } = this.#host;
    const post = { method: 'POST', token, deadlineMs: leavingMs } as const;
    // It forgets the subscription with the session; one of an earlier session has to be named.
    if (endpoint !== undefined)
      await callService(baseUrl, { ...post, path: '/api/push/unsubscribe', body: { endpoint } }).catch(
        ignore,
      );
    await callService(baseUrl, { ...post, path: '/api/logout', body: {} });
  }
}

/** What the service cannot be told now it finds out, and here it is done. */
function ignore(): void {}
