import { useEffect } from 'react';
import { useReadable, useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { useToast } from '../controls/toasts.tsx';

/**
 * Says that files cannot be sent when the user drops or pastes one, which no conversation takes as a picture. Without this, the browser would open a dropped file in place of
 * the page or in another tab, and a pasted picture would vanish. A paste that has text, as from a document, inserts the text.
 */
export function useRefusedFiles(): void {
  const { noFiles, onlyPictures } = useTexts().shell;
  const text = useReadable(useStores().registration.pictures) ? onlyPictures : noFiles;
  const { warn } = useToast();
  useEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => refuse(event, event.dataTransfer);
    const onPaste = (event: ClipboardEvent) => refuse(event, event.clipboardData);
    function refuse(event: Event, data: DataTransfer | null): void {
      const hasText = event.type === 'paste' && data?.types.includes('text/plain');
      if (!data?.types.includes('Files') || hasText) return;
      event.preventDefault();
      warn(text);
    }
    const ending = new AbortController();
    const { signal } = ending;
    window.addEventListener('dragover', onDragOver, { signal });
    window.addEventListener('drop', onDrop, { signal });
    window.addEventListener('paste', onPaste, { signal });
    return () => ending.abort();
  }, [text, warn]);
}
