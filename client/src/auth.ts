import { DoormanError } from './errors.ts';
import type { Session } from './events.ts';
import { callService, type Envelope } from './http/http.ts';
import type { Push } from './push/push.ts';
import type { SessionStore } from './session/session-store.ts';
import { sessionIdOf } from './session/tokens.ts';
import type { Timeouts } from './timeouts.ts';
import type { OwnUser } from './wire.ts';

/** Signs in and out, with the effects on this device and at the service. */
export class Auth {
  readonly #baseUrl: string;
  readonly #getToken: (() => Promise<string | undefined>) | undefined;
  readonly #timeouts: Timeouts;
  readonly #session: SessionStore;
  readonly #push: Push;
  #ending: Promise<void> | undefined;
  #asking: Promise<Session | undefined> | undefined;
  /** By `performance.now()`. */
  #asksFrom = 0;
  #signOuts = 0;

  constructor(
    baseUrl: string,
    getToken: (() => Promise<string | undefined>) | undefined,
    timeouts: Timeouts,
    session: SessionStore,
    push: Push,
  ) {
    this.#baseUrl = baseUrl;
    this.#getToken = getToken;
    this.#timeouts = timeouts;
    this.#session = session;
    this.#push = push;
  }

  /**
   * Whether `getToken` is to be called by itself after an end that the user did not want: once a minute, as two devices may end
   * each other's sessions by it.
   */
  asksAgain(): boolean {
    const asks = this.#getToken !== undefined && performance.now() > this.#asksFrom;
    if (asks) this.#asksFrom = performance.now() + 60_000;
    return asks;
  }

  /** Signs in by `getToken`, if there is one and it has a token. Calls at the same time share one. */
  ask(): Promise<Session | undefined> {
    if (this.#asking) return this.#asking;
    const asking = this.#ask().finally(() => {
      // After a sign-out another one may have begun.
      if (this.#asking === asking) this.#asking = undefined;
    });
    this.#asking = asking;
    return asking;
  }

  /** The user signed out: a token that is still to come signs no user in. */
  forget(): void {
    this.#asking = undefined;
    this.#signOuts++;
  }

  async #ask(): Promise<Session | undefined> {
    const signOuts = this.#signOuts;
    let token: string | undefined;
    try {
      token = await this.#getToken?.();
    } catch (cause) {
      throw new DoormanError(0, 'no_token', 'getToken failed', { cause });
    }
    if (!token) return undefined;
    // A change of nothing names the user, if the session has not ended.
    const { data } = await this.#post(token, '/api/user/profile', {}, this.#timeouts.deadlineMs);
    // Another tab may have signed in, or this one by a password.
    const session = await this.#session.restore();
    if (!session && signOuts === this.#signOuts) return this.start({ ...(data as OwnUser), token });
    if (!session || sessionIdOf(session.token) !== sessionIdOf(token))
      void this.#endAtService(token).catch(ignore);
    return session;
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
    this.forget();
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
      const timer = setTimeout(resolve, this.#timeouts.signOutMs);
      void all.then(resolve).finally(() => clearTimeout(timer));
    });
  }

  async #endAtService(token: string, endpoint?: string): Promise<void> {
    // The service removes the session's subscription with it; one of an earlier session has to be named.
    if (endpoint !== undefined)
      await this.#post(token, '/api/push/unsubscribe', { endpoint }, this.#timeouts.signOutMs).catch(ignore);
    await this.#post(token, '/api/logout', {}, this.#timeouts.signOutMs);
  }

  #post(token: string, path: string, body: object, deadlineMs: number): Promise<Envelope> {
    return callService(this.#baseUrl, { method: 'POST', path, body, token, deadlineMs });
  }
}

/** An end here counts also without an answer of the service, which ends the rest by itself. */
function ignore(): void {}
