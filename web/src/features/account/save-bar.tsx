import { useEffect, useRef } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import { useKeepFocus } from '../../ui/list/use-keep-focus.ts';
import styles from './save-bar.module.css';

interface SaveBarProps {
  /** There is something to save: the bar is on the screen, wherever the form is scrolled. */
  isChanged: boolean;
  isPending: boolean;
  error: unknown;
  onDiscard: () => void;
}

/** The last element of a form: saves it, or discards what was changed. It keeps its place while it is hidden, so that nothing moves. */
export function SaveBar({ isChanged, isPending, error, onDiscard }: SaveBarProps) {
  const texts = useTexts().settings;
  const bar = useRef<HTMLDivElement>(null);
  useKeepFocus(isChanged);
  useEffect(() => {
    if (isChanged || !bar.current?.contains(document.activeElement)) return;
    document.querySelector('h1')?.focus({ preventScroll: true });
  }, [isChanged]);
  return (
    <div
      className={styles.bar}
      ref={bar}
      data-changed={isChanged || undefined}
      data-floor={isChanged || undefined}
    >
      <ErrorText error={error} />
      <div className={styles.buttons}>
        <BusyButton
          type="submit"
          size="md"
          label={texts.save}
          pending={texts.saving}
          isPending={isPending}
          testId="save-profile"
        />
        {isChanged && !isPending && (
          <>
            <Button variant="default" size="md" onClick={onDiscard} data-testid="undo-profile">
              {texts.undo}
            </Button>
            <span className={styles.unsaved}>{texts.unsaved}</span>
          </>
        )}
      </div>
    </div>
  );
}
