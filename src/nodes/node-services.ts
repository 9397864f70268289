import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { SweepTimes } from '../inbox/sweeps.ts';
import type { LinkTimes } from './link.ts';
import { MEMBERSHIP_TIMES, Membership, type MembershipTimes } from './membership.ts';
import { RedisLink } from './redis-link.ts';

/** The times of everything between nodes; tests shorten them. */
export interface NodeTimes extends MembershipTimes, LinkTimes, SweepTimes {}

/** What a server keeps open to be a node of a service of many. */
export interface NodeServices {
  readonly link: RedisLink;
  readonly membership: Membership;
}

/**
 * Connects to Redis. Waits for the first attempt alone: a node serves without Redis too. The node joins by `membership.start`.
 *
 * @param issuer names the installation, so that another one on the same Redis has channels and keys of its own
 */
export async function openNodes(
  url: string,
  issuer: string,
  clock: Clock,
  log: Logger,
  times: Partial<NodeTimes> = {},
): Promise<NodeServices & AsyncDisposable> {
  const link = new RedisLink({ url, prefix: `${issuer}:`, log, times });
  const membership = new Membership(link, clock, { ...MEMBERSHIP_TIMES, ...times });
  await link.tried;
  return {
    link,
    membership,
    async [Symbol.asyncDispose]() {
      await membership[Symbol.asyncDispose]();
      await link[Symbol.asyncDispose]();
    },
  };
}
