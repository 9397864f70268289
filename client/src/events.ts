import type { FriendEntry, LogEventData, PresenceState, Snapshot } from './wire.ts';

/** An event of the user's log. */
export interface LogEvent {
  /**
   * Its number in the log. A page of `api.conversations` or `api.friends` names the last event that it includes: events up to
   * that number are already in the page.
   */
  seq: number;
}

/** A message as it appears in the logs of both users. `at` is in epoch milliseconds. */
export type MessageEvent = LogEvent & LogEventData['message'] & { at: number };

/** How far the user or the peer is in a conversation; numbers only go up. */
export type MarkedEvent = LogEvent & LogEventData['marked'];

export type FriendEvent = LogEvent & LogEventData['friend'];

export type PrivacyEvent = LogEvent & LogEventData['privacy'];
export type QuietEvent = LogEvent & LogEventData['quiet'];
export type MessageRequestEvent = LogEvent & LogEventData['message_request'];
export type ReportEvent = LogEvent & LogEventData['report'];
export type AccountEvent = LogEvent & LogEventData['account'];

export type SettingsEvent = LogEvent & LogEventData['settings'];

export type ConnectionState =
  /** No user is signed in, or `disconnect` was called. */
  | { state: 'off' }
  | { state: 'connecting' }
  /** Every missed event was delivered. */
  | { state: 'live' }
  /** The next attempt is at `retryAt`, epoch milliseconds. */
  | { state: 'waiting'; retryAt: number }
  /**
   * There is no next attempt: another connection of the user took this one's place (`replaced`), or this client is faulty
   * (`broken`), as after three connections in a row that the service ended over a frame before it answered any.
   */
  | { state: 'stopped'; why: 'replaced' | 'broken' };

export interface Session {
  userId: string;
  username: string;
  token: string;
}

/**
 * Why the session ended. After `signed_out` (here or in another tab) and `ended` (from another device, or by a new password)
 * nothing stays on this device; after `expired` and `suspended` unsent messages wait until the same user signs in.
 */
export type SessionEnd = 'signed_out' | 'expired' | 'ended' | 'suspended';

/** A message of the user that the service has not stored yet. */
export interface Outgoing {
  to: string;
  cid: string;
  body: string;
  /** When it was written, epoch milliseconds. */
  writtenAt: number;
  /**
   * `waiting` is for a connection, or for an earlier message; `refused` stays until `retry` or `discard`; `stored` and
   * `discarded` are reported once, and the message is no longer in `outgoing()`.
   */
  state: 'waiting' | 'sending' | 'stored' | 'refused' | 'discarded';
  /** Of a stored message: its number in the conversation, and the time in epoch milliseconds. */
  n?: number;
  at?: number;
  /** Of a refused message: the word of the envelope, such as `not_accepting` or `unblock_first`. */
  error?: string;
}

/** The events of `doorman.on` and their data. */
export interface DoormanEvents {
  /** Another user is signed in, or none. */
  session: { session: Session | undefined; end?: SessionEnd };
  connection: ConnectionState;
  /**
   * Replaces all that the program knows from the log. It has the first page of each list; `next` has the cursors of longer
   * ones. Events that follow are later than the snapshot.
   */
  snapshot: Snapshot;
  message: MessageEvent;
  marked: MarkedEvent;
  friend: FriendEvent;
  block: LogEvent & LogEventData['block'];
  unblock: LogEvent & LogEventData['unblock'];
  /** The user's own profile. */
  profile: LogEvent & LogEventData['profile'];
  settings: SettingsEvent;
  /** Sessions of the user that ended. */
  sessions: LogEvent & LogEventData['sessions'];
  /** Who may reach the user, or what others see of them. */
  privacy: PrivacyEvent;
  quiet: QuietEvent;
  /** A stranger wrote to the user for the first time, or was answered. */
  message_request: MessageRequestEvent;
  /** The operator decided about a report of the user. */
  report: ReportEvent;
  /** Something happened to the account that the user should check. */
  account: AccountEvent;
  /** The changed presence of watched users. */
  presence: PresenceState[];
  /** A user is typing; valid for about three seconds. */
  typing: { from: string };
  /** A message of the user changed its state. */
  outgoing: Outgoing;
  /**
   * The storage threw `error`, or did not answer in time if it is absent. Emitted once: from then on the kit holds everything
   * in memory while the program runs.
   */
  storage: { state: 'memory'; error?: unknown };
}

export type DoormanEvent = keyof DoormanEvents;

/** An entry of `api.friends`. */
export type { FriendEntry };
