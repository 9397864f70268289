export type Section = 'chats' | 'people' | 'settings';

export const SECTION_PATHS: Record<Section, string> = {
  chats: '/',
  people: '/people',
  settings: '/settings',
};

/** Opens the dialog for a new message, beside the chats; the manifest names it. */
export const NEW_MESSAGE_PATH = '/new';

/** The message requests, in place of the list of conversations. */
export const REQUESTS_PATH = '/requests';

/** The archived conversations, likewise. */
export const ARCHIVED_PATH = '/archived';

/** Views that work with and without a session: for a forgotten password, and what the links of mails open. */
const LINK_PATH = /^\/(?:forgot-password|set-password|verify-email|end-session)$/;

/** What a path of the page shows. */
export interface PathInfo {
  section: Section;
  /** It is below the section's list: on narrow screens it replaces the list. */
  isDeep: boolean;
  /** A conversation: on narrow screens the composer takes the space of the navigation bar. */
  isChat: boolean;
}

/**
 * An unknown path is a deep one of the chats, so that narrow screens show that it is not found.
 *
 * @param path as in `URL.pathname`
 */
export function parsePath(path: string): PathInfo {
  const [, first, second] = decodePagePath(path)?.split('/') ?? [];
  const isDeep = second !== undefined;
  if (first === 'people' || first === 'settings') return { section: first, isDeep, isChat: false };
  const isList = first === '' || [NEW_MESSAGE_PATH, REQUESTS_PATH, ARCHIVED_PATH].includes(path);
  return { section: 'chats', isDeep: !isList, isChat: isDeep };
}

/** The user whose conversation a path shows. */
export function peerOfChat(path: string): string | undefined {
  const [, first, second] = decodePagePath(path)?.split('/') ?? [];
  return first === 'chat' ? second : undefined;
}

export function profilePath(userId: string): string {
  return canonicalPath(`/people/${encodeURIComponent(userId)}`);
}

export function chatPath(userId: string): string {
  return canonicalPath(`/chat/${encodeURIComponent(userId)}`);
}

/**
 * The spelling of a path that the page writes and compares. In an id `:` and `@` are not escaped, as the router leaves their escapes in
 * what it finds, and `|` is. The service escapes all three, and who types an address none.
 */
export function canonicalPath(path: string): string {
  return path.replace(/%(?:3A|40)/gi, decodeURIComponent).replace(/\||%7c/g, '%7C');
}

/** The path to which the back arrow of a profile leads if it was opened from the chat with its user, or from the list of chats. */
export function backFromProfile(userId: string, previousUrl: string | null | undefined): string | undefined {
  if (!previousUrl || !URL.canParse(previousUrl)) return undefined;
  const { pathname } = new URL(previousUrl);
  return pathname === chatPath(userId) || pathname === SECTION_PATHS.chats ? pathname : undefined;
}

/**
 * The paths of `src/page/page-paths.ts`: at all others the service answers 404, and the page shows that nothing is there. The
 * service worker opens and answers no others.
 */
const PAGE_PATH =
  /^\/(?:(?:chat|people)\/[^/?#]{1,100}|people|settings(?:\/(?:profile|notifications|log|privacy|security|account-log|blocked))?|new|requests|archived|sign-in|sign-up)?$/;
/** An id has 64 characters, of three bytes if escaped: a far longer path names no user. */
const MAX_PATH = 1_000;

/** @param path as in `URL.pathname` */
export function isPagePath(path: string): boolean {
  return decodePagePath(path) !== undefined;
}

/** Whether a view at this path works with and without a session. */
export function isLinkPath(path: string): boolean {
  return LINK_PATH.test(path);
}

/** `undefined` for a path that is not of the page, among them those that the service cannot decode. */
function decodePagePath(path: string): string | undefined {
  if (path.length > MAX_PATH) return undefined;
  try {
    const decoded = decodeURI(canonicalPath(path));
    return PAGE_PATH.test(decoded) || isLinkPath(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The path that a click on a notification opens: always one of the page, and `/` if `navigate` names no such path. The origin
 * of `navigate` is ignored: the service names itself by `PUBLIC_URL`, and the page may have been opened under another origin.
 *
 * @param navigate from the push, unchecked
 */
export function toPagePath(navigate: unknown, origin: string): string {
  if (typeof navigate !== 'string' || !URL.canParse(navigate, origin)) return '/';
  const { pathname } = new URL(navigate, origin);
  return isPagePath(pathname) ? canonicalPath(pathname) : '/';
}
