import { useEffect } from 'react';

/** In place of a menu or a dialog while its file is loaded: Escape takes the press back. */
export function WhileLoading({ onEscape }: { onEscape: () => void }): null {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      // Before it leads away from the conversation.
      event.stopPropagation();
      onEscape();
    };
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, [onEscape]);
  return null;
}
