import { Store } from '../../data/store.ts';

/** Whether the page is being printed, or shown as it would be. */
export const printing = new Store(false);

addEventListener('beforeprint', () => printing.set(true));
addEventListener('afterprint', () => printing.set(false));
matchMedia('print').addEventListener('change', ({ matches }) => printing.set(matches));
