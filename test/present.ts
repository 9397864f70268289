import type { ConnectionHere } from '../src/presence/online-users.ts';

/** A connection as presence sees it, active and attentive: may be added for several users. */
export const PRESENT: ConnectionHere = {
  sessionId: 'session',
  openedAt: 1000,
  isActive: true,
  isAttentive: true,
  writeTyping() {},
  displace() {},
};
