import { type Doorman, DoormanError } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';

/** Longer ranges are not counted. */
const PAGE = 100;

/**
 * Counts the peer's messages after `read` up to `countedTo` in the history.
 *
 * @returns `undefined` for ranges longer than a page, or after an error
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
