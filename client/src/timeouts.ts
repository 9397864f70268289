/** All timeouts and intervals of the kit, in milliseconds of the monotonic clock. Only tests change them. */
export interface Timeouts {
  /** The time limit of an HTTP call, and of opening a connection. */
  readonly deadlineMs: number;
  /** The time limit of a call that carries a picture, which a slow line takes long for. */
  readonly transferMs: number;
  /** The time limit of signing out at a service that does not answer. */
  readonly signOutMs: number;
  /** The first wait after a broken connection. It doubles up to `maxBackoffMs` (docs/protocol.md, Close codes). */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** After this time live, a connection is steady: the next wait is the first one again. */
  readonly steadyMs: number;
  /** A connection that is silent for `silenceMs` gets a ping, and ends if nothing arrives within `pongMs`. */
  readonly silenceMs: number;
  readonly pongMs: number;
  /** Acknowledgements are collected for this time. */
  readonly ackMs: number;
  /** A changed watch list is sent after this time. */
  readonly watchMs: number;
  /** The least time between two `watch` frames after the first three: within the service's 10 in 10 s (docs/protocol.md, Limits). */
  readonly watchEveryMs: number;
  /** The window of the limits of `sync` and `watch`. A frame over the limit is sent again after it. */
  readonly limitWindowMs: number;
  /** The wait after "too many messages", and the first wait after a fault of the service, which doubles up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** After this time, this tab sends a message that another tab wrote and has not sent. */
  readonly takeOverMs: number;
  /** The time limit of a storage operation. After it the kit switches to memory. */
  readonly storageMs: number;
  /** How often the token's age is checked. One long timer would stand still while the machine sleeps. */
  readonly tokenCheckMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  deadlineMs: 15_000,
  transferMs: 60_000,
  signOutMs: 5_000,
  backoffMs: 1_000,
  maxBackoffMs: 30_000,
  steadyMs: 10_000,
  silenceMs: 30_000,
  pongMs: 10_000,
  ackMs: 250,
  watchMs: 100,
  watchEveryMs: 1_500,
  limitWindowMs: 10_000,
  pauseMs: 1_000,
  maxPauseMs: 30_000,
  takeOverMs: 5_000,
  storageMs: 2_000,
  tokenCheckMs: 60_000,
};
