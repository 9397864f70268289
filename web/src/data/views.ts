import type { ConnectionState, Session, SessionEnd } from 'doorman-client';

/** Who is before the page. */
export type SessionView =
  /** It is not known yet; a moment at start. */
  | { state: 'restoring' }
  /** `end`: why there is no session any more; absent where there was none. */
  | { state: 'signed_out'; end?: SessionEnd }
  | { state: 'signed_in'; session: Session };

/**
 * How far what the page shows can be trusted. `none`: nothing is known yet (show placeholders, not "no conversations");
 * `stored`: from this device's storage, as it was when the page was last used; `fresh`: the service told it.
 */
export type Freshness = 'none' | 'stored' | 'fresh';

/** How far a list is loaded that comes in pages. */
export interface PagesView {
  /** More can be had: call `loadMore` when the end of the list comes near. */
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Too many calls: it goes on by itself at this moment, epoch milliseconds. */
  readonly waitsUntil: number | undefined;
  /** The word of what went wrong, such as `unreachable`; tried again by itself when the connection is back. */
  readonly failure: string | undefined;
}

export type ConnectionView = ConnectionState;
