import { closeCodes } from './close-codes.ts';

export const HEARTBEAT_MS = 25_000;
/** How long a client may stay silent after a ping. */
const SILENCE_MS = 15_000;
/** How long a connection may go without `hello`. */
const HELLO_MS = 10_000;
/** How long a client may take to confirm that it reads: 64 KiB within that time is 2 KiB a second. */
const NO_PROGRESS_MS = 30_000;

interface CheckedConnection {
  readonly hasLeft: boolean;
  /** Null until `hello` is accepted. */
  readonly session: { readonly expiresAt: number } | null;
  readonly hasUnreadOutput: boolean;
  readonly progress: number;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/**
 * Checks that the client of one connection answers pings and reads its output. One timer calls {@link check} for all
 * connections: a timer or function for each would take more memory than all other state of an idle connection.
 */
export class Heartbeat {
  /** Monotonic milliseconds at which `hello`, the next ping or the answer to a ping is due. */
  #dueAt = 0;
  /** A ping was sent and its answer is not due yet. */
  #isPinged = false;
  /** Something was received since that ping. */
  #isAnswered = false;
  /** The connection's `progress` when it last grew, and when that was, in monotonic milliseconds. */
  #progress = 0;
  #progressAt = 0;

  /** Starts the time within which a new connection has to send `hello`. */
  awaitHello(nowMs: number): void {
    this.#dueAt = nowMs + HELLO_MS;
  }

  /** Starts the pings, after `hello`. */
  start(nowMs: number): void {
    this.#dueAt = nowMs + HEARTBEAT_MS;
  }

  noteReceived(): void {
    this.#isAnswered = true;
  }

  /**
   * Closes the connection if `hello` is overdue, its token has expired, or none of its output is read. Otherwise pings it
   * when that is due, and terminates it if the last ping was not answered.
   *
   * @param nowMs monotonic milliseconds
   * @param epochMs the time of day, epoch milliseconds
   */
  check(connection: CheckedConnection, nowMs: number, epochMs: number): void {
    if (connection.hasLeft) return;
    const { hasUnreadOutput, progress, session } = connection;
    // Sending a ping that has to wait lowers the progress.
    if (!hasUnreadOutput || progress > this.#progress) {
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
      this.#isAnswered = false;
      this.#dueAt = nowMs + SILENCE_MS;
      connection.ping();
    } else if (isDue && (this.#isAnswered || hasUnreadOutput)) {
      // The ping itself may still wait behind output that the client is reading.
      this.#isPinged = false;
      this.#dueAt += HEARTBEAT_MS - SILENCE_MS;
    } else if (isDue) {
      connection.terminate();
    }
  }
}
