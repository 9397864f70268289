import { type ComponentProps, type RefObject, type UIEvent, useId, useLayoutEffect, useRef } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import styles from './folded-text.module.css';

interface FoldedTextProps extends ComponentProps<'div'> {
  /** How many drawn lines are shown while it is folded. */
  lines: number;
  isWhole: boolean;
  /** @param at the text, or the button below it */
  onFold: (at: Element) => void;
  button: { className: string | undefined; tabIndex?: 0 | -1 };
}

/**
 * A text that is folded to some drawn lines, with a button that shows the rest and hides it again. The document has the whole
 * text, for screen readers and copies. What scrolls the text inside of its fold, such as a link that gets the focus or the
 * browser's own search, shows the rest too.
 */
export function FoldedText({ lines, isWhole, onFold, button, className, ...props }: FoldedTextProps) {
  const texts = useTexts().shell;
  const id = useId();
  const text = useRef<HTMLDivElement>(null);
  const buttonRef = useRef<HTMLButtonElement>(null);
  useHiddenButton(buttonRef, text, lines);
  const onScroll = ({ currentTarget }: UIEvent<Element>) => {
    if (isWhole || currentTarget.scrollTop === 0) return;
    onFold(currentTarget);
    const { activeElement } = document;
    if (currentTarget.contains(activeElement)) activeElement?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <div
        {...props}
        id={id}
        ref={text}
        className={`${styles.text} ${className ?? ''}`}
        style={{ WebkitLineClamp: lines }}
        data-folded={!isWhole || undefined}
        onScroll={onScroll}
      />
      <button
        type="button"
        ref={buttonRef}
        className={`${styles.button} ${button.className ?? ''}`}
        tabIndex={button.tabIndex}
        aria-expanded={isWhole}
        aria-controls={id}
        onClick={({ currentTarget }) => onFold(currentTarget)}
      >
        {isWhole ? texts.less : texts.more}
      </button>
    </>
  );
}

/**
 * Hides the button where the text has no more than `lines` at its current width. It is no state, which would change the height
 * of a list after the list has measured it.
 */
function useHiddenButton(
  button: RefObject<HTMLButtonElement | null>,
  text: RefObject<HTMLElement | null>,
  lines: number,
): void {
  useLayoutEffect(() => {
    const element = text.current;
    if (!element) return;
    const update = () => {
      const longest = (lines + 0.5) * Number.parseFloat(getComputedStyle(element).lineHeight);
      if (button.current) button.current.hidden = element.scrollHeight < longest;
    };
    update();
    // In the next frame: a list that observes its own size could not follow the change in this one.
    const resizes = new ResizeObserver(() => requestAnimationFrame(update));
    resizes.observe(element);
    return () => resizes.disconnect();
  }, [button, text, lines]);
}
