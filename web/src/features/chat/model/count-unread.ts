import { type Doorman, DoormanError } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';

/** Nobody counts more than that. */
const PAGE = 100;

/**
 * The peer's messages after `read` up to `countedTo`, one by one.
 *
 * @returns `undefined` where there are a hundred and more, or the service could not say
 */
export async function countUnread(
  { doorman, queue }: { doorman: Doorman; queue: RequestQueue },
  peer: string,
  read: number,
  countedTo: number,
): Promise<number | undefined> {
  try {
    const { items, more } = await queue.run(() => doorman.api.history({ peer, after: read, limit: PAGE }), {
      isBackground: true,
    });
    if (more && (items.at(-1)?.n ?? 0) < countedTo) return undefined;
    return items.filter(({ from, n }) => from === peer && n <= countedTo).length;
  } catch (error) {
    if (!(error instanceof DoormanError)) throw error;
    return undefined;
  }
}
