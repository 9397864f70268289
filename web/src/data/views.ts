import type { ConnectionState, Session, SessionEnd } from 'doorman-client';

export type SessionView =
  /** Not known yet, for a moment at start. */
  | { state: 'restoring' }
  /** `end`: why the session ended; absent if there was none. */
  | { state: 'signed_out'; end?: SessionEnd }
  | { state: 'signed_in'; session: Session };

/**
 * Where the data on the page comes from. `none`: there is none yet (show placeholders, not "no conversations"); `stored`: from
 * this device's storage, as it was when the page was last used; `fresh`: from the service.
 */
export type Freshness = 'none' | 'stored' | 'fresh';

/** The loading state of a list that comes in pages. */
export interface PagesView {
  /** There are more pages: call `loadMore` near the end of the list. */
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** After a 429: when loading goes on, epoch milliseconds. */
  readonly waitsUntil: number | undefined;
  /** The error word, such as `unreachable`; the request is repeated when the connection is back. */
  readonly failure: string | undefined;
}

export type ConnectionView = ConnectionState;
