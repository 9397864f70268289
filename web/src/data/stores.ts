import type { Doorman, LoginBody, RegisterBody } from 'doorman-client';
import type { PreviewCache } from './preview-cache.ts';
import type { RegistrationStore } from './registration.ts';
import type { Readable } from './store.ts';
import type { ConnectionView, Freshness, SessionView } from './views.ts';

/** The stores that all features use: the kit, the session, the connection, and how fresh the data is. */
export interface BaseStores {
  /** For what has no store: push, sessions, password, devices, push log. */
  readonly doorman: Doorman;
  readonly session: SessionStore;
  readonly registration: RegistrationStore;
  readonly connection: Readable<ConnectionView>;
  /** Whether the page is cut off from the service, as it says to the user. */
  readonly offline: Readable<boolean>;
  readonly freshness: Readable<Freshness>;
  readonly previews: PreviewCache;
}

export interface SessionStore extends Readable<SessionView> {
  signUp(body: RegisterBody): Promise<void>;
  signIn(body: LoginBody): Promise<void>;
  /** Removes everything of the user from this device. */
  signOut(): Promise<void>;
}
