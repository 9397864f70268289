import { type KeyboardEvent, useRef, useState } from 'react';
import type { Language } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/texts.tsx';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { SearchField } from '../../../ui/list/search-field.tsx';
import { EMOJI, findEmoji, TONES, withTone } from './emoji.ts';
import { emojiPicker as en } from './emoji-picker.en.ts';
import styles from './emoji-picker.module.css';
import { emojiPicker as zh } from './emoji-picker.zh.ts';
import { useEmojiChoice } from './use-emoji-choice.ts';

interface EmojiPickerProps {
  onChoose: (emoji: string) => void;
  onClose: () => void;
}

/** A dialog with all emoji in groups, those used last first, a search in both languages and the skin tones. */
export function EmojiPicker({ onChoose, onClose }: EmojiPickerProps) {
  const { language } = useLanguage();
  const texts = { en, zh }[language];
  const choice = useEmojiChoice();
  const [sought, setSought] = useState('');
  const grid = useRef<HTMLDivElement>(null);
  const choose = (emoji: string) => {
    choice.add(emoji);
    onClose();
    onChoose(emoji);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Such as pinyin, whose words Enter ends and arrows choose; in Safari only the key code 229 says so.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const first = grid.current?.querySelector('button');
    if (event.key === 'Enter' && sought.trim() !== '') first?.click();
    else if (event.key === 'ArrowDown') first?.focus();
    else return;
    event.preventDefault();
  };
  const toned = (emoji: string) => withTone(emoji, choice.tone);
  const found = sought.trim() === '' ? undefined : findEmoji(sought);
  const groups = Map.groupBy(EMOJI, ({ group }) => group);
  return (
    <Dialog isOpen onClose={onClose} title={texts.title} testId="emoji-picker">
      <SearchField
        value={sought}
        onChange={setSought}
        onKeyDown={onKeyDown}
        label={texts.search}
        hint={texts.search}
        testId="emoji-search"
      />
      <fieldset className={styles.tones} aria-label={texts.tone}>
        {TONES.map((tone, i) => (
          <label key={tone} className={styles.tone} title={texts.tones[i]}>
            <input
              type="radio"
              name="tone"
              checked={tone === choice.tone}
              onChange={() => choice.setTone(tone)}
              aria-label={texts.tones[i]}
            />
            <span aria-hidden="true">{withTone('✋', tone)}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it have the focus when an arrow is pressed. */}
      <div className={styles.emoji} ref={grid} onKeyDown={moveByArrow} data-testid="emoji-grid">
        {found ? (
          <EmojiSection
            title={texts.search}
            emoji={found.map(({ emoji }) => toned(emoji))}
            onChoose={choose}
          />
        ) : (
          <>
            <EmojiSection title={texts.recent} emoji={choice.recent} onChoose={choose} />
            {[...groups].map(([group, all]) => (
              <EmojiSection
                key={group}
                title={texts.groups[group]}
                emoji={all.map(({ emoji }) => toned(emoji))}
                onChoose={choose}
              />
            ))}
          </>
        )}
        {found?.length === 0 && (
          <p className={styles.none} role="status">
            {texts.none}
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface EmojiSectionProps {
  title: string;
  emoji: readonly string[];
  onChoose: (emoji: string) => void;
}

function EmojiSection({ title, emoji, onChoose }: EmojiSectionProps) {
  const { language } = useLanguage();
  if (emoji.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      <div className={styles.row}>
        {emoji.map((one) => (
          <button
            key={one}
            type="button"
            className={styles.one}
            aria-label={`${one} ${nameOf(one, language)}`}
            title={nameOf(one, language)}
            onClick={() => onChoose(one)}
            data-testid={`emoji-${one}`}
          >
            {one}
          </button>
        ))}
      </div>
    </section>
  );
}

const NAMES = new Map(EMOJI.flatMap(({ emoji, name }) => TONES.map((tone) => [withTone(emoji, tone), name])));

function nameOf(emoji: string, language: Language): string {
  return NAMES.get(emoji)?.[language] ?? '';
}

/** Left and right go to the neighbour, up and down to the next line, to what is nearest there. */
function moveByArrow(event: KeyboardEvent<HTMLElement>): void {
  const all = [...event.currentTarget.querySelectorAll('button')];
  const at = all.findIndex((button) => button.matches(':focus'));
  const from = all[at]?.getBoundingClientRect();
  if (!from) return;
  const isUp = event.key === 'ArrowUp';
  let next: HTMLElement | undefined;
  if (event.key === 'ArrowRight') next = all[at + 1];
  else if (event.key === 'ArrowLeft') next = all[at - 1];
  else if (isUp || event.key === 'ArrowDown') {
    const others = isUp ? all.slice(0, at).reverse() : all.slice(at + 1);
    const line = others.find((button) => button.getBoundingClientRect().top !== from.top);
    const top = line?.getBoundingClientRect().top;
    const distance = (button: Element) => Math.abs(button.getBoundingClientRect().left - from.left);
    next = others
      .filter((button) => button.getBoundingClientRect().top === top)
      .reduce<HTMLElement | undefined>(
        (best, button) => (best && distance(best) <= distance(button) ? best : button),
        undefined,
      );
  } else return;
  event.preventDefault();
  next?.focus();
}
