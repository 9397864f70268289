import { weightIn } from '../http/parse/weights.ts';

/** What is not the page: its files, and the paths of other rooms. Programs read their 404 in the envelope. */
const OTHER_PATHS =
  /^\/+(?:api|ws|docs|assets|icons|healthz|readyz|metrics|openapi\.json|\.well-known)(?:\/|$)/i;
const FILE_NAME = /\.[^/]*$/;

interface RequestParts {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The header `Accept`. */
  readonly accept: string | undefined;
}

/**
 * Whether a browser opens an address of the page with this request: a GET or HEAD that names `text/html` and does not prefer
 * JSON, outside of the paths of other rooms and of files. Programs accept anything, or do not say what they accept.
 */
export function isBrowserAddress({ method, path, accept = '' }: RequestParts): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (OTHER_PATHS.test(path) || FILE_NAME.test(path)) return false;
  return weightIn(accept, 'text/html') > weightIn(accept, 'application/json');
}
