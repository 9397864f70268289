import { Store } from '../data/store.ts';

/** Reloads the page as a new version of itself; absent while there is none, or after `Later`. */
export const waitingUpdate = new Store<(() => void) | undefined>(undefined);
