import { readStored, writeStored } from '../../stored.ts';
import type { ConversationView } from '../chat/model/views.ts';

const KEY = 'doorman.push-invitation';
const QUIET_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Whether the user declined the invitation within the last 30 days.
 *
 * @param stored the stored moment in epoch milliseconds; null or any other text counts as not declined
 */
export function isDeclined(stored: string | null, now: number): boolean {
  const at = stored === null ? Number.NaN : Number(stored);
  // A moment in the future was stored while the clock was wrong.
  return at > now - QUIET_MS && at <= now;
}

/** Whether another user has written to the user, as far as the loaded conversations show. */
export function hasReceived(conversations: readonly ConversationView[]): boolean {
  // Only messages of the peer are marked as read.
  return conversations.some(
    ({ peer, last, unread, ownRead, isBlocked }) =>
      !isBlocked && (last?.from === peer || unread > 0 || ownRead > 0),
  );
}

/** Stored for the device, not for the user. Without storage the invitation returns with the next page. */
export function readDeclined(): boolean {
  return isDeclined(readStored(KEY), Date.now());
}

export function saveDeclined(): void {
  writeStored(KEY, String(Date.now()));
}
