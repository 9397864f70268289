import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { type LocalLimits, openReadLimits } from '../limits/local-limits.ts';
import { LastSeen } from './last-seen.ts';
import { OnlineUsers } from './online-users.ts';
import { VisiblePresence } from './visible-presence.ts';
import { Watchers } from './watchers.ts';
import { openSeeingCallers, type SeeingCallers } from './who-sees.ts';

/** How long changes are collected before they are sent to watchers. */
const FLUSH_MS = 1000;

/** The long-lived parts of presence. */
export interface PresenceServices {
  readonly online: OnlineUsers;
  readonly lastSeen: LastSeen;
  readonly seeing: SeeingCallers;
  readonly watchers: Watchers;
  readonly watchLimit: LocalLimits;
}

export function openPresence(db: Db, events: Events, clock: Clock): PresenceServices {
  const online = new OnlineUsers(clock.now);
  const lastSeen = new LastSeen(db, clock.now);
  online.onHere((userId, change, at) => {
    if (change !== 'other') lastSeen.note(userId, at);
  });
  return {
    online,
    lastSeen,
    seeing: openSeeingCallers(db, events),
    watchers: new Watchers(db, events, online, new VisiblePresence(online, clock), lastSeen),
    watchLimit: openReadLimits('too_many_watches', { ofConnection: 10, ofUser: 40 }, clock.monotonicMs),
  };
}

/** Sends changes to watchers, and stores when users were last online. */
export function presenceJobs({ watchers }: Pick<PresenceServices, 'watchers'>): PeriodicJob[] {
  return [{ name: 'send presence', everyMs: FLUSH_MS, run: () => watchers.flush(), runsAtStop: true }];
}
