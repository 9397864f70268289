import type { RefObject } from 'react';

/** Lines of a message that are shown while it is folded. */
export const FOLDED_LINES = 24;
/** Characters of a line that may be drawn; on no screen do fewer fill it. */
const LEAST_CHARACTERS = 4;

/** The long messages that the user shows whole, which stay so while they are not in the document. */
export interface MessageFolds {
  isWhole(key: string): boolean;
  /** @param render shows the message whole or folded, at once */
  toggle(key: string, row: Element, render: (isWhole: boolean) => void): void;
}

interface Scroller {
  resizeRow(row: Element, edge: 'top' | 'bottom', render: () => void): void;
}

export function openFolds(scroller: RefObject<Scroller | null>): MessageFolds {
  const whole = new Set<string>();
  return {
    isWhole: (key) => whole.has(key),
    toggle(key, row, render) {
      const isWhole = !whole.delete(key);
      if (isWhole) whole.add(key);
      // What is read goes on below; the button that folds stays where it was pressed.
      scroller.current?.resizeRow(row, isWhole ? 'top' : 'bottom', () => render(isWhole));
    },
  };
}

/** Whether a message may have more lines than a folded one, so that its lines are counted. */
export function mayBeFolded(body: string): boolean {
  return body.split('\n').length + body.length / LEAST_CHARACTERS > FOLDED_LINES;
}
