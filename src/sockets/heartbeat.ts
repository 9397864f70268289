import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';

export const HEARTBEAT_MS = 25_000;
/** How long a client may stay silent after a ping. */
const SILENCE_MS = 15_000;
/** How long a connection may go without `hello`. */
const HELLO_MS = 10_000;
/** How long a client may take to confirm that it reads: 64 KiB within that time is 2 KiB a second. */
const NO_PROGRESS_MS = 30_000;

/** The budget of frames: 20 a second, in bursts of 60 (docs/protocol.md, Limits). */
const FRAME_MS = 1000 / 20;
const BURST_MS = 60 * FRAME_MS;

/** Gives a new connection the time in which it has to say `hello`. */
export function awaitHello(connection: Connection, nowMs: number): void {
  connection.dueAt = nowMs + HELLO_MS;
}

/** From `hello` on the connection is pinged. */
export function startHeartbeat(connection: Connection, nowMs: number): void {
  connection.dueAt = nowMs + HEARTBEAT_MS;
}

/**
 * Looks after one connection: says `hello` is overdue, lets expired tokens go, closes what reads nothing of its output,
 * pings, and cuts off what stayed silent.
 * One timer for all calls it for each of them; a timer or function per connection would cost more memory than all else
 * that is known of an idle one.
 *
 * @param nowMs monotonic milliseconds
 * @param epochMs the time of day, epoch milliseconds
 */
export function lookAfter(connection: Connection, nowMs: number, epochMs: number): void {
  if (connection.hasLeft) return;
  const { isOwed, progress } = connection;
  // A ping that waits with the rest makes it less.
  if (!isOwed || progress > connection.progressSeen) {
    connection.progressSeen = progress;
    connection.progressAt = nowMs;
  }
  const isDue = nowMs >= connection.dueAt;
  if (connection.userId === '') {
    if (isDue) connection.close(closeCodes.noHello, 'no_hello');
  } else if (epochMs >= connection.expiresAt) {
    connection.close(closeCodes.token, 'token_expired');
  } else if (nowMs - connection.progressAt >= NO_PROGRESS_MS) {
    connection.close(closeCodes.tooSlow, 'no_progress');
  } else if (isDue && !connection.isPinged) {
    connection.isPinged = true;
    connection.isHeard = false;
    connection.dueAt = nowMs + SILENCE_MS;
    connection.ping();
  } else if (isDue && (connection.isHeard || isOwed)) {
    // Behind output that the client still reads a ping waits too.
    connection.isPinged = false;
    connection.dueAt += HEARTBEAT_MS - SILENCE_MS;
  } else if (isDue) {
    connection.terminate();
  }
}

/** Counts a frame. @returns whether the connection's budget covers it */
export function payFrame(connection: Connection, nowMs: number): boolean {
  connection.isHeard = true;
  connection.paidUntil = Math.max(connection.paidUntil, nowMs) + FRAME_MS;
  return connection.paidUntil - nowMs <= BURST_MS;
}
