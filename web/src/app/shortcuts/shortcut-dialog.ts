import { Store } from '../../data/store.ts';

/** The dialog for a new message. */
interface NewMessage {
  /** What another app shares, as in `readSharedText`; empty: nothing. */
  readonly shared: string;
}

/** The dialog of the shortcuts that is open. */
export const shortcutDialog = new Store<'go-to' | 'help' | NewMessage | undefined>(undefined);
