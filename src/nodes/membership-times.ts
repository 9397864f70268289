export interface MembershipTimes {
  /** How often each node says that it is there. */
  readonly heartbeatMs: number;
  /** A node that was silent for so long while our link was up has left. */
  readonly leaseMs: number;
  /** All nodes have left after our own link was down for so long. */
  readonly linkDownMs: number;
  /** Answers to nodes that ask for a heartbeat are gathered for so long. */
  readonly answerMs: number;
}

export const MEMBERSHIP_TIMES: MembershipTimes = {
  heartbeatMs: 5_000,
  leaseMs: 15_000,
  linkDownMs: 45_000,
  answerMs: 50,
};
