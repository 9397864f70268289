import type { BaseStores } from '../data/stores.ts';
import type { OwnAccountStore } from '../features/account/model/stores.ts';
import type { ChatsStore } from '../features/chat/model/stores.ts';
import type { Contacts } from '../features/contacts/model/stores.ts';

/**
 * All that the page knows, and all that it does, without any React: the `hooks.ts` of each feature read it. What is a `Readable` here gives
 * the same object until it changes. Acts that can be refused reject with `DoormanError`; what they did beforehand on the
 * screen is taken back by itself.
 */
export interface Stores extends BaseStores, Contacts {
  readonly chats: ChatsStore;
  readonly ownAccount: OwnAccountStore;
  /** Finds who is signed in, shows what was kept, and connects. Once. */
  start(): Promise<void>;
  /** Writes what is not kept yet; the page is about to be hidden or closed. */
  flush(): Promise<void>;
  /** Ends timers and listeners; for tests. The doorman is not the page's to close. */
  close(): Promise<void>;
}
