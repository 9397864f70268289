import { createContext } from 'react';

/**
 * Whether a pane holds what the address names. It has the first heading and gets the focus; on narrow screens it is the
 * only one to be seen. The list of conversations, say, is `behind` while one of them is open.
 */
type PaneRank = 'front' | 'behind';

export const PaneContext = createContext<PaneRank>('front');
