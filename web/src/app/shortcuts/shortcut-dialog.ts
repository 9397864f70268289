import { Store } from '../../data/store.ts';

/** The dialog for a new message. */
interface NewMessage {
  /** Added to the draft of the conversation that the user chooses; empty: nothing. */
  readonly text: string;
}

/** The dialog of the shortcuts that is open. */
export const shortcutDialog = new Store<'go-to' | 'help' | NewMessage | undefined>(undefined);
