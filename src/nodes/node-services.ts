import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { FailoverTimes } from '../inbox/failovers.ts';
import type { SweepTimes } from '../inbox/sweeps.ts';
import { Limits } from '../limits/limits.ts';
import { SharedCounts } from '../limits/shared-counts.ts';
import { deriveKey, type Installation } from './installation.ts';
import { Membership } from './membership.ts';
import { MessageCipher } from './message-cipher.ts';
import { type HintedServices, shareWithNodes } from './node-hints.ts';
import { sharePresence } from './node-presence.ts';
import { NODE_TIMES, type NodeTimes } from './node-times.ts';
import { RedisLink } from './redis-link.ts';

/** The times of everything between nodes; tests shorten them. */
export interface AllNodeTimes extends NodeTimes, SweepTimes, FailoverTimes {
  /** Limits that have no answer of Redis for so long count on this node alone. */
  readonly limitMs: number;
}

/** The long-lived parts of a server that is one of several nodes. */
export interface NodeServices {
  readonly link: RedisLink;
  readonly membership: Membership;
  /** The messages on Redis that were not taken. */
  readonly dropped: MessageCipher['dropped'];
  /** Counts calls and failures over all nodes. */
  readonly limits: Limits;
}

/** A link and a name, of a node that has not joined the others. */
interface OpenNode extends AsyncDisposable, NodeServices {
  /** Joins the others, and shares with them what these services hold. */
  join(services: HintedServices): void;
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
  given: Partial<AllNodeTimes> = {},
): Promise<OpenNode> {
  const times = { ...NODE_TIMES, ...given };
  const link = new RedisLink({ url, prefix: `${installation.name}:`, log, times });
  const cipher = new MessageCipher(installation, clock, log);
  const membership = new Membership(link, cipher, clock, times);
  const counts = new SharedCounts({
    redis: link,
    secret: deriveKey(installation, 'limits'),
    log,
    monotonicMs: clock.monotonicMs,
    answerMs: given.limitMs,
    nodes: () => membership.peers().length + 1,
  });
  const limits = new Limits(clock.monotonicMs, counts);
  await link.tried;
  const parts = new DisposableStack();
  return {
    link,
    membership,
    dropped: cipher.dropped,
    limits,
    join(services) {
      parts.use(sharePresence(membership, services.presence, clock, times));
      parts.use(shareWithNodes(link, membership, services, clock, log, times));
      membership.start();
    },
    async [Symbol.asyncDispose]() {
      parts.dispose();
      await membership[Symbol.asyncDispose]();
      await link[Symbol.asyncDispose]();
    },
  };
}
