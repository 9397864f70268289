import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { ReadLimit } from '../http/read-limit.ts';
import { LastSeen } from './last-seen.ts';
import { OnlineUsers } from './online-users.ts';
import { VisiblePresence } from './visible-presence.ts';
import { Watchers } from './watchers.ts';

/** How long changes are collected before they are sent to watchers. */
const FLUSH_MS = 1000;

/** What presence keeps open in a process. */
export interface PresenceServices {
  readonly online: OnlineUsers;
  readonly watchers: Watchers;
  /** Limits `watch` frames. */
  readonly watchLimit: ReadLimit;
}

export function openPresence(db: Db, events: Events, clock: Clock): PresenceServices {
  const online = new OnlineUsers();
  const lastSeen = new LastSeen(db);
  return {
    online,
    watchers: new Watchers(db, events, new VisiblePresence(online, lastSeen, clock), lastSeen),
    watchLimit: new ReadLimit({ ofConnection: 10, ofUser: 40 }, 'too_many_watches', clock.monotonicMs),
  };
}

/** Sends changes to watchers, and stores when users were last online. */
export function presenceJobs({ watchers }: Pick<PresenceServices, 'watchers'>): PeriodicJob[] {
  return [{ name: 'send presence', everyMs: FLUSH_MS, run: () => watchers.flush(), runsAtStop: true }];
}
