import { type RawData, WebSocket } from 'ws';
import { closeCodes, LIBRARY_TOO_LARGE } from './close-codes.ts';
import type { FrameOut } from './frames-out.ts';

/** Output that a client did not read yet; who leaves more unread is closed (STYLE 11). */
const MAX_UNREAD_BYTES = 64 * 1024;

/** What all connections share: who is told of what they do. */
export interface Listener {
  /** A message came; its bytes may lie within more that came with it. */
  heard(connection: Connection, message: Buffer, isBinary: boolean): void;
  /** A ping or pong of RFC 6455 came. */
  heardControl(connection: Connection): void;
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
  /** What its address is counted by, as long as it is nobody's. */
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
  /** What came while a request was still worked on; null while there is none. */
  waiting: Buffer[] | null = null;
  #listener: Listener | null = null;
  #hasLeft = false;

  attach(listener: Listener): void {
    this.#listener = listener;
    this.on('message', onMessage);
    this.on('ping', onControl);
    this.on('pong', onControl);
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

  /** Sends to whoever reads; a client that does not is closed. */
  sendFrame(frame: FrameOut): void {
    if (!this.isOpen) return;
    this.send(JSON.stringify(frame));
    if (this.bufferedAmount > MAX_UNREAD_BYTES) this.close(closeCodes.tooSlow, 'unread_output');
  }

  /**
   * Ends the connection in order. Whoever asks for it (we, the client by a close frame, the library at a broken
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
    this.#listener?.left(this);
  }
}

// One function for all connections; the library calls it as a method of the one that it is about.

function onMessage(this: WebSocket, message: RawData, isBinary: boolean): void {
  if (this instanceof Connection && Buffer.isBuffer(message)) this.listener?.heard(this, message, isBinary);
}

function onControl(this: WebSocket): void {
  if (this instanceof Connection) this.listener?.heardControl(this);
}

/** What is wrong is told by the close that follows. */
function onError(): void {}

function onClose(this: WebSocket): void {
  if (!(this instanceof Connection)) return;
  this.leave();
  this.listener?.closed(this);
}
