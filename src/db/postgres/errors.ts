import { DatabaseError } from 'pg';

export class ConnectionLost extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super(`the connection to the database is lost: ${cause.message || codeOf(cause)}`);
    this.cause = cause;
  }
}

/** The server is silent, has ended the connection, or takes no writes. */
export class NoAnswer extends Error {}

/** No connection could be had in time, and the server answered on no other one. */
export class NotReached extends Error {}

/** How pg calls a server that does not answer. Its other errors without a code are refusals, such as of a password. */
const SILENCE_OF_PG = /^(timeout expired|Connection terminated|Client has encountered a connection error)/;

const UNAVAILABLE_CODES = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
];

/**
 * Whether the server cannot be reached for now, is starting or stopping, or has no free connection; false for one that refuses
 * us, such as for a wrong password (PostgreSQL, appendix A: classes 08, 53 and 57P).
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof NotReached) return true;
  if (!(error instanceof ConnectionLost)) return false;
  const { cause } = error;
  if (cause instanceof DatabaseError) return /^(08|53|57P)/.test(codeOf(cause));
  return (
    cause instanceof NoAnswer ||
    SILENCE_OF_PG.test(cause.message) ||
    UNAVAILABLE_CODES.includes(codeOf(cause))
  );
}

/** Whether PostgreSQL answered a statement with an error and goes on with the connection. Its `severity` can be in the server's language. */
export function isRefusal(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError)) return false;
  return !/^(FATAL|PANIC)$/.test(error.severity ?? '') && !/^(08|25P0[34]|57P)/.test(codeOf(error));
}

/**
 * Whether another connection may succeed: the server has become a standby (25006; 0A000 at `begin`), or a table has changed
 * under a prepared statement (0A000).
 */
export function isOfConnection(error: unknown): boolean {
  return hasCode(error, /^(25006|0A000)$/);
}

/**
 * Whether PostgreSQL ended a transaction only because of other transactions, or of the connection it ran on: a serialization failure,
 * a deadlock, a reference to a row that another transaction removed since this one read it (the next run does not read that row), and a
 * prepared statement whose preparation failed just before, with an earlier statement (26000), or that an earlier one has prepared meanwhile
 * (42P05).
 */
export function isRetryable(error: unknown): boolean {
  return isOfConnection(error) || hasCode(error, /^(40001|40P01|23503|26000|42P05)$/);
}

export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, /^55P03$/);
}

/** Whether a statement took longer than it may, which is mostly for a lock. */
export function isTimeout(error: unknown): boolean {
  return hasCode(error, /^(55P03|57014)$/);
}

/**
 * Whether a write failed because the server lacks a resource, is broken, takes no writes or stops (PostgreSQL, appendix A),
 * and not because of its own statements or of other transactions.
 */
export function isServerFault(error: unknown): boolean {
  return hasCode(error, /^(25006|53|57P|58|F0|XX)/);
}

/** Whether a statement failed because of its own content, such as a violated constraint or a parameter of no known type. */
export function isStatementFault(error: unknown): boolean {
  if (error instanceof DatabaseError) return !isServerFault(error) && !isOfConnection(error);
  return error instanceof TypeError;
}

/** @param codes of errors that PostgreSQL reports */
function hasCode(error: unknown, codes: RegExp): boolean {
  return error instanceof DatabaseError && codes.test(codeOf(error));
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
