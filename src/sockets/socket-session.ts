import type { LogEvent } from '../events/log-events.ts';
import type { FrameSender } from '../frames/frame-sender.ts';
import type { Caller } from '../http/authenticate.ts';
import { type Device, MAX_UNSENT_BYTES } from '../inbox/delivery.ts';
import type { ConnectionHere } from '../presence/online-users.ts';
import type { PresenceState } from '../presence/schemas.ts';
import type { Watchers } from '../presence/watchers.ts';
import type { WatchingDevice } from '../presence/watching-devices.ts';
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
 * and whether the device is visible and active. Rooms see a connection only by this, and by interfaces without a field to set.
 */
export class SocketSession implements FrameSender, Device, WatchingDevice, ConnectionHere {
  readonly transport: Transport;
  readonly userId: string;
  readonly sessionId: string;
  readonly device: string;
  /** When `hello` was accepted, in epoch milliseconds. */
  readonly openedAt: number;
  /** When the newest token of the session expires, in epoch milliseconds. */
  expiresAt: number;
  isActive: boolean;
  saidGoodbye = false;
  /** The number of the last event that was written, at first of the last one that the device has. */
  seq: number;
  ackedSeq = 0;
  isLive = false;
  readonly #watchers: Pick<Watchers, 'resumeShowing'>;
  #isVisible: boolean;
  /** Made for the first frame that needs it: most connections send none. */
  #leaving: AbortController | undefined;
  /** The users that the `block` frames written to this connection name; null if there are none. */
  #blocked: Set<string> | null;

  /** @param watchers show users again whose `unblock` frame was written */
  constructor(
    transport: Transport,
    { userId, sessionId, expiresAt }: Caller,
    { device = '', visible = true, active = visible }: Hello,
    { cursor, blocked }: Start,
    openedAt: number,
    watchers: Pick<Watchers, 'resumeShowing'>,
  ) {
    this.transport = transport;
    this.userId = userId;
    this.sessionId = sessionId;
    this.device = device;
    this.openedAt = openedAt;
    this.#watchers = watchers;
    this.expiresAt = expiresAt;
    this.#isVisible = visible;
    this.isActive = active;
    this.seq = cursor;
    this.#blocked = blocked.size > 0 ? new Set(blocked) : null;
  }

  get isAttentive(): boolean {
    return this.#isVisible && this.isActive;
  }

  get unsentBytes(): number {
    return this.transport.unsentBytes;
  }

  get leaving(): AbortSignal {
    this.#leaving ??= new AbortController();
    return this.#leaving.signal;
  }

  /** The connection has ended: no frame of it is answered any more. */
  leave(): void {
    this.#leaving?.abort();
  }

  /** Extends the session until the expiry of another of its tokens; an earlier one changes nothing. */
  extendUntil(expiresAt: number): void {
    this.expiresAt = Math.max(this.expiresAt, expiresAt);
  }

  setVisibility(isVisible: boolean, isActive: boolean): void {
    this.#isVisible = isVisible;
    this.isActive = isActive;
  }

  acknowledge(seq: number): boolean {
    const acked = Math.min(seq, this.seq);
    if (acked <= this.ackedSeq) return false;
    this.ackedSeq = acked;
    return true;
  }

  writeEvent(event: LogEvent): void {
    this.seq = event.seq;
    this.transport.sendFrame({ type: 'event', ...event });
    if (event.event !== 'block' && event.event !== 'unblock') return;
    const { userId } = event.data;
    this.#blocked ??= new Set();
    if (event.event === 'block') this.#blocked.add(userId);
    else if (this.#blocked.delete(userId)) this.#watchers.resumeShowing(this, userId);
  }

  goLive(): void {
    this.isLive = true;
    this.transport.sendFrame({ type: 'live' });
  }

  overflow(): void {
    this.transport.close(closeCodes.tooSlow, 'too_far_behind');
  }

  displace(): void {
    this.transport.close(closeCodes.tooMany, 'too_many_sockets');
  }

  /** Writes the presence of these users, except blocked ones. */
  writePresence(users: readonly PresenceState[]): void {
    const shown = users.filter(({ id }) => !this.#blocked?.has(id));
    if (shown.length > 0) this.transport.sendFrame({ type: 'presence', users: shown });
  }

  /** Writes that `from` is typing, unless they are blocked or much output waits. */
  writeTyping(from: string): void {
    if (this.isLive && !this.#blocked?.has(from) && this.unsentBytes < MAX_UNSENT_BYTES)
      this.transport.sendFrame({ type: 'typing', from });
  }
}
