import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { ReadLimit } from '../http/read-limit.ts';
import { LastSeen } from './last-seen.ts';
import { MirroredUsers } from './mirrored-users.ts';
import { OnlineUsers } from './online-users.ts';
import { VisiblePresence } from './visible-presence.ts';
import { Watchers } from './watchers.ts';

/** How long changes are collected before they are sent to watchers. */
const FLUSH_MS = 1000;

/** The long-lived parts of presence. */
export interface PresenceServices {
  /** The users online, on any node. */
  readonly online: OnlineUsers;
  /** Users connected to this process, which the sockets write; the same object where one server has the database. */
  readonly local: OnlineUsers;
  /** Users connected to other nodes. */
  readonly mirror: MirroredUsers;
  readonly watchers: Watchers;
  readonly watchLimit: ReadLimit;
}

/** @returns the users of this process, and those of all nodes, to which the mirror adds the others */
export function openOnlineUsers(isOneOfMany: boolean): Pick<PresenceServices, 'local' | 'online'> {
  const local = new OnlineUsers();
  if (!isOneOfMany) return { local, online: local };
  const online = new OnlineUsers();
  local.onCount((userId, connections, active, saidGoodbye) =>
    online.change(userId, connections, active, saidGoodbye),
  );
  return { local, online };
}

/** @param isOneOfMany whether other nodes use the database too */
export function openPresence(db: Db, events: Events, clock: Clock, isOneOfMany = false): PresenceServices {
  const { local, online } = openOnlineUsers(isOneOfMany);
  const lastSeen = new LastSeen(db, clock.now);
  local.onChange((userId) => lastSeen.note(userId, clock.now()));
  return {
    online,
    local,
    mirror: new MirroredUsers(online, lastSeen, clock.now),
    watchers: new Watchers(db, events, new VisiblePresence(online, clock), lastSeen),
    watchLimit: new ReadLimit({ ofConnection: 10, ofUser: 40 }, 'too_many_watches', clock.monotonicMs),
  };
}

/** Sends changes to watchers, and stores when users were last online. */
export function presenceJobs({ watchers }: Pick<PresenceServices, 'watchers'>): PeriodicJob[] {
  return [{ name: 'send presence', everyMs: FLUSH_MS, run: () => watchers.flush(), runsAtStop: true }];
}
