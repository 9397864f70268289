import { isPagePath } from '../paths.ts';

/** As much of a request as decides who answers it. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly mode: string;
}

/**
 * Whether the worker has to do with a request at all: `page` for opening a route of the page, `file` for what it keeps.
 * Everything else, all of the interface above all, goes its way as if there were no worker.
 *
 * @param files paths of what is kept
 */
export function classifyRequest(
  { method, url, mode }: Asked,
  origin: string,
  files: readonly string[],
): 'page' | 'file' | 'none' {
  const asked = new URL(url);
  if (method !== 'GET' || asked.origin !== origin) return 'none';
  if (mode === 'navigate') return isPagePath(asked.pathname) ? 'page' : 'none';
  return files.includes(asked.pathname) ? 'file' : 'none';
}

/** Whether an answer may be kept: whole, ours, and of the address that was asked for. */
export function isKeepable({
  status,
  type,
  redirected,
}: Pick<Response, 'status' | 'type' | 'redirected'>): boolean {
  return status === 200 && type === 'basic' && !redirected;
}

/** The files of the build that a document names itself. */
export function assetsNamedIn(html: string): string[] {
  return [...html.matchAll(/\s(?:src|href)="(\/assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
}
