import { KebabHorizontalIcon } from '@primer/octicons-react';
import type { KeyboardEvent } from 'react';
import type { messageMenu } from './message-menu.en.ts';
import styles from './quick-reactions.module.css';

/** Those that other messengers offer first. */
const QUICK = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

interface QuickReactionsProps {
  texts: typeof messageMenu;
  /** The user's reaction; empty without one. */
  chosen: string;
  onChoose: (emoji: string) => void;
  /** The user wants another one. */
  onMore: () => void;
}

/** The first row of the menu of a message. Left and right arrows move in it, others to the entries below. */
export function QuickReactions({ texts, chosen, onChoose, onMore }: QuickReactionsProps) {
  const shown = chosen === '' || QUICK.includes(chosen) ? QUICK : [...QUICK.slice(0, -1), chosen];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const all = [...event.currentTarget.querySelectorAll('button')];
    const at = all.findIndex((button) => button.matches(':focus'));
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: all.length - at - 1, ArrowUp: -at }[event.key];
    if (step === undefined) return;
    // The menu moves on from the last one down, and from the first one up.
    all.at((at + step) % all.length)?.focus();
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu.
    <div className={styles.row} role="group" aria-label={texts.react} onKeyDown={onKeyDown}>
      {shown.map((emoji) => (
        <button
          key={emoji}
          type="button"
          className={styles.emoji}
          role="menuitemradio"
          aria-checked={emoji === chosen}
          aria-label={emoji}
          tabIndex={-1}
          onClick={() => onChoose(emoji)}
          data-testid={`react-${emoji}`}
        >
          {emoji}
        </button>
      ))}
      <button
        type="button"
        className={styles.emoji}
        role="menuitem"
        aria-label={texts.moreEmoji}
        title={texts.moreEmoji}
        tabIndex={-1}
        onClick={onMore}
        data-testid="react-more"
      >
        <KebabHorizontalIcon />
      </button>
    </div>
  );
}
