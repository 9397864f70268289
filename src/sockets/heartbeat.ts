import { closeCodes } from './close-codes.ts';

export const HEARTBEAT_MS = 25_000;
/** How long a client may stay silent after a ping. */
const SILENCE_MS = 15_000;
/** How long a connection may go without `hello`. */
const HELLO_MS = 10_000;
/** How long a client may take to confirm that it reads: 64 KiB within that time is 2 KiB a second. */
const NO_PROGRESS_MS = 30_000;

/** The connection that a heartbeat checks. */
interface CheckedConnection {
  readonly hasLeft: boolean;
  /** Null until `hello` was accepted. */
  readonly session: { readonly expiresAt: number } | null;
  readonly isOwed: boolean;
  readonly progress: number;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/**
 * What is remembered of one connection to see that its client is there and reads. One timer for all connections calls
 * {@link check} for each of them; a timer or function per connection would cost more memory than all else that is known of
 * an idle one.
 */
export class Heartbeat {
  /** Monotonic milliseconds: when `hello`, the next ping or the answer to a ping is due. */
  #dueAt = 0;
  /** A ping is not answered yet. */
  #isPinged = false;
  /** Something came since that ping. */
  #isHeard = false;
  /** The connection's progress when it last grew, and when that was in monotonic milliseconds. */
  #progress = 0;
  #progressAt = 0;

  /** Gives a new connection the time in which it has to say `hello`. */
  awaitHello(nowMs: number): void {
    this.#dueAt = nowMs + HELLO_MS;
  }

  /** From `hello` on the connection is pinged. */
  start(nowMs: number): void {
    this.#dueAt = nowMs + HEARTBEAT_MS;
  }

  /** Something came from the client. */
  noteHeard(): void {
    this.#isHeard = true;
  }

  /**
   * Closes the connection when its `hello` is overdue, its token expired, or nothing of its output is read; else pings it
   * when that is due, and terminates it when its client stayed silent.
   *
   * @param nowMs monotonic milliseconds
   * @param epochMs the time of day, epoch milliseconds
   */
  check(connection: CheckedConnection, nowMs: number, epochMs: number): void {
    if (connection.hasLeft) return;
    const { isOwed, progress, session } = connection;
    // A ping that waits with the rest makes it less.
    if (!isOwed || progress > this.#progress) {
      this.#progress = progress;
      this.#progressAt = nowMs;
    }
    const isDue = nowMs >= this.#dueAt;
    if (!session) {
      if (isDue) connection.close(closeCodes.noHello, 'no_hello');
    } else if (epochMs >= session.expiresAt) {
      connection.close(closeCodes.token, 'token_expired');
    } else if (nowMs - this.#progressAt >= NO_PROGRESS_MS) {
      connection.close(closeCodes.tooSlow, 'no_progress');
    } else if (isDue && !this.#isPinged) {
      this.#isPinged = true;
      this.#isHeard = false;
      this.#dueAt = nowMs + SILENCE_MS;
      connection.ping();
    } else if (isDue && (this.#isHeard || isOwed)) {
      // Behind output that the client still reads a ping waits too.
      this.#isPinged = false;
      this.#dueAt += HEARTBEAT_MS - SILENCE_MS;
    } else if (isDue) {
      connection.terminate();
    }
  }
}
