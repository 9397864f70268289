import type { Session } from './events.ts';
import { callService } from './http/http.ts';
import type { Push } from './push/push.ts';
import type { SessionKeeper } from './session/session-store.ts';

/** Signing in and out, with all that follows from it on this device and at the service. */
export class Entrance {
  readonly #baseUrl: string;
  readonly #leavingMs: number;
  readonly #session: SessionKeeper;
  readonly #push: Push;
  #leaving: Promise<void> | undefined;

  constructor(baseUrl: string, leavingMs: number, session: SessionKeeper, push: Push) {
    this.#baseUrl = baseUrl;
    this.#leavingMs = leavingMs;
    this.#session = session;
    this.#push = push;
  }

  /** Takes up the session that the service has just opened. */
  async enter({ id, username, token }: { id: string; username: string; token: string }): Promise<Session> {
    const session = this.#session;
    await this.#leaving;
    const before = session.current;
    if (before && before.userId !== id) await this.leave();
    const entered = await session.adopt({ userId: id, username, token });
    // The same person once more: of the earlier session nobody holds the token any more.
    if (before?.userId === id) void this.#endAtService(before.token).catch(ignore);
    void this.#push.releaseOthers().catch(ignore);
    return entered;
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#leave().finally(() => {
      this.#leaving = undefined;
    });
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    const [session, push] = [this.#session, this.#push];
    const { token } = session.current ?? (await session.restore()) ?? {};
    const endpoint = await push.endpoint().catch(() => undefined);
    // Here first: whatever becomes of the rest, a reload finds nothing.
    await session.end('signed_out');
    const atService = token === undefined ? undefined : this.#endAtService(token, endpoint);
    const all = Promise.all([push.release().catch(ignore), atService?.catch(ignore)]);
    await new Promise<unknown>((resolve) => {
      const timer = setTimeout(resolve, this.#leavingMs);
      void all.then(resolve).finally(() => clearTimeout(timer));
    });
  }

  async #endAtService(token: string, endpoint?: string): Promise<void> {
    const post = { method: 'POST', token, deadlineMs: this.#leavingMs } as const;
    // It forgets the subscription with the session; one of an earlier session has to be named.
    if (endpoint !== undefined)
      await callService(this.#baseUrl, { ...post, path: '/api/push/unsubscribe', body: { endpoint } }).catch(
        ignore,
      );
    await callService(this.#baseUrl, { ...post, path: '/api/logout', body: {} });
  }
}

/** What the service cannot be told now it finds out, and here it is done. */
function ignore(): void {}
