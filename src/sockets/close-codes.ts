/** Why a connection ended, which decides what its client does next (RFC 6455, 7.4; docs/protocol.md, Close codes). */
export const closeCodes = {
  /** The client sent `bye`. */
  goodbye: 1000,
  binaryFrame: 1003,
  badFrame: 1007,
  fault: 1011,
  restart: 1012,
  tryLater: 1013,
  /** The client does not read, or not fast enough. */
  tooSlow: 4008,
  /** No valid token, or it has expired. */
  token: 4401,
  /** The account is suspended, or its user asked for its deletion: the reason says which. */
  accountClosed: 4403,
  noHello: 4408,
  sessionEnded: 4409,
  frameTooLarge: 4413,
  /** Too many frames, or too many connections of one user. */
  tooMany: 4429,
} as const;

/** The code with which the library closes after a message above the limit (RFC 6455, 7.4.1); we send `frameTooLarge`. */
export const LIBRARY_TOO_LARGE = 1009;
