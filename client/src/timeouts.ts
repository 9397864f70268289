/** All the times the kit keeps, in milliseconds of the monotonic clock. Only tests change them. */
export interface Timeouts {
  /** How long an answer over HTTP, or a connection's opening, may take. */
  readonly deadlineMs: number;
  /** How long leaving may take, with a service that does not answer. */
  readonly leavingMs: number;
  /** The first wait after a broken connection; it doubles up to the second (docs/protocol.md, close codes). */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Live for so long, a connection counts as good: the next wait is the first again. */
  readonly steadyMs: number;
  /** After so long without a word it is asked whether anybody is there, who has the second time to answer. */
  readonly silenceMs: number;
  readonly pongMs: number;
  /** Acknowledgements are gathered for so long. */
  readonly ackMs: number;
  /** Who is watched is told so long after it changed. */
  readonly watchMs: number;
  /** Between two `watch` frames, but for the first three: within the service's 10 in 10 s (docs/protocol.md, Limits). */
  readonly watchEveryMs: number;
  /** The window of the limits of `sync` and `watch`: one that was refused as too many is sent again after it. */
  readonly limitWindowMs: number;
  /** The wait after "too many messages", and the first one after a fault of the service, which doubles up to the second. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** A message that another tab wrote and has not sent by then is sent by this one. */
  readonly takeOverMs: number;
  /** How long the storage may take for an operation, before the kit goes on in memory. */
  readonly storageMs: number;
  /** How often it is looked whether the token has to be renewed; timers of a sleeping machine stand still. */
  readonly tokenCheckMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  deadlineMs: 15_000,
  leavingMs: 5_000,
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
