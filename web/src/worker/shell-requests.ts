import { isPagePath } from '../paths.ts';

/** The parts of a request that decide whether the worker answers it. */
interface RequestParts {
  readonly method: string;
  readonly url: string;
  readonly mode: string;
}

/**
 * Which requests the worker answers: `page` for opening a path of the page, `file` for a cached file. It leaves all others,
 * above all those of the API, to the network.
 *
 * @param files paths of the cached files
 */
export function classifyRequest(
  { method, url, mode }: RequestParts,
  origin: string,
  files: readonly string[],
): 'page' | 'file' | 'none' {
  const { origin: requestOrigin, pathname } = new URL(url);
  if (method !== 'GET' || requestOrigin !== origin) return 'none';
  if (mode === 'navigate') return isPagePath(pathname) ? 'page' : 'none';
  return files.includes(pathname) ? 'file' : 'none';
}

/** Whether a response may be cached: complete, same-origin, and without a redirect. */
export function isCacheable({
  status,
  type,
  redirected,
}: Pick<Response, 'status' | 'type' | 'redirected'>): boolean {
  return status === 200 && type === 'basic' && !redirected;
}

/** The files of the build that a document names, and the names of what stands in it. */
export function assetsNamedIn(html: string): string[] {
  return [...html.matchAll(/\s(?:src|href|data-href|data-file)="(\/assets\/[^"]+)"/g)].flatMap(
    ([, path]) => path ?? [],
  );
}
