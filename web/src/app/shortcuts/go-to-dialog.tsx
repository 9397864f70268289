import { SearchIcon } from '@primer/octicons-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { chatPath } from '../../paths.ts';
import { Dialog } from '../../ui/controls/dialog.tsx';
import { TextInput } from '../../ui/controls/fields.tsx';
import styles from './go-to-dialog.module.css';
import { GoToList, optionId } from './go-to-list.tsx';
import { useShortcutTexts } from './texts.ts';
import { useFound } from './use-found.ts';

/** Opens the chat with any user who can be written to. */
export function GoToDialog({ onClose }: { onClose: () => void }) {
  const texts = useShortcutTexts();
  return (
    <Dialog isOpen onClose={onClose} title={texts.goTo} testId="go-to">
      <GoTo onClose={onClose} />
    </Dialog>
  );
}

/** By ARIA's combobox pattern: the focus stays in the field, the arrow keys choose a row of the list. */
function GoTo({ onClose }: { onClose: () => void }) {
  const { people: texts, shell } = useTexts();
  const { goTo } = useShortcutTexts();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const { found, isSearching } = useFound(typed);
  const listId = useId();
  const at = Math.min(chosen, found.length - 1);
  const hasFound = found.length > 0;
  useEffect(() => {
    document.getElementById(optionId(listId, at))?.scrollIntoView({ block: 'nearest' });
  }, [listId, at]);

  const open = (index: number) => {
    const person = found[index];
    if (!person) return;
    onClose();
    navigate(chatPath(person.id));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') open(at);
    else if (step && hasFound) setChosen((at + step + found.length) % found.length);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        size="md"
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-label={goTo}
        aria-expanded={hasFound}
        aria-controls={hasFound ? listId : undefined}
        aria-activedescendant={hasFound ? optionId(listId, at) : undefined}
        aria-autocomplete="list"
        placeholder={texts.searchHint}
        leftSection={<SearchIcon />}
        maxLength={128}
        dir="auto"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="go"
        data-testid="go-to-field"
      />
      {hasFound && <GoToList id={listId} found={found} at={at} onChoose={setChosen} onOpen={open} />}
      <p className={hasFound ? styles.said : styles.none} role="status">
        {hasFound ? '' : isSearching ? shell.loading : texts.nobodyFound}
      </p>
    </>
  );
}
