import { Store } from '../../data/store.ts';

/** The dialog of the shortcuts that is open. */
export const shortcutDialog = new Store<'go-to' | 'new-message' | 'help' | undefined>(undefined);
