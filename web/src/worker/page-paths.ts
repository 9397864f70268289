/** The places of the page, as `src/page/places.ts` has them; all else that the service answers is not for a window. */
const PAGE_PATH = /^\/(?:(?:chat|people|settings)\/[^/]+|people|settings|sign-in|sign-up)?$/;
/** An id has 36 characters; a path far longer than one is nobody's. */
const MAX_PATH = 300;

/** @param path as in `URL.pathname` */
export function isPagePath(path: string): boolean {
  return path.length <= MAX_PATH && PAGE_PATH.test(path);
}

/**
 * Where a notification leads: a path of the page, whatever was asked for; `/` for what is no route of the page, and for what
 * is no address at all. The origin does not count: the service calls itself by one name (`PUBLIC_URL`), and the page may
 * have been opened under another.
 *
 * @param navigate as it came; nothing is known of it
 */
export function toPagePath(navigate: unknown, origin: string): string {
  if (typeof navigate !== 'string' || !URL.canParse(navigate, origin)) return '/';
  const { pathname } = new URL(navigate, origin);
  return isPagePath(pathname) ? pathname : '/';
}
