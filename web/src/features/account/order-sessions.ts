import type { SessionEntry } from 'doorman-client';

/** This device, then those that are in use, then the others by their last use. */
export function orderSessions(sessions: readonly SessionEntry[]): SessionEntry[] {
  return sessions.toSorted(
    (one, other) =>
      other.current - one.current ||
      other.active - one.active ||
      other.last_used - one.last_used ||
      other.create_time - one.create_time,
  );
}
