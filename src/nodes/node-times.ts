/** The times of messages between nodes; tests shorten them. */
export const NODE_TIMES = {
  /** How often each node says that it is there. */
  heartbeatMs: 5_000,
  /** A node that was silent for so long while our link was up has left. */
  leaseMs: 15_000,
  /** All nodes have left after our own link was down for so long. */
  linkDownMs: 45_000,
  /** Changes of presence are gathered for so long; the first one after such a pause is sent at once. */
  gatherMs: 100,
  /** A node sends at most one snapshot in this time, however many ask. */
  snapshotPauseMs: 2_000,
  /** How often a snapshot that is not complete is requested again. */
  askAgainMs: 3_000,
  /** How long an answer waits for other nodes; one that does not say so has read the changes from the database by then. */
  readMs: 600,
  /** How long it waits at least where nodes may be unknown, as while a link is down: all have read the changes by then. */
  unknownMs: 600,
  /** How often a connection to Redis is asked whether it still answers. */
  pingMs: 1_000,
  /** One that does not answer for so long is closed and opened again. */
  lateMs: 2_000,
  /** The pause between two attempts to connect. */
  retryMs: 500,
};

export type NodeTimes = Readonly<typeof NODE_TIMES>;
