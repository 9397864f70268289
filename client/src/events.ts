import type { FriendEntry, LogEventData, Picture, PresenceState, Snapshot } from './wire.ts';

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

/** A message was taken back: its text, reply and reactions are gone from both sides. */
export type UnsentEvent = LogEvent & LogEventData['unsent'] & { at: number };

/** A message has another text. Without `body`, from an older node during an update, the program reads the message by `api.history`. */
export type EditedEvent = LogEvent & LogEventData['edited'] & { at: number };

/** The one reaction of the user `by` to a message; empty: none any more. */
export type ReactionEvent = LogEvent & LogEventData['reaction'] & { at: number };

/** How the user keeps a conversation: all of it, each time. */
export type ConversationEvent = LogEvent & LogEventData['conversation'];

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
 * Why the session ended. After `signed_out` (here or in another tab), `ended` (from another device, or by a new password) and `leaving`
 * (the user asked for the deletion of the account) nothing stays on this device; after `expired` and `suspended` messages and changes
 * that wait stay until the same user signs in.
 */
export type SessionEnd = 'signed_out' | 'expired' | 'ended' | 'suspended' | 'leaving';

/** A picture to be sent with a message. The type of a blob is `image/jpeg`, `image/png` or `image/webp`. */
export interface OutgoingPicture {
  /** At most 1 MiB, and 2,560 pixels a side. */
  readonly blob: Blob;
  /** At most 32 KiB, and 480 pixels a side; left out: conversations load the picture itself. */
  readonly preview?: Blob;
  /** In pixels, for programs that show it before it is uploaded. */
  readonly width: number;
  readonly height: number;
}

/** A message of the user that the service has not stored yet. */
export interface Outgoing {
  to: string;
  cid: string;
  body: string;
  /** Number of the message of the conversation that it answers. */
  replyTo?: number;
  /** Its picture, without `id` until it is uploaded; `Doorman.outgoingPicture` has the bytes. */
  picture?: Omit<Picture, 'id'> & { id?: string };
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

/** Names an own message that may not be stored yet. */
export type OwnMessage = number | { readonly cid: string };

/** A change of a message that the service has not stored yet. */
export interface MessageChange {
  peer: string;
  kind: 'unsend' | 'edit' | 'react';
  /** Number of the message. Absent while the message itself is not stored, which then has a `cid`. */
  n?: number;
  cid?: string;
  /** The new text of an `edit`. */
  body?: string;
  /** The emoji of a `react`; empty where it removes the reaction. */
  emoji?: string;
  /** When it was made, epoch milliseconds. */
  writtenAt: number;
  /**
   * `waiting` is for a connection, or for what was written before it. The others are reported once, and the change is no longer in
   * `changes()`: `discarded` means that the message was discarded, or that an `unsend` makes the change needless.
   */
  state: 'waiting' | 'stored' | 'refused' | 'discarded';
  /** Why the service refused the change: the word of the envelope, such as `too_late` or `not_accepting`. */
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
  unsent: UnsentEvent;
  edited: EditedEvent;
  reaction: ReactionEvent;
  conversation: ConversationEvent;
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
  /** A change of a message, made by the user on this device, changed its state. */
  change: MessageChange;
  /**
   * The storage threw `error`, or did not answer in time if it is absent. Emitted once: from then on the kit holds everything
   * in memory while the program runs.
   */
  storage: { state: 'memory'; error?: unknown };
}

export type DoormanEvent = keyof DoormanEvents;

/** An entry of `api.friends`. */
export type { FriendEntry };
