/** Why a connection ended, and with it what its client does next (RFC 6455, 7.4; docs/protocol.md, Close codes). */
export const closeCodes = {
  /** The client said `bye`. */
  goodbye: 1000,
  binaryFrame: 1003,
  badFrame: 1007,
  fault: 1011,
  restart: 1012,
  tryLater: 1013,
  /** What was sent is not read. */
  tooSlow: 4008,
  token: 4401,
  suspended: 4403,
  noHello: 4408,
  sessionEnded: 4409,
  frameTooLarge: 4413,
  /** Too many frames, or too many connections of one user. */
  tooMany: 4429,
} as const;

/** What the library says by itself to a message beyond the limit (RFC 6455, 7.4.1); ours is `frameTooLarge`. */
export const LIBRARY_TOO_LARGE = 1009;
