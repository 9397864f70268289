import { DoormanError } from './errors.ts';
import { encode, withQuery } from './http/api.ts';
import { callService, type Envelope, readBaseUrl } from './http/http.ts';
import type * as Wire from './wire.ts';

export interface BackendOptions {
  /** The address of the service, such as `https://chat.example.org`, or one that only your backend reaches. */
  baseUrl: string;
  /** What `doorman api-key add` printed: `dk_` and 43 letters. */
  key: string;
  /** How long a call waits in all for the limit of the key (429 with `Retry-After`); left out: two minutes. */
  maxWaitMs?: number;
  /** The time limit of a call to the service; left out: 15 s. */
  deadlineMs?: number;
}

/**
 * What a product's backend does by its API key, one method for each route below `/api/admin/` (the service's `/docs`). Each may be
 * repeated after a lost answer; what is gone then is `user_not_found` or `session_not_found`. All throw `DoormanError`.
 */
export interface Backend {
  /**
   * Creates a user with an id of the product, or changes the fields that are sent. The password counts at creation alone.
   *
   * @throws {DoormanError} `username_fixed`, `username_taken`, `user_deleted`, `email_taken`
   */
  putUser(body: Wire.PutUserBody): Promise<Wire.PutUserAnswer>;
  /** Also a suspended or deleted one. @throws {DoormanError} `user_not_found` */
  getUser(userId: string): Promise<Wire.AdminUser>;
  /** A page of all users by id, also deleted ones. `next` is the cursor of the next page; absent on the last. */
  listUsers(query?: {
    /** 1 to 1000; left out: 1000. */
    limit?: number;
    after?: string;
  }): Promise<{ users: Wire.AdminUser[]; next?: string }>;
  /** Refuses the user's sign-ins, and ends their sessions. */
  suspendUser(userId: string): Promise<void>;
  restoreUser(userId: string): Promise<void>;
  /** Cannot be undone. Their name stays taken. */
  deleteUser(userId: string): Promise<void>;
  /** Of up to 100 users, whatever they show to others, in the order asked; unknown ones are left out. */
  presenceOf(userIds: readonly string[]): Promise<Wire.UserPresence[]>;

  /**
   * Opens a session of a user whom the backend has recognized; its token is what `getToken` of `createDoorman` returns. Asks for no
   * second factor.
   *
   * @throws {DoormanError} `account_suspended`
   */
  signInUser(body: Wire.SignInBody): Promise<Wire.SignedIn>;
  /** Ends a session, or without its id all of the user. No node takes their tokens once it resolves. */
  endSessionsOfUser(userId: string, sessionId?: string): Promise<Wire.EndedSessions>;

  /** Whatever the two accept from others. @throws {DoormanError} 403 with a block between them */
  setFriends(userId: string, peerId: string, friends: boolean): Promise<Wire.SetFriendsAnswer>;
  /** Nothing of the blocked user reaches the user once it resolves. */
  blockAsUser(userId: string, blockedId: string): Promise<Wire.BlockedUser>;
  unblockAsUser(userId: string, blockedId: string): Promise<void>;

  /**
   * Sends 1 to 100 messages, up to 64 KiB together.
   *
   * @returns for each, in order, what was stored, or `error` and `msg` of its refusal; a refused one does not stop the others
   */
  sendMessages(messages: readonly Wire.KeyMessage[]): Promise<Wire.SentMessage[]>;
}

const MAX_WAIT_MS = 120_000;
const DEADLINE_MS = 15_000;

/**
 * For servers only, as the key may act as every user.
 *
 * @throws {Error} where there is a `window`
 * @throws {TypeError} if `baseUrl` is not an address of http or https, or `key` does not look like a key
 */
export function createBackend(options: BackendOptions): Backend {
  if (typeof window !== 'undefined')
    throw new Error('createBackend is for servers: no page may have an API key');
  const call = openKeyCalls(options);
  const get = async <Data>(path: string) => (await call('GET', path)).data as Data;
  const post = async <Data>(path: string, body: object) => (await call('POST', path, body)).data as Data;

  return {
    putUser: (body) => post('/users', body),
    getUser: async (userId) => get(`/users/${encode(userId)}`),
    async listUsers({ limit, after } = {}) {
      const { data, next } = await call('GET', withQuery('/users', { limit, after }));
      return { users: data as Wire.AdminUser[], ...(next !== undefined && { next }) };
    },
    suspendUser: (userId) => post('/users/suspend', { userId }),
    restoreUser: (userId) => post('/users/restore', { userId }),
    deleteUser: (userId) => post('/users/delete', { userId }),
    // No user has an id with a comma, which separates them.
    async presenceOf(userIds) {
      const ids = userIds.filter((id) => !id.includes(','));
      if (ids.length === 0) return [];
      // Escaped, a hundred ids could exceed what HTTP servers read of an address.
      return get(`/presence?ids=${encode(ids.join(',')).replace(/%(?:2C|3A|40|7C)/g, decodeURIComponent)}`);
    },

    signInUser: (body) => post('/sessions', body),
    endSessionsOfUser: (userId, sessionId) =>
      post('/sessions/end', {
        userId,
        ...(sessionId !== undefined && { sessionId }),
      } satisfies Wire.EndSessionsBody),

    setFriends: (userId, peerId, friends) =>
      post('/friends/set', { userId, peerId, friends } satisfies Wire.SetFriendsBody),
    blockAsUser: (userId, blockedId) => post('/block', { userId, blockedId } satisfies Wire.BlockOfBody),
    unblockAsUser: (userId, blockedId) => post('/unblock', { userId, blockedId } satisfies Wire.BlockOfBody),

    sendMessages: (messages) => post('/messages', { messages }),
  };
}

type KeyCall = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Envelope>;

/** Calls the service by the key. All calls of a key count in one limit, so all of them wait when one is refused for a while. */
function openKeyCalls({
  key,
  maxWaitMs = MAX_WAIT_MS,
  deadlineMs = DEADLINE_MS,
  ...rest
}: BackendOptions): KeyCall {
  const baseUrl = readBaseUrl(rest.baseUrl);
  if (!/^dk_[\w-]{43}$/.test(key)) throw new TypeError('key must be what `doorman api-key add` printed');
  /** No call is made before, by `performance.now()`. */
  let pausedUntil = 0;

  return async (method, path, body) => {
    const giveUpAt = performance.now() + maxWaitMs;
    for (;;) {
      // Again after a wait, as another call may have been refused for longer meanwhile.
      for (;;) {
        const waitMs = Math.min(pausedUntil, giveUpAt) - performance.now();
        if (waitMs <= 0) break;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
      try {
        const sent = { method, path: `/api/admin${path}`, ...(body && { body }) };
        return await callService(baseUrl, { ...sent, token: key, deadlineMs });
      } catch (error) {
        // The service has done nothing of a call that it answers so.
        const waitMs = error instanceof DoormanError && error.code === 429 ? error.retryAfterMs : undefined;
        if (waitMs === undefined || performance.now() + waitMs > giveUpAt) throw error;
        pausedUntil = Math.max(pausedUntil, performance.now() + waitMs);
      }
    }
  };
}
