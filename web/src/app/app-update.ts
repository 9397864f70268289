import { Store } from '../data/store.ts';

/** Reloads the page with its new version; `undefined` while there is none, or after the user chose `Later`. */
export const waitingUpdate = new Store<(() => void) | undefined>(undefined);
