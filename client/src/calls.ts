import type { Caller } from './api.ts';
import { DoormanError } from './errors.ts';
import { callService } from './http.ts';
import type { SessionKeeper } from './session.ts';

/** Calls the service as whoever is signed in. */
export function openCalls(baseUrl: string, deadlineMs: number, session: SessionKeeper): Caller {
  function signedIn() {
    if (!session.current) throw new DoormanError(401, 'signed_out', 'Nobody is signed in');
    return session.current;
  }

  return {
    userId: () => signedIn().userId,
    async call(method, path, body, access) {
      const caller = access === undefined ? signedIn() : session.current;
      const token = access === 'stranger' ? undefined : caller?.token;
      if (token !== undefined) session.renewIfStale();
      try {
        return await callService(baseUrl, { method, path, ...(body && { body }), token, deadlineMs });
      } catch (error) {
        // Whether the session is at its end, asking for another token tells.
        const isDoubtful = error instanceof DoormanError && error.error === 'unauthenticated';
        if (isDoubtful && token === session.current?.token) void session.renew();
        throw error;
      }
    },
  };
}
