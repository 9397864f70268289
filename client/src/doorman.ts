import type { ConnectionState, DoormanEvent, DoormanEvents, Outgoing, Session } from './events.ts';
import type { Api } from './http/api.ts';
import type { PushClient } from './push/push.ts';
import type { DoormanStorage } from './storage/storage.ts';
import type { LoginBody, PresenceState, RegisterBody } from './wire.ts';

export interface DoormanOptions {
  /** The address of the service, such as `https://chat.example.org`; in a page of its own, `location.origin`. */
  baseUrl: string;
  /** This device's word for itself, which the push log names, such as `Firefox on Linux`; up to 64 characters. */
  device?: string;
  /** Left out: IndexedDB where there is one, else memory. */
  storage?: DoormanStorage;
}

/**
 * One signed-in person on one device.
 *
 * A program listens with `on`, calls `restore` once, and calls `connect` when there is a session. From then on the kit
 * stays connected by itself, and tells `snapshot` whenever everything has to be taken anew, and events in between.
 */
export interface Doorman {
  /** One method for each endpoint; all throw `DoormanError`. */
  readonly api: Api;
  readonly session: Session | undefined;
  readonly connection: ConnectionState;
  readonly push: PushClient;
  /**
   * What the kit keeps on this device, for what a program keeps beside it. It always answers: when the storage of the
   * options fails or hangs for 2 s, it goes on in memory (`storage` event).
   */
  readonly storage: DoormanStorage;

  /**
   * Who was signed in on this device when it was last used. It asks nobody, so it works without a network; if the session
   * has ended meanwhile, `session` tells it as soon as the service can be reached.
   */
  restore(): Promise<Session | undefined>;
  signUp(body: RegisterBody): Promise<Session>;
  /** Whoever was signed in here before is signed out first. Other tabs that share the storage follow. */
  signIn(body: LoginBody): Promise<Session>;
  /**
   * Leaves nothing here but the device's proofs, which do not say whose they are: push subscription, storage, socket; other
   * tabs that share the storage leave too. Ends the session at the service, if that can be reached within 5 s. Does not
   * reject for what the service or the storage does.
   */
  signOut(): Promise<void>;

  /**
   * Stays connected from now on, whatever happens, until `disconnect` or the end of the session. Without a session it does
   * nothing. When another person signs in in another tab, it goes on as that person, after `session` told it.
   */
  connect(): void;
  disconnect(): void;
  /** Does not wait for the next try, as when a network came back; or asks whether the connection still is one. */
  reconnectNow(): void;
  /** Whether somebody is before this device; decides about pushes (`visible` and used within the last 60 s). */
  setView(view: { visible: boolean; active: boolean }): void;

  /**
   * Writes a message. It is kept until the service has it, over reloads too, and sent in order over the connection; without
   * `connect` it waits (`api.sendMessage` does not). Calling it again with the same `cid` is the same message, and gives the
   * same promise.
   *
   * @returns settles when it is stored; rejects with a `DoormanError` when it is refused, discarded (`discarded`), or the
   *   session ends before (`signed_out`). `outgoing` tells the same. Only the promise tells of what is never written: with
   *   `cid_used` when the `cid` is that of a message with another recipient or another body, with `bad_text` when one of
   *   the three has U+0000 or half a surrogate pair
   */
  send(to: string, body: string, cid?: string): Promise<Outgoing>;
  /** What is not stored yet, in the order it was written. */
  outgoing(): Outgoing[];
  /**
   * Sends a refused message again; `send` with its `cid` then gives a new promise.
   *
   * @param to only a message to this user: two tabs may have given one `cid` to two messages at the same moment
   */
  retry(cid: string, to?: string): void;
  /**
   * Forgets a message that is refused or still waits. One that is under way cannot be called back: nothing happens.
   *
   * @param to as for `retry`
   */
  discard(cid: string, to?: string): Promise<void>;

  /** The user has read up to message `n` of the peer: told once it can be, the greatest counts. */
  markRead(peer: string, n: number): void;
  /** At most once a second for a peer. */
  typing(to: string): void;
  /**
   * Wants to know how these people appear, until what is returned is called. Up to 500 in all; the latest asked count. Ids
   * that no user can have are left out.
   */
  watch(userIds: readonly string[]): () => void;
  /** How somebody who is watched was last seen. */
  presenceOf(userId: string): PresenceState | undefined;

  on<E extends DoormanEvent>(event: E, listener: (told: DoormanEvents[E]) => void): () => void;
}
