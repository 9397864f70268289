import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { SharedEvents } from '../events/change-reader.ts';
import type { InboxServices } from '../inbox/inbox-services.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import type { Link } from './link.ts';
import { emptyShape, type Membership } from './membership.ts';
import type { NodeTimes } from './node-times.ts';
import { shareChanges } from './share-changes.ts';
import { shareHints } from './share-hints.ts';
import { watchLink } from './unlinked.ts';

/** The parts of `Services` that hints of other nodes reach. */
export interface HintedServices {
  readonly db: Db;
  readonly events: SharedEvents;
  readonly inbox: Pick<InboxServices, 'delivery' | 'sweeps'>;
  readonly presence: Pick<PresenceServices, 'lastSeen' | 'online'>;
}

/**
 * Shares hints and changes with other nodes, and looks into the database where some of them may be lost.
 *
 * @returns what ends that
 */
export function shareWithNodes(
  link: Link,
  membership: Membership,
  services: HintedServices,
  clock: Pick<Clock, 'every' | 'monotonicMs'>,
  log: Pick<Logger, 'warn'>,
  times: NodeTimes,
): Disposable {
  const { db, events, inbox, presence } = services;
  const { changes } = events;
  const { sweeps } = inbox;
  const warn = (err: unknown) => log.warn({ err }, 'changes could not be shared with other nodes');
  const unlinked = watchLink(link, db, changes, clock, times, warn);
  events.setCurrentWhile(() => changes.hasReadLately && unlinked.isTrusted);
  const flush = shareHints(membership, events, presence.online);
  shareChanges(membership, services, times, flush, () => unlinked.mayMissNodes, warn);

  function onLinkChange(): void {
    sweeps.setRare(link.isUp);
    sweeps.hurry();
  }
  link.on('up', onLinkChange).on('down', onLinkChange);
  onLinkChange();
  sweeps.watchJoins();
  membership.on('join', () => sweeps.hurry());
  membership.on('leave', () => sweeps.hurry());
  membership.on('missed', (_node, stream) => {
    if (stream === 'own') sweeps.hurry();
    else changes.read().catch(warn);
  });
  // A node that asks where users are has not known it, so it may have sent no hints.
  membership.handle('presence-ask', emptyShape, () => sweeps.hurry());
  events.subscribe((event) => {
    if (event.type === 'hints-lost') sweeps.hurry();
  });
  return unlinked;
}
