import type { Duplex } from 'node:stream';
import { type RawData, WebSocket } from 'ws';
import type { LogEvent } from '../events/log-events.ts';
import type { PresenceState } from '../presence/schemas.ts';
import { closeCodes, LIBRARY_TOO_LARGE } from './close-codes.ts';
import type { FrameOut } from './frames-out.ts';

/** While more of its output waits than this, a connection gets nothing that can wait, and is not asked for more. */
export const MAX_UNSENT_BYTES = 64 * 1024;
/** Between two pings by whose pongs we see how far the client has read. */
const MARK_EVERY_BYTES = 16 * 1024;

const asText = { binary: false };

/** What all connections share: who handles what they do. */
export interface Listener {
  /** A message came; its bytes may lie within more that came with it. */
  heard(connection: Connection, message: Buffer, isBinary: boolean): void;
  /** An unsolicited ping or pong of RFC 6455 came. */
  heardControl(connection: Connection): void;
  /** Some of its output has left, or was read. */
  drained(connection: Connection): void;
  /** The `unblock` frame of `userId` was written to it. */
  unblocked(connection: Connection, userId: string): void;
  /** This process was held up, and does not know yet who may still be written to. */
  readonly isHeldUp: boolean;
  /** Once: from now on the connection counts for nothing, though its last bytes may still be under way. */
  left(connection: Connection): void;
  /** Once, after that: nothing of it is open any more. */
  closed(connection: Connection): void;
}

/**
 * One connection of a client, with what must be remembered of it; thousands of them wait idle, so this is little, and
 * none has functions of its own. It is the library's object itself, because that lets every way of ending pass by
 * {@link close} and {@link terminate}.
 */
export class Connection extends WebSocket {
  /** '' until `hello` was accepted. */
  userId = '';
  sessionId = '';
  /** The client's own word for itself, as `hello` said it. */
  device = '';
  /** What its address is counted by, until `hello` was accepted. */
  addressKey = '';
  /** Epoch milliseconds: when the newest of its tokens expires. */
  expiresAt = 0;
  /** Monotonic milliseconds: when the heartbeat has to look after it. */
  dueAt = 0;
  /** Monotonic milliseconds: until when its frames so far use up the budget. */
  paidUntil = 0;
  /** A ping is under way. */
  isPinged = false;
  /** Something came since that ping. */
  isHeard = false;
  /** What came while a request was still worked on, or while output waits; null while there is nothing of that. */
  waiting: Buffer[] | null = null;
  /** Nothing is worked on: it is the output that waits. */
  isHeld = false;
  /** {@link progress} as the heartbeat last saw it move, and when: monotonic milliseconds. */
  progressSeen = 0;
  progressAt = 0;
  isVisible = false;
  isActive = false;
  saidBye = false;
  /** The number of the last event that was written to it, or from which on it is served. */
  seq = 0;
  /** The user's last event when the connection came. */
  liveAt = 0;
  /** It was written up to there. */
  isLive = false;
  /** How far it acknowledged the events. */
  ackedSeq = 0;
  /** The users whom its user blocks, by the frames that were written to it. */
  blocked: Set<string> | null = null;
  #listener: Listener | null = null;
  /** What it is written to. */
  #stream: Duplex | null = null;
  #hasLeft = false;
  /** Replies that were ready while the process was held up. */
  #late: FrameOut[] | null = null;
  /** Counted from its beginning: bytes of frames that were sent, those before the last mark, those that were read. */
  #sentBytes = 0;
  #markedBytes = 0;
  #readBytes = 0;

  /** @param stream the one that was upgraded, to which the library writes */
  attach(listener: Listener, stream: Duplex): void {
    this.#listener = listener;
    this.#stream = stream;
    this.on('message', onMessage);
    this.on('ping', onPing);
    this.on('pong', onPong);
    this.on('error', onError);
    this.on('close', onClose);
  }

  get listener(): Listener | null {
    return this.#listener;
  }

  /** Whether it counts for nothing any more, though it may not be closed yet. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  get isOpen(): boolean {
    return this.readyState === WebSocket.OPEN;
  }

  /** Visible and active: the user sees what comes (architecture 8.1). */
  get isAttentive(): boolean {
    return this.isVisible && this.isActive;
  }

  /**
   * Bytes that wait for the client: what the system did not take yet and, by the pongs, what the client did not read. The
   * system alone would take megabytes for a client that reads nothing. Infinite while this process may not write.
   */
  get unsentBytes(): number {
    if (this.#listener?.isHeldUp) return Number.POSITIVE_INFINITY;
    return Math.max(this.bufferedAmount, this.#sentBytes - this.#readBytes);
  }

  /** So much waits that nothing more is to be asked for. Pongs do not count: they are not heard meanwhile. */
  get isBackedUp(): boolean {
    return this.bufferedAmount >= MAX_UNSENT_BYTES || this.#listener?.isHeldUp === true;
  }

  /** The client has not confirmed reading all output. */
  get isOwed(): boolean {
    return this.bufferedAmount > 0 || this.#markedBytes > this.#readBytes;
  }

  /** Grows with whatever leaves or is read. */
  get progress(): number {
    return this.#sentBytes - this.bufferedAmount + this.#readBytes;
  }

  sendFrame(frame: FrameOut): void {
    if (!this.isOpen) return;
    if (this.#listener?.isHeldUp) {
      this.#late ??= [];
      this.#late.push(frame);
      return;
    }
    const bytes = Buffer.from(JSON.stringify(frame));
    const mayWait = frame.type === 'event' && frame.event === 'message';
    if (mayWait) this.#gather();
    const mayBackUp = this.bufferedAmount + bytes.length >= MAX_UNSENT_BYTES / 2;
    this.send(bytes, asText, mayBackUp ? () => this.#listener?.drained(this) : undefined);
    this.#sentBytes += bytes.length;
    if (this.#sentBytes - this.#markedBytes >= MARK_EVERY_BYTES) {
      this.#markedBytes = this.#sentBytes;
      this.ping(String(this.#sentBytes));
    }
    if (!mayWait) this.#stream?.uncork();
  }

  /**
   * Lets what is written next leave with what follows it in this turn of the event loop: a message's event with the
   * reply, for one call of the system instead of two. Everything else leaves at once.
   */
  #gather(): void {
    if (!this.#stream || this.#stream.writableCorked > 0) return;
    this.#stream.cork();
    process.nextTick(uncork, this.#stream);
  }

  /** The process knows again who may be written to. */
  release(): void {
    const late = this.#late;
    this.#late = null;
    for (const frame of late ?? []) this.sendFrame(frame);
  }

  /** A pong came. @returns whether it shows that more was read */
  noteRead(pong: Buffer): boolean {
    const readBytes = Number(pong.toString('latin1'));
    if (!(readBytes > this.#readBytes && readBytes <= this.#markedBytes)) return false;
    this.#readBytes = readBytes;
    this.isHeard = true;
    return true;
  }

  /** The next event of the user's log. */
  writeEvent(event: LogEvent): void {
    this.seq = event.seq;
    this.sendFrame({ type: 'event', ...event });
    if (event.event !== 'block' && event.event !== 'unblock') return;
    const { userId } = event.data;
    this.blocked ??= new Set();
    if (event.event === 'block') this.blocked.add(userId);
    else if (this.blocked.delete(userId)) this.#listener?.unblocked(this, userId);
  }

  goLive(): void {
    this.isLive = true;
    this.sendFrame({ type: 'live' });
  }

  /** The next event was trimmed from the log: the client has to reconnect and sync. */
  overflow(): void {
    this.close(closeCodes.tooSlow, 'too_far_behind');
  }

  writePresence(users: readonly PresenceState[]): void {
    const shown = users.filter(({ id }) => !this.blocked?.has(id));
    if (shown.length > 0) this.sendFrame({ type: 'presence', users: shown });
  }

  writeTyping(from: string): void {
    if (this.isLive && !this.blocked?.has(from) && this.unsentBytes < MAX_UNSENT_BYTES)
      this.sendFrame({ type: 'typing', from });
  }

  /**
   * Ends the connection in order. Whichever side asks for it (we, the client by a close frame, the library at a broken
   * frame), the user is no longer online by this connection when it returns.
   *
   * @param reason a word of at most 123 bytes
   */
  override close(code?: number, reason?: string | Buffer): void {
    this.leave();
    if (code === LIBRARY_TOO_LARGE) super.close(closeCodes.frameTooLarge, 'frame_too_large');
    else super.close(code, reason);
    // A client that we stopped reading could not answer the close.
    this.resume();
  }

  /** Ends the connection without a word. */
  override terminate(): void {
    this.leave();
    super.terminate();
  }

  /** Every way of ending passes by here, whichever comes first. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.waiting = null;
    this.#late = null;
    this.#listener?.left(this);
  }
}

function uncork(stream: Duplex): void {
  stream.uncork();
}

// One function for all connections; the library calls it as a method of the one that it is about.

function onMessage(this: WebSocket, message: RawData, isBinary: boolean): void {
  if (this instanceof Connection && Buffer.isBuffer(message)) this.listener?.heard(this, message, isBinary);
}

function onPing(this: WebSocket): void {
  if (this instanceof Connection) this.listener?.heardControl(this);
}

function onPong(this: WebSocket, data: Buffer): void {
  if (!(this instanceof Connection)) return;
  if (this.noteRead(data)) this.listener?.drained(this);
  else this.listener?.heardControl(this);
}

/** The close that follows carries the reason. */
function onError(): void {}

function onClose(this: WebSocket): void {
  if (!(this instanceof Connection)) return;
  this.leave();
  this.listener?.closed(this);
}
