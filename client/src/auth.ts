import type { Session } from './events.ts';
import { callService } from './http/http.ts';
import type { Push } from './push/push.ts';
import type { SessionStore } from './session/session-store.ts';

/** Signs in and out, with the effects on this device and at the service. */
export class Auth {
  readonly #baseUrl: string;
  readonly #signOutMs: number;
  readonly #session: SessionStore;
  readonly #push: Push;
  #ending: Promise<void> | undefined;

  constructor(baseUrl: string, signOutMs: number, session: SessionStore, push: Push) {
    this.#baseUrl = baseUrl;
    this.#signOutMs = signOutMs;
    this.#session = session;
    this.#push = push;
  }

  /** Starts the session that the service has just opened. */
  async start({ id, username, token }: { id: string; username: string; token: string }): Promise<Session> {
    await this.#ending;
    const before = this.#session.current;
    if (before && before.userId !== id) await this.end();
    const started = await this.#session.save({ userId: id, username, token });
    // The same user signed in again: nothing holds the token of the earlier session any more.
    if (before?.userId === id) void this.#endAtService(before.token).catch(ignore);
    void this.#push.releaseOthers().catch(ignore);
    return started;
  }

  end(): Promise<void> {
    this.#ending ??= this.#end().finally(() => {
      this.#ending = undefined;
    });
    return this.#ending;
  }

  async #end(): Promise<void> {
    const { token } = this.#session.current ?? (await this.#session.restore()) ?? {};
    const endpoint = await this.#push.endpoint().catch(() => undefined);
    // Here first: after a reload nothing is left, whether or not the service can be reached.
    await this.#session.end('signed_out');
    const atService = token === undefined ? undefined : this.#endAtService(token, endpoint);
    const all = Promise.all([this.#push.release().catch(ignore), atService?.catch(ignore)]);
    await new Promise<unknown>((resolve) => {
      const timer = setTimeout(resolve, this.#signOutMs);
      void all.then(resolve).finally(() => clearTimeout(timer));
    });
  }

  async #endAtService(token: string, endpoint?: string): Promise<void> {
    const post = { method: 'POST', token, deadlineMs: this.#signOutMs } as const;
    // The service removes the session's subscription with it; one of an earlier session has to be named.
    if (endpoint !== undefined)
      await callService(this.#baseUrl, { ...post, path: '/api/push/unsubscribe', body: { endpoint } }).catch(
        ignore,
      );
    await callService(this.#baseUrl, { ...post, path: '/api/logout', body: {} });
  }
}

/** An end here counts also without an answer of the service, which ends the rest by itself. */
function ignore(): void {}
