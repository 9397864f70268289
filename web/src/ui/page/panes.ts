import { createContext } from 'react';

/**
 * `front` is the pane with what the path names: it has the first heading and gets the focus, and on narrow screens it is the
 * only visible one. While a conversation is open, for example, the list of conversations is `behind`.
 */
type PaneRank = 'front' | 'behind';

export const PaneContext = createContext<PaneRank>('front');
