import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { ReadLimit } from '../http/read-limit.ts';
import { Appearances } from './appearances.ts';
import { LastSeen } from './last-seen.ts';
import { Presence } from './presence.ts';
import { Watchers } from './watchers.ts';

/** How late watchers may hear of what is gathered for them. */
const GATHER_MS = 1000;

/** What presence keeps open in a process. */
export interface PresenceServices {
  readonly online: Presence;
  readonly watchers: Watchers;
  /** Of `watch` frames. */
  readonly watchLimit: ReadLimit;
}

export function openPresence(db: Db, events: Events, clock: Clock): PresenceServices {
  const online = new Presence();
  const lastSeen = new LastSeen(db);
  return {
    online,
    watchers: new Watchers(db, events, new Appearances(online, lastSeen, clock), lastSeen),
    watchLimit: new ReadLimit({ ofConnection: 10, ofUser: 40 }, 'too_many_watches', clock.monotonicMs),
  };
}

/** Sends what changed to those who watch, and writes when users went offline. */
export function presenceJobs({ watchers }: Pick<PresenceServices, 'watchers'>): PeriodicJob[] {
  return [{ name: 'send presence', everyMs: GATHER_MS, run: () => watchers.tell(), runsAtStop: true }];
}
