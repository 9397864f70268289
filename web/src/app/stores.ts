import type { BaseStores } from '../data/stores.ts';
import type { OwnAccountStore } from '../features/account/model/stores.ts';
import type { ChatsStore } from '../features/chat/model/stores.ts';
import type { Contacts } from '../features/contacts/model/stores.ts';

/**
 * The state and the actions of the page, without React; the `hooks.ts` of each feature give them to components. Actions that
 * the service refuses reject with `DoormanError`, and what they have shown beforehand is undone.
 */
export interface Stores extends BaseStores, Contacts {
  readonly chats: ChatsStore;
  readonly ownAccount: OwnAccountStore;
  /** Restores the session, shows what is stored, and connects. To be called once. */
  start(): Promise<void>;
  /** Writes all changes to the storage. */
  flush(): Promise<void>;
  /** Ends timers and listeners, but not the doorman; for tests. */
  close(): Promise<void>;
}
