import { DoormanError } from '../errors.ts';
import type { Caller } from '../http/api.ts';
import { callService, fetchPicture } from '../http/http.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import type { Timeouts } from '../timeouts.ts';
import type { SessionStore } from './session-store.ts';

/** The endpoints that read the device's proofs. */
const WITH_PROOFS = new Set([
  '/api/register',
  '/api/login',
  '/api/account/keep',
  '/api/token',
  '/api/user/change-password',
  '/api/password-link',
]);

/** Calls the service as the user who is signed in. */
export function openCalls(
  baseUrl: string,
  { deadlineMs, transferMs }: Pick<Timeouts, 'deadlineMs' | 'transferMs'>,
  session: SessionStore,
  storage: DoormanStorage,
): Caller {
  function signedIn() {
    if (!session.current) throw new DoormanError(401, 'signed_out', 'No user is signed in');
    return session.current;
  }

  /** @param attempt the call with the token of the user, if one is signed in */
  async function withToken<T>(
    access: 'public' | 'stranger' | undefined,
    attempt: (token: string | undefined) => Promise<T>,
  ): Promise<T> {
    const caller = access === undefined ? signedIn() : session.current;
    const token = access === 'stranger' ? undefined : caller?.token;
    if (token !== undefined) session.renewIfStale();
    try {
      return await attempt(token);
    } catch (error) {
      // Renewing the token shows whether the session has ended.
      const isDoubtful = error instanceof DoormanError && error.error === 'unauthenticated';
      if (isDoubtful && token === session.current?.token) void session.renew();
      throw error;
    }
  }

  return {
    userId: () => signedIn().userId,
    call: (method, path, body, access, signal) =>
      withToken(access, (token) =>
        callService(baseUrl, {
          method,
          path,
          ...(body && { body }),
          token,
          deadlineMs: body instanceof Blob ? transferMs : deadlineMs,
          signal,
          ...(WITH_PROOFS.has(path) && { proofs: storage }),
        }),
      ),
    picture: (path) =>
      withToken(undefined, (token) =>
        fetchPicture(baseUrl, { method: 'GET', path, token, deadlineMs: transferMs }),
      ),
  };
}
