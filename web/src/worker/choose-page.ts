import { canonicalPath, isPagePath } from '../paths.ts';

/** An open window or tab; `url` may be the one that it was opened with. */
export interface OpenPage {
  readonly url: string;
  readonly focused: boolean;
  readonly visibilityState: string;
}

/**
 * The open page that a click on a notification should focus: the one that shows `path`, else the one with the focus, else a
 * visible one, else the one used last.
 *
 * @param pages in the order of `clients.matchAll`, the one used last first; other windows of the origin, such as the
 *   documentation, are ignored
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
  return canonicalPath(new URL(url).pathname);
}
