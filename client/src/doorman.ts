import type {
  ConnectionState,
  DoormanEvent,
  DoormanEvents,
  MessageChange,
  Outgoing,
  OutgoingPicture,
  OwnMessage,
  Session,
} from './events.ts';
import type { Api } from './http/api.ts';
import type { PushClient } from './push/push.ts';
import type { DoormanStorage, KitStorage } from './storage/storage.ts';
import type { DeletionAsked, LoginBody, PresenceState, RegisterBody } from './wire.ts';

export interface DoormanOptions {
  /** The address of the service, such as `https://chat.example.org`; in a page that the service serves, `location.origin`. */
  baseUrl: string;
  /** This device's name, which the push log shows, such as `Firefox on Linux`; up to 64 characters. */
  device?: string;
  /** Left out: IndexedDB where there is one, else memory. */
  storage?: DoormanStorage;
  /**
   * The token of a session that the program's own backend opened (`signInUser` of `doorman-client/server`); `undefined` if it knows
   * no user here. Called by `restore` when no session is stored, and by itself after a session ended, at most once a minute, but not
   * after `signOut` and `deleteAccount`.
   */
  getToken?: () => Promise<string | undefined>;
}

export interface SendOptions {
  /** The message's own name; left out: a random one. */
  cid?: string;
  /** Number of the message of this conversation that it answers. */
  replyTo?: number;
  /**
   * A picture, beside which the text may be empty. It is on the device until the message is stored; it is uploaded, then its id is
   * stored, then the message is sent.
   */
  picture?: OutgoingPicture;
  /**
   * A key of `storage`, such as that of the draft, which is removed in the transaction that stores the message on the device: a program
   * that ends at any time finds either its draft or the message.
   */
  draftKey?: string;
}

/**
 * One signed-in user on one device.
 *
 * A program adds listeners with `on`, calls `restore` once, and calls `connect` when there is a session. From then on the kit
 * stays connected by itself. It emits `snapshot` when the program has to replace all it knows, and events in between.
 */
export interface Doorman {
  /** One method for each endpoint; all throw `DoormanError`. */
  readonly api: Api;
  readonly session: Session | undefined;
  readonly connection: ConnectionState;
  readonly push: PushClient;
  /**
   * The kit's storage, for a program's own values too. It always answers: when the storage of the options fails or hangs for
   * 2 s, it switches to memory (event `storage`).
   */
  readonly storage: KitStorage;

  /**
   * The session that is stored on this device. It works without a network; if the session has ended meanwhile, the event
   * `session` follows as soon as the service can be reached. Without a stored session it signs in by `getToken`.
   *
   * @throws {DoormanError} `no_token`: `getToken` failed, with the `cause`; or the service's refusal of its token
   */
  restore(): Promise<Session | undefined>;
  signUp(body: RegisterBody): Promise<Session>;
  /**
   * Signs out another user who is signed in here first. Other tabs that share the storage follow.
   *
   * @throws {AccountLeaving} its user asked for the deletion of the account, which `keepAccount` can take back
   */
  signIn(body: LoginBody): Promise<Session>;
  /**
   * Takes the deletion of an account back, by the ticket of an `AccountLeaving`, and signs in. Everything is as before but the sessions
   * and the notifications of the devices.
   *
   * @throws {DoormanError} `ticket_invalid`, `account_suspended`
   */
  keepAccount(ticket: string): Promise<Session>;
  /**
   * Removes everything here: push subscription, storage, socket. Only the device's proofs stay, which do not show the user.
   * Other tabs that share the storage sign out too. Ends the session at the service if it can be reached within 5 s. Does not
   * reject because of the service or the storage.
   */
  signOut(): Promise<void>;

  /**
   * Asks for the deletion of the account (`api.deleteAccount`), and removes everything here as `signOut` does. The session ends with
   * `leaving`, as it does in other tabs and on the user's other devices that are connected.
   *
   * @throws {DoormanError} `confirm_required`; nothing is removed then
   */
  deleteAccount(): Promise<DeletionAsked>;

  /**
   * Stays connected until `disconnect` or the end of the session, over any network failure. Without a session it does nothing.
   * When another user signs in in another tab, it continues as that user, after the event `session`.
   */
  connect(): void;
  disconnect(): void;
  /** Starts the next attempt at once, as after the network came back. With a live connection: checks it by a ping. */
  reconnectNow(): void;
  /** Whether the user is at this device (`visible`, and used within the last 60 s), on which pushes depend. */
  setView(view: { visible: boolean; active: boolean }): void;

  /**
   * Sends a message. It stays in the storage until the service has it, over reloads too, and is sent in order over the
   * connection; without `connect` it waits (`api.sendMessage` does not). A second call with the same `cid` is the same
   * message, and returns the same promise.
   *
   * @returns settles when the message is stored; rejects with a `DoormanError` when it is refused, discarded (`discarded`), or
   *   the session ends before (`signed_out`). The event `outgoing` reports the same. Only the promise reports a message that
   *   is not accepted: `cid_used` if the `cid` is that of a message with another recipient, body or reply, or if one of both has a
   *   picture, `bad_text` if recipient, body or `cid` contains U+0000 or half a surrogate pair
   */
  send(to: string, body: string, options?: SendOptions): Promise<Outgoing>;
  /** The same with `{ cid, draftKey }`. */
  send(to: string, body: string, cid?: string, draftKey?: string): Promise<Outgoing>;
  /** The messages that the service has not stored yet, in the order in which they were written. */
  outgoing(): Outgoing[];
  /** The picture of a message of `outgoing()`; `undefined` once the service has stored the message. @param to as for `retry` */
  outgoingPicture(cid: string, to?: string): Promise<OutgoingPicture | undefined>;
  /**
   * Sends a refused message again; `send` with its `cid` then gives a new promise.
   *
   * @param to only a message to this user: two tabs may give one `cid` to two messages at the same moment
   */
  retry(cid: string, to?: string): void;
  /**
   * Removes a message that is refused or still waits, also while its picture is uploaded. Does nothing for one that is being sent.
   *
   * @param to as for `retry`
   */
  discard(cid: string, to?: string): Promise<void>;

  /**
   * Takes an own message back, for both sides. Like `edit` and `react` it returns at once, and the event `change` reports what becomes
   * of it. A change waits for the connection, over reloads too, and goes before later messages to that peer; of one message and kind the
   * last one counts. A message that was never sent is discarded (event `outgoing`, no `change`).
   *
   * @param message its number, or its `cid` as in `outgoing()`
   */
  unsend(peer: string, message: OwnMessage): void;
  /**
   * Gives an own message another text. A message that was never sent, or was refused, gets the text and waits (event `outgoing`, no
   * `change`).
   *
   * @param message as for `unsend`
   */
  edit(peer: string, message: OwnMessage, body: string): void;
  /** Sets the user's one reaction to a message of either side. @param emoji exactly one, or empty to remove it */
  react(peer: string, n: number, emoji: string): void;
  /** The changes of messages that the service has not stored yet, in the order in which they were made. */
  changes(): MessageChange[];

  /**
   * The user has read up to message `n` of the peer, and the conversation is no longer marked as unread. It is sent as soon as
   * possible; the greatest `n` counts.
   */
  markRead(peer: string, n: number): void;
  /** The user is typing. Sent at most once a second to each peer. */
  typing(to: string): void;
  /**
   * Subscribes to the presence of these users (event `presence`), up to 500 in all: the latest count. Ids that no user can
   * have are left out.
   *
   * @returns ends the subscription
   */
  watch(userIds: readonly string[]): () => void;
  /** The latest known presence of a watched user. */
  presenceOf(userId: string): PresenceState | undefined;

  on<E extends DoormanEvent>(event: E, listener: (data: DoormanEvents[E]) => void): () => void;
}
