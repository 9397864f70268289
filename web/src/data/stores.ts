import type { Doorman, LoginBody, RegisterBody } from 'doorman-client';
import type { Readable } from './store.ts';
import type { ConnectionView, Freshness, PagesView, SessionView } from './views.ts';

/** What every feature may know: the kit, who is signed in, and how far what is shown can be trusted. */
export interface BaseStores {
  /** For what has no state here: push, sessions, password, devices, push log. */
  readonly doorman: Doorman;
  readonly session: SessionStore;
  readonly connection: Readable<ConnectionView>;
  readonly freshness: Readable<Freshness>;
}

export interface SessionStore extends Readable<SessionView> {
  signUp(body: RegisterBody): Promise<void>;
  signIn(body: LoginBody): Promise<void>;
  /** Leaves nothing on this device. */
  signOut(): Promise<void>;
}

/** The pages of a list after its first one. */
export interface MorePages {
  readonly view: Readable<PagesView>;
  /** More calls while one is under way do nothing. */
  loadMore(): void;
}
