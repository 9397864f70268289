import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { MAX_UNSENT_BYTES } from '../inbox/delivery.ts';
import { closeCodes, LIBRARY_TOO_LARGE } from './close-codes.ts';
import type { FrameOut } from './frames-out.ts';
import { Heartbeat } from './heartbeat.ts';
import type { SocketSession } from './socket-session.ts';
import type { StallState } from './stall-detector.ts';

/** Bytes between two pings whose pongs show how far the client has read. */
const MARK_EVERY_BYTES = 16 * 1024;

/** RFC 6455, 7.4.1: a close frame without a code, and no close frame. */
const NO_CODE = 1005;
const NO_CLOSE_FRAME = 1006;

/** The budget of frames: 20 a second, in bursts of 60 (docs/protocol.md, Limits). */
const FRAME_MS = 1000 / 20;
const BURST_MS = 60 * FRAME_MS;

const asText = { binary: false };

export interface ConnectionEvents {
  /** Whether the process stalled and has not yet read which sessions may still be written to. */
  readonly stallState: StallState;
  /** @param message shares its memory with other messages that arrived with it */
  onMessage(connection: Connection, message: Buffer, isBinary: boolean): void;
  /** A ping arrived, or a pong that shows nothing new (RFC 6455). */
  onControlFrame(connection: Connection): void;
  /** Some of the output was handed to the system, or read by the client. */
  onDrain(connection: Connection): void;
  /**
   * Called once: the connection no longer counts, though its last bytes may still be on their way.
   *
   * @param code of the first close frame, of either side; 1005: one without a code, 1006: none
   */
  onLeave(connection: Connection, code: number): void;
  /** Called once, after {@link onLeave}: the connection is closed. */
  onClose(connection: Connection): void;
}

/**
 * The transport of one client: carries frames, measures what the client has not read, and closes. Its user and what was
 * written to them belong to its {@link session}. Thousands of connections are idle, so each has few fields, and no functions or
 * listeners of its own. It extends the library's class, so that every close calls {@link close} or {@link terminate}.
 */
export class Connection extends WebSocket {
  readonly heartbeat = new Heartbeat();
  /** Null until `hello` is accepted; then it stays as long as the connection. */
  session: SocketSession | null = null;
  /** Whether the connection no longer counts, though it may not be closed yet. */
  hasLeft = false;
  /** Of its client (`addressKeyOf`). */
  addressKey = '';
  /** The network address of its client; null once `hello` was accepted, or the connection has left. */
  address: string | null = null;
  /** Whether the texts of error replies are English. */
  readsEnglish = false;
  /** Bytes of frames that were sent since the connection opened. */
  sentBytes = 0;
  /** Monotonic milliseconds up to which the frames so far have used the budget. */
  #budgetUntil = 0;
  #events: ConnectionEvents | null = null;
  #stream: Duplex | null = null;
  /** Of these bytes: sent before the last mark, read by the client. */
  #markedBytes = 0;
  #readBytes = 0;

  /** @param stream the upgraded one, which the library writes to */
  attach(events: ConnectionEvents, stream: Duplex): void {
    this.#events = events;
    this.#stream = stream;
  }

  /**
   * Handles the library's events without listeners, whose table would take a tenth of the memory of an idle connection.
   *
   * @returns whether the event was handled
   */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    const [data, isBinary] = args;
    switch (event) {
      case 'message':
        if (Buffer.isBuffer(data)) this.#events?.onMessage(this, data, isBinary === true);
        return true;
      case 'ping':
        this.#events?.onControlFrame(this);
        return true;
      case 'pong':
        if (Buffer.isBuffer(data) && this.#noteReadUpTo(data)) this.#events?.onDrain(this);
        else this.#events?.onControlFrame(this);
        return true;
      case 'error':
        return true; // The reason is in the close event that follows.
      case 'close':
        this.#leave(NO_CLOSE_FRAME);
        this.#events?.onClose(this);
        return true;
      default:
        return super.emit(event, ...args);
    }
  }

  get #stallState(): StallState {
    return this.#events?.stallState ?? 'running';
  }

  get isOpen(): boolean {
    return this.readyState === WebSocket.OPEN;
  }

  /**
   * Bytes that the system has not taken yet or that, according to its pongs, the client has not read. The system takes
   * megabytes for a client that reads nothing. Infinite during a stall.
   */
  get unsentBytes(): number {
    if (this.#stallState !== 'running') return Number.POSITIVE_INFINITY;
    return Math.max(this.bufferedAmount, this.sentBytes - this.#readBytes);
  }

  /**
   * Too much output waits to read more frames. The client's pongs do not matter here: they are not read during a pause either.
   */
  get isBackedUp(): boolean {
    return this.bufferedAmount >= MAX_UNSENT_BYTES || this.#stallState === 'reading';
  }

  /** The client has not confirmed reading all output. */
  get hasUnreadOutput(): boolean {
    return this.bufferedAmount > 0 || this.#markedBytes > this.#readBytes;
  }

  /** Bytes that were handed to the system plus bytes that were read. */
  get progress(): number {
    return this.sentBytes - this.bufferedAmount + this.#readBytes;
  }

  /** Counts a received frame, and closes the connection if its budget does not cover it. @returns whether it is open */
  spendFrameBudget(nowMs: number): boolean {
    // Messages may arrive together with a frame that closed the connection.
    if (!this.isOpen) return false;
    this.heartbeat.noteReceived();
    this.#budgetUntil = Math.max(this.#budgetUntil, nowMs) + FRAME_MS;
    if (this.#budgetUntil - nowMs <= BURST_MS) return true;
    this.close(closeCodes.tooMany, 'too_many_frames');
    return false;
  }

  /** During a stall no frame with data may be sent: whoever has one waits while {@link unsentBytes} are infinite. */
  sendFrame(frame: FrameOut): void {
    if (!this.isOpen) return;
    const bytes = Buffer.from(JSON.stringify(frame));
    const mayWait = frame.type === 'event' && frame.event === 'message';
    if (mayWait) this.#cork();
    const mayBackUp = this.bufferedAmount + bytes.length >= MAX_UNSENT_BYTES / 2;
    this.send(bytes, asText, mayBackUp ? () => this.#events?.onDrain(this) : undefined);
    this.sentBytes += bytes.length;
    if (this.sentBytes - this.#markedBytes >= MARK_EVERY_BYTES) {
      this.#markedBytes = this.sentBytes;
      this.ping(String(this.sentBytes));
    }
    if (!mayWait) this.#stream?.uncork();
  }

  /**
   * Sends the next frame together with those that follow in this turn of the event loop: the event of a message and the
   * reply in one system call. All other frames are sent at once.
   */
  #cork(): void {
    if (!this.#stream || this.#stream.writableCorked > 0) return;
    this.#stream.cork();
    process.nextTick(uncork, this.#stream);
  }

  /** @param pong the payload of a received pong @returns whether it shows that the client has read more */
  #noteReadUpTo(pong: Buffer): boolean {
    const readBytes = Number(pong.toString('latin1'));
    if (!(readBytes > this.#readBytes && readBytes <= this.#markedBytes)) return false;
    this.#readBytes = readBytes;
    this.heartbeat.noteReceived();
    return true;
  }

  /**
   * Closes with the handshake of RFC 6455. Also called by the library, for the client's close frame and for a malformed
   * frame. When it returns, the connection no longer makes its user online.
   *
   * @param reason a word of at most 123 bytes
   */
  override close(code?: number, reason?: string | Buffer): void {
    this.#leave((code === LIBRARY_TOO_LARGE ? closeCodes.frameTooLarge : code) ?? NO_CODE);
    if (code === LIBRARY_TOO_LARGE) super.close(closeCodes.frameTooLarge, 'frame_too_large');
    else super.close(code, reason);
    // While paused, the client's answer to the close would not be read.
    this.resume();
  }

  /** Ends the connection without a close frame. */
  override terminate(): void {
    this.#leave(NO_CLOSE_FRAME);
    super.terminate();
  }

  /** Called by every way of ending; only the first call counts. */
  #leave(code: number): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.#events?.onLeave(this, code);
  }
}

function uncork(stream: Duplex): void {
  stream.uncork();
}
