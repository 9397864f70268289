import { overloaded, ServiceError } from '../../errors.ts';
import type { Limits } from '../../limits/limits.ts';
import { refuseAbove } from '../../limits/local-limits.ts';

const HOUR_MS = 60 * 60_000;
/** The longest that a download runs. */
export const MAX_DOWNLOAD_MS = HOUR_MS;
const TICKETS = { limit: 3, windowMs: 24 * HOUR_MS, maxKeys: 100_000 };
/** That of a node which was killed counts as running until it would have ended. */
const RUNNING = { limit: 1, windowMs: MAX_DOWNLOAD_MS, maxKeys: 100_000 };
const MAX_OF_NODE = 2;
const RETRY_SECONDS = 10;
const TOO_MANY = ['too_many_exports', '下载过于频繁，请稍后再试'] as const;

export type ExportLimits = ReturnType<typeof openExportLimits>;

/** Limits how often users ask for their data, and how many downloads run. */
export function openExportLimits(limits: Limits) {
  const tickets = limits.open('exports', TICKETS, 'exact');
  const running = limits.openFailures('running-exports', RUNNING);
  let ofNode = 0;
  return {
    /** @throws {ServiceError} `rate-limited`, word `too_many_exports`, for the fourth ticket in 24 hours */
    countTicket: async (userId: string) => refuseAbove(await tickets.take(userId), TOO_MANY),
    /**
     * Begins a download. @returns what to call at its end
     *
     * @throws {ServiceError} `rate-limited`: `overloaded` if this node has two, `too_many_exports` if the user has one on any node
     */
    async begin(userId: string): Promise<() => void> {
      if (ofNode >= MAX_OF_NODE) throw overloaded(RETRY_SECONDS);
      ofNode++;
      const { end } = await running.begin(userId);
      if (!end) {
        ofNode--;
        throw new ServiceError('rate-limited', ...TOO_MANY, { retryAfterSeconds: RETRY_SECONDS, userId });
      }
      return () => {
        ofNode--;
        end(false);
      };
    },
  };
}
