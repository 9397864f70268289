import { weightIn } from '../http/parse/weights.ts';

/** Paths outside of the page: its files, and the paths of other rooms. Programs read their 404 in the envelope. */
const OTHER_PATHS =
  /^\/+(?:api|ws|docs|assets|icons|screenshots|healthz|readyz|metrics|openapi\.json|asyncapi\.yaml|\.well-known)(?:\/|$)/i;
const FILE_NAME = /\.[^/]*$/;

/**
 * Whether a request may be that of a browser that opens an address of the page: a GET or HEAD outside of the paths of other rooms and
 * of files.
 *
 * @param path without the query
 */
export function isPageAddress(method: string, path: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return !OTHER_PATHS.test(path) && !FILE_NAME.test(path);
}

/** Whether the header `Accept` names `text/html` and does not prefer JSON. Programs accept anything, or do not say what they accept. */
export function prefersDocument(accept = ''): boolean {
  return weightIn(accept, 'text/html') > weightIn(accept, 'application/json');
}
