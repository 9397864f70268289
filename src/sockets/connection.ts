import type { Duplex } from 'node:stream';
import { type RawData, WebSocket } from 'ws';
import { MAX_UNSENT_BYTES } from '../inbox/delivery.ts';
import { closeCodes, LIBRARY_TOO_LARGE } from './close-codes.ts';
import type { FrameOut } from './frames-out.ts';
import { Heartbeat } from './heartbeat.ts';
import type { SocketSession } from './socket-session.ts';

/** Between two pings by whose pongs we see how far the client has read. */
const MARK_EVERY_BYTES = 16 * 1024;

/** The budget of frames: 20 a second, in bursts of 60 (docs/protocol.md, Limits). */
const FRAME_MS = 1000 / 20;
const BURST_MS = 60 * FRAME_MS;

const asText = { binary: false };

/** What all connections share: who handles what they do. */
export interface Listener {
  /** A message came; its bytes may lie within more that came with it. */
  heard(connection: Connection, message: Buffer, isBinary: boolean): void;
  /** An unsolicited ping or pong of RFC 6455 came. */
  heardControl(connection: Connection): void;
  /** Some of its output has left, or was read. */
  drained(connection: Connection): void;
  /** This process was held up, and does not know yet who may still be written to. */
  readonly isHeldUp: boolean;
  /** Once: from now on the connection counts for nothing, though its last bytes may still be under way. */
  left(connection: Connection): void;
  /** Once, after that: nothing of it is open any more. */
  closed(connection: Connection): void;
}

/**
 * The transport of one client: it carries frames, knows what the client has not read yet, and ends. Whose it is and what was
 * served to it is its {@link session}. Thousands of connections wait idle, so what is remembered of each is little, and none
 * has functions of its own. It is the library's object itself, because that lets every way of ending pass by
 * {@link close} and {@link terminate}.
 */
export class Connection extends WebSocket {
  readonly heartbeat = new Heartbeat();
  #session: SocketSession | null = null;
  /** Monotonic milliseconds: until when its frames so far use up the budget. */
  #budgetUntil = 0;
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

  /** Null until `hello` was accepted. */
  get session(): SocketSession | null {
    return this.#session;
  }

  /** Opens the session of an accepted `hello`, for as long as the connection lasts. */
  admit(session: SocketSession): void {
    this.#session = session;
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

  /** Counts a frame that came. @returns whether the connection's budget covers it */
  spendFrameBudget(nowMs: number): boolean {
    this.heartbeat.noteHeard();
    this.#budgetUntil = Math.max(this.#budgetUntil, nowMs) + FRAME_MS;
    return this.#budgetUntil - nowMs <= BURST_MS;
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
    this.heartbeat.noteHeard();
    return true;
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
