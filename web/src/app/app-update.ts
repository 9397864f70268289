import { Cell } from '../data/store.ts';

/** Reloads the page as a new version of itself; absent while there is none, or after `Later`. */
export const waitingUpdate = new Cell<(() => void) | undefined>(undefined);
