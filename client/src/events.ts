import type { FriendEntry, LogEventData, PresenceState, Snapshot } from './wire.ts';

/** An event of the user's log. */
export interface LogEvent {
  /**
   * Its number in the log. A page of `api.conversations` or `api.friends` has the number up to which it is true: events that are
   * not above it are in the page already.
   */
  seq: number;
}

/** A message as it appears in the log of either of the two. `at` is in epoch milliseconds. */
export type MessageEvent = LogEvent & LogEventData['message'] & { at: number };

/** How far the user or the peer is in a conversation; numbers only go up. */
export type MarkedEvent = LogEvent & LogEventData['marked'];

export type FriendEvent = LogEvent & LogEventData['friend'];

export type SettingsEvent = LogEvent & LogEventData['settings'];

export type ConnectionState =
  /** Nobody is signed in, or `disconnect` was called. */
  | { state: 'off' }
  | { state: 'connecting' }
  /** All that was missed has come. */
  | { state: 'live' }
  /** It is tried again at `retryAt`, epoch milliseconds. */
  | { state: 'waiting'; retryAt: number }
  /**
   * It will not be tried again: another place was taken over (`replaced`), or this client is wrong (`broken`), as after
   * three connections in a row that the service ended over a frame before it answered anything.
   */
  | { state: 'stopped'; why: 'replaced' | 'broken' };

export interface Session {
  userId: string;
  username: string;
  token: string;
}

/**
 * Why there is no session any more. After `signed_out` (here or in another tab) and `ended` (from another device, or by a new
 * password) nothing is kept here; after `expired` and `suspended` what was written waits until the same person signs in.
 */
export type SessionEnd = 'signed_out' | 'expired' | 'ended' | 'suspended';

/** A message of one's own on its way. */
export interface Outgoing {
  to: string;
  cid: string;
  body: string;
  /** When it was written, epoch milliseconds. */
  writtenAt: number;
  /**
   * `waiting`: for a connection, or for its turn; `refused` stays until `retry` or `discard`; `stored` and `discarded` are
   * told once, and it is no more in `outgoing()`.
   */
  state: 'waiting' | 'sending' | 'stored' | 'refused' | 'discarded';
  /** Of what is stored: its number in the conversation, and when. */
  n?: number;
  at?: number;
  /** Of what is refused: the word of the envelope, such as `not_accepting` or `unblock_first`. */
  error?: string;
}

/** What `doorman.on` tells, and what of it. */
export interface DoormanEvents {
  /** Another person, or nobody any more. */
  session: { session: Session | undefined; end?: SessionEnd };
  connection: ConnectionState;
  /**
   * What the program knew of the log is void. This is the first page of each list; `next` has the cursors of longer ones.
   * Events that follow are later than this.
   */
  snapshot: Snapshot;
  message: MessageEvent;
  marked: MarkedEvent;
  friend: FriendEvent;
  block: LogEvent & LogEventData['block'];
  unblock: LogEvent & LogEventData['unblock'];
  /** The user's own. */
  profile: LogEvent & LogEventData['profile'];
  settings: SettingsEvent;
  /** Sessions of the user that ended. */
  sessions: LogEvent & LogEventData['sessions'];
  /** How people appear whom somebody watches, whenever one of them changes. */
  presence: PresenceState[];
  /** Somebody types; good for about three seconds. */
  typing: { from: string };
  /** A message of one's own changed its state. */
  outgoing: Outgoing;
  /**
   * The storage threw `error`, or did not answer in time where there is none: from now on the kit keeps everything in memory,
   * as long as the program runs. Once.
   */
  storage: { state: 'memory'; error?: unknown };
}

export type DoormanEvent = keyof DoormanEvents;

/** As `api.friends` answers them. */
export type { FriendEntry };
