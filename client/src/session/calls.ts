import { DoormanError } from '../errors.ts';
import type { Caller } from '../http/api.ts';
import { callService } from '../http/http.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import type { SessionStore } from './session-store.ts';

/** The endpoints that read the device's proofs. */
const WITH_PROOFS = new Set([
  '/api/register',
  '/api/login',
  '/api/token',
  '/api/user/change-password',
  '/api/password-link',
]);

/** Calls the service as the user who is signed in. */
export function openCalls(
  baseUrl: string,
  deadlineMs: number,
  session: SessionStore,
  storage: DoormanStorage,
): Caller {
  function signedIn() {
    if (!session.current) throw new DoormanError(401, 'signed_out', 'No user is signed in');
    return session.current;
  }

  return {
    userId: () => signedIn().userId,
    async call(method, path, body, access) {
      const caller = access === undefined ? signedIn() : session.current;
      const token = access === 'stranger' ? undefined : caller?.token;
      if (token !== undefined) session.renewIfStale();
      try {
        return await callService(baseUrl, {
          method,
          path,
          ...(body && { body }),
          token,
          deadlineMs,
          ...(WITH_PROOFS.has(path) && { proofs: storage }),
        });
      } catch (error) {
        // Renewing the token shows whether the session has ended.
        const isDoubtful = error instanceof DoormanError && error.error === 'unauthenticated';
        if (isDoubtful && token === session.current?.token) void session.renew();
        throw error;
      }
    },
  };
}
