import type { LogEvent } from '../events/log-events.ts';
import type { FrameSender } from '../frames/define-frame.ts';
import type { Caller } from '../http/authenticate.ts';
import { type Device, MAX_UNSENT_BYTES } from '../inbox/delivery.ts';
import type { PresenceState } from '../presence/schemas.ts';
import type { WatchingDevice } from '../presence/watchers.ts';
import type { Start } from '../sync/start.ts';
import { closeCodes } from './close-codes.ts';
import type { Hello } from './frames-in.ts';
import type { FrameOut } from './frames-out.ts';

/** The connection, as its session uses it. */
interface Transport {
  readonly unsentBytes: number;
  sendFrame(frame: FrameOut): void;
  close(code: number, reason: string): void;
}

/**
 * The state of a connection from its accepted `hello` on: the user and session, which events were written and acknowledged,
 * and whether the device is visible and active. It is all that rooms see of a connection; only its methods change it.
 */
export class SocketSession implements FrameSender, Device, WatchingDevice {
  readonly transport: Transport;
  readonly userId: string;
  readonly sessionId: string;
  readonly device: string;
  /** The epoch of its position; another one makes the position void. */
  readonly epoch: string;
  /** The number of the user's last event when `hello` was accepted. */
  readonly head: number;
  /** When `hello` was accepted, in epoch milliseconds. */
  readonly openedAt: number;
  readonly #onUnblock: (session: SocketSession, userId: string) => void;
  #expiresAt: number;
  #isVisible: boolean;
  #isActive: boolean;
  #saidGoodbye = false;
  #seq: number;
  #ackedSeq = 0;
  #isLive = false;
  /** The users that the `block` frames written to this connection name; null if there are none. */
  #blocked: Set<string> | null;

  /** @param onUnblock called when the `unblock` frame of a user was written */
  constructor(
    transport: Transport,
    { userId, sessionId, expiresAt }: Caller,
    { device = '', visible = true, active = visible }: Hello,
    { epoch, head, cursor, blocked }: Start,
    openedAt: number,
    onUnblock: (session: SocketSession, userId: string) => void,
  ) {
    this.transport = transport;
    this.userId = userId;
    this.sessionId = sessionId;
    this.device = device;
    this.epoch = epoch;
    this.head = head;
    this.openedAt = openedAt;
    this.#onUnblock = onUnblock;
    this.#expiresAt = expiresAt;
    this.#isVisible = visible;
    this.#isActive = active;
    this.#seq = cursor;
    this.#blocked = blocked.size > 0 ? new Set(blocked) : null;
  }

  /** When the newest token of the session expires, in epoch milliseconds. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  get isAttentive(): boolean {
    return this.#isVisible && this.#isActive;
  }

  get saidGoodbye(): boolean {
    return this.#saidGoodbye;
  }

  /** The number of the last event that was written, at first of the last one that the device has. */
  get seq(): number {
    return this.#seq;
  }

  get ackedSeq(): number {
    return this.#ackedSeq;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  get unsentBytes(): number {
    return this.transport.unsentBytes;
  }

  /** Extends the session until the expiry of another of its tokens; an earlier one changes nothing. */
  extendUntil(expiresAt: number): void {
    this.#expiresAt = Math.max(this.#expiresAt, expiresAt);
  }

  setVisibility(isVisible: boolean, isActive: boolean): void {
    this.#isVisible = isVisible;
    this.#isActive = isActive;
  }

  sayGoodbye(): void {
    this.#saidGoodbye = true;
  }

  acknowledge(seq: number): boolean {
    const acked = Math.min(seq, this.#seq);
    if (acked <= this.#ackedSeq) return false;
    this.#ackedSeq = acked;
    return true;
  }

  writeEvent(event: LogEvent): void {
    this.#seq = event.seq;
    this.transport.sendFrame({ type: 'event', ...event });
    if (event.event !== 'block' && event.event !== 'unblock') return;
    const { userId } = event.data;
    this.#blocked ??= new Set();
    if (event.event === 'block') this.#blocked.add(userId);
    else if (this.#blocked.delete(userId)) this.#onUnblock(this, userId);
  }

  goLive(): void {
    this.#isLive = true;
    this.transport.sendFrame({ type: 'live' });
  }

  overflow(): void {
    this.transport.close(closeCodes.tooSlow, 'too_far_behind');
  }

  /** Writes the presence of these users, except blocked ones. */
  writePresence(users: readonly PresenceState[]): void {
    const shown = users.filter(({ id }) => !this.#blocked?.has(id));
    if (shown.length > 0) this.transport.sendFrame({ type: 'presence', users: shown });
  }

  /** Writes that `from` is typing, unless they are blocked or much output waits. */
  writeTyping(from: string): void {
    if (this.#isLive && !this.#blocked?.has(from) && this.unsentBytes < MAX_UNSENT_BYTES)
      this.transport.sendFrame({ type: 'typing', from });
  }
}
