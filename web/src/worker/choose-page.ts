import { isPagePath } from '../paths.ts';

/** What is known of an open window or tab; `url` may be the one it was opened with. */
export interface OpenPage {
  readonly url: string;
  readonly focused: boolean;
  readonly visibilityState: string;
}

/**
 * The open page that a click on a notification should bring forward: the one that shows `path`, else the one before the
 * user's eyes, else the one used last.
 *
 * @param pages the one used last first, as `clients.matchAll` orders them; may hold other windows of the origin, such as
 *   the documentation, which know nothing of conversations
 */
export function choosePage<P extends OpenPage>(pages: readonly P[], path: string): P | undefined {
  const ours = pages.filter(({ url }) => isPagePath(pathOf(url)));
  return (
    ours.find(({ url }) => pathOf(url) === path) ??
    ours.find(({ focused }) => focused) ??
    ours.find(({ visibilityState }) => visibilityState === 'visible') ??
    ours[0]
  );
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
