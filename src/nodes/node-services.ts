import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { LimitSource } from '../http/limit-source.ts';
import type { FailoverTimes } from '../inbox/failovers.ts';
import type { SweepTimes } from '../inbox/sweeps.ts';
import { ANNOUNCEMENT_TIMES, type AnnouncementTimes } from './announcements.ts';
import { DroppedMessages } from './dropped-messages.ts';
import { deriveKey, type Installation } from './installation.ts';
import { SharedCounts } from './limits/shared-counts.ts';
import { shareLimits } from './limits/shared-limits.ts';
import type { LinkTimes } from './link.ts';
import { Membership } from './membership.ts';
import { MEMBERSHIP_TIMES, type MembershipTimes } from './membership-times.ts';
import { MessageCipher } from './message-cipher.ts';
import { exchangeHints, type HintedServices } from './node-hints.ts';
import { NodePresence, type SharedServices } from './node-presence.ts';
import { PRESENCE_TIMES, type PresenceTimes } from './own-presence.ts';
import { RedisLink } from './redis-link.ts';

/** The times of everything between nodes; tests shorten them. */
export interface NodeTimes
  extends MembershipTimes,
    PresenceTimes,
    AnnouncementTimes,
    LinkTimes,
    SweepTimes,
    FailoverTimes {
  /** Limits that have no answer of Redis for so long count on this node alone. */
  readonly limitMs: number;
}

/** The long-lived parts of a server that is one of several nodes. */
export interface NodeServices {
  readonly link: RedisLink;
  readonly membership: Membership;
  /** The messages on Redis that were not taken. */
  readonly dropped: DroppedMessages;
  /** Counts calls and failures over all nodes. */
  readonly limits: LimitSource;
  readonly presence: NodePresence;
}

/** A link and a name, of a node that has not joined the others. */
interface OpenNode extends AsyncDisposable, Omit<NodeServices, 'presence'> {
  /** Joins the others and exchanges with them what these services hold. */
  join(services: SharedServices & HintedServices): NodeServices;
}

/**
 * Connects to Redis. Waits for the first attempt alone: a node serves without Redis too.
 *
 * @param installation so that another one on the same Redis has channels and keys of its own
 */
export async function openNodes(
  url: string,
  installation: Installation,
  clock: Clock,
  log: Logger,
  times: Partial<NodeTimes> = {},
): Promise<OpenNode> {
  const link = new RedisLink({ url, prefix: `${installation.name}:`, log, times });
  const dropped = new DroppedMessages(log, clock);
  const cipher = new MessageCipher(installation, clock, dropped);
  const membership = new Membership(link, cipher, clock, { ...MEMBERSHIP_TIMES, ...times });
  const counts = new SharedCounts(
    link,
    deriveKey(installation, 'limits'),
    log,
    clock.monotonicMs,
    times.limitMs,
  );
  const limits = shareLimits(counts, () => membership.peers().length + 1);
  await link.tried;
  let presence: NodePresence | undefined;
  let hints: Disposable | undefined;
  return {
    link,
    membership,
    dropped,
    limits,
    join(services) {
      presence = new NodePresence(membership, services, clock, { ...PRESENCE_TIMES, ...times });
      const allTimes = { ...MEMBERSHIP_TIMES, ...ANNOUNCEMENT_TIMES, ...times };
      hints = exchangeHints(link, membership, services, clock, log, allTimes);
      membership.start();
      return { link, membership, dropped, limits, presence };
    },
    async [Symbol.asyncDispose]() {
      hints?.[Symbol.dispose]();
      presence?.[Symbol.dispose]();
      await membership[Symbol.asyncDispose]();
      await link[Symbol.asyncDispose]();
    },
  };
}
