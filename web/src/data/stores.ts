import type { Doorman, LoginBody, RegisterBody, Registration } from 'doorman-client';
import type { Readable } from './store.ts';
import type { ConnectionView, Freshness, PagesView, SessionView } from './views.ts';

/** The stores that all features use: the kit, the session, the connection, and how fresh the data is. */
export interface BaseStores {
  /** For what has no store: push, sessions, password, devices, push log. */
  readonly doorman: Doorman;
  readonly session: SessionStore;
  readonly registration: RegistrationView;
  readonly connection: Readable<ConnectionView>;
  /** Whether the page is cut off from the service, as it says to the user. */
  readonly offline: Readable<boolean>;
  readonly freshness: Readable<Freshness>;
}

/** Who may create an account, as far as the page knows; `undefined` until it is known. */
interface RegistrationView extends Readable<Registration | undefined> {
  /** Asks the service, unless it has answered just now. @returns ends when the value is known, or assumed without an answer */
  ask(): Promise<void>;
}

export interface SessionStore extends Readable<SessionView> {
  signUp(body: RegisterBody): Promise<void>;
  signIn(body: LoginBody): Promise<void>;
  /** Removes everything of the user from this device. */
  signOut(): Promise<void>;
}

/** Loads the pages of a list after its first one. */
export interface MorePages {
  readonly view: Readable<PagesView>;
  /** Does nothing while a page is loading. */
  loadMore(): void;
}
