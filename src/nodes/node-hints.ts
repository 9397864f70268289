import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { ChangeReader } from '../events/change-reader.ts';
import { eventOf } from '../events/changes.ts';
import type { Change, Events } from '../events/hints.ts';
import type { InboxServices } from '../inbox/inbox-services.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import { Announcements, type AnnouncementTimes } from './announcements.ts';
import type { Link } from './link.ts';
import type { Membership } from './membership.ts';
import type { MembershipTimes } from './membership-times.ts';
import { emptyShape } from './node-messages.ts';
import { SharedHints } from './shared-hints.ts';
import { Unlinked } from './unlinked.ts';

/** The parts of `Services` that hints of other nodes reach. */
export interface HintedServices {
  readonly changes: Pick<ChangeReader, 'ageMs' | 'apply' | 'hasUnlinkedNode' | 'read'>;
  readonly db: Db;
  readonly events: Events;
  readonly inbox: Pick<InboxServices, 'delivery' | 'sweeps'>;
  readonly presence: { readonly mirror: Pick<PresenceServices['mirror'], 'nodesOf'> };
}

/**
 * Exchanges hints and changes with other nodes, and looks into the database where some of them may be lost. While its link is down it
 * says so there with each heartbeat: to the others it is silent, as a node that has ended, and stores messages nevertheless.
 *
 * @returns what ends that
 */
export function exchangeHints(
  link: Link,
  membership: Membership,
  { changes, db, events, inbox, presence }: HintedServices,
  clock: Pick<Clock, 'every' | 'monotonicMs'>,
  log: Pick<Logger, 'warn'>,
  times: AnnouncementTimes & Pick<MembershipTimes, 'heartbeatMs'>,
): Disposable {
  const hints = new SharedHints(membership, events, (userId) => presence.mirror.nodesOf(userId));
  const warn = (err: unknown) => log.warn({ err }, 'changes could not be exchanged with other nodes');

  /** Until the block promise holds here too: no device gets events of the blocked user of before the block after it. */
  async function apply(rows: readonly Change[]): Promise<void> {
    await changes.apply(rows);
    const blocks = rows.map(eventOf).filter((event) => event.type === 'block-changed');
    await Promise.all(blocks.map(({ blockerId }) => inbox.delivery.catchUp(blockerId)));
  }

  const unlinked = new Unlinked(link, db, changes, clock, times, warn);
  events.setTrustedWhile(() => unlinked.isTrusted);
  const options = {
    apply,
    beforeSending: () => hints.flush(),
    mayMissNodes: () => unlinked.mayMissNodes,
    onFault: warn,
  };
  const announcements = new Announcements(membership, events, clock, options, times);

  function onLinkChange(): void {
    if (link.isUp) announcements.onLinkUp();
    void unlinked.record();
    inbox.sweeps.setRare(link.isUp);
    inbox.sweeps.hurry();
  }
  link.onUp(onLinkChange);
  link.onDown(onLinkChange);
  onLinkChange();
  inbox.sweeps.watchJoins();
  membership.onJoin(() => inbox.sweeps.hurry());
  membership.onLeave(() => inbox.sweeps.hurry());
  membership.onMissed((_node, stream) => {
    if (stream === 'own') inbox.sweeps.hurry();
    else changes.read().catch(warn);
  });
  // A node that asks where users are has not known it, so it may have sent no hints.
  membership.on('presence-ask', emptyShape, () => inbox.sweeps.hurry());
  events.subscribe((event) => {
    if (event.type === 'hints-lost') inbox.sweeps.hurry();
  });
  return unlinked;
}
