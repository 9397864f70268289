import { SearchIcon } from '@primer/octicons-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useConversations } from '../../features/chat/model/hooks.ts';
import { useFound } from '../../features/contacts/list/use-found.ts';
import { useDirectory } from '../../features/contacts/model/hooks.ts';
import { toQuery } from '../../features/contacts/model/people-address.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { chatPath } from '../../paths.ts';
import { Dialog } from '../../ui/controls/dialog.tsx';
import { TextInput } from '../../ui/controls/fields.tsx';
import styles from './go-to-dialog.module.css';
import { type FoundRow, GoToList, optionId } from './go-to-list.tsx';
import { useShortcutTexts } from './texts.ts';

/** More rows than anyone reads; a further letter finds the others. */
const MAX_SHOWN = 40;

interface GoToDialogProps {
  /** It was opened to write a message. */
  isNewMessage: boolean;
  onClose: () => void;
}

/** Opens the conversation with anyone. */
export function GoToDialog({ isNewMessage, onClose }: GoToDialogProps) {
  const { goTo } = useShortcutTexts();
  const { newMessage } = useTexts().shell;
  const title = isNewMessage ? newMessage : goTo;
  return (
    <Dialog isOpen onClose={onClose} title={title} testId="go-to">
      <GoTo title={title} onClose={onClose} />
    </Dialog>
  );
}

/** By ARIA's combobox pattern: the focus stays in the field, the arrow keys choose a row of the list. */
function GoTo({ title, onClose }: { title: string; onClose: () => void }) {
  const { people: texts, shell } = useTexts();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const { found, isSearching } = useRows(typed);
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
        aria-label={title}
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

/** `isSearching`: the directory has not answered. */
function useRows(typed: string): { found: readonly FoundRow[]; isSearching: boolean } {
  const conversations = useConversations();
  const q = toQuery(typed);
  const { view } = useDirectory({ q, isOnlineOnly: false });
  const chats = useMemo(() => conversations.map(({ peer }) => peer), [conversations]);
  const found = useFound(q, view, chats);
  const rows = useMemo(() => {
    const unread = new Map(conversations.map((one) => [one.peer, one.unread]));
    return found.slice(0, MAX_SHOWN).map((row) => ({ ...row, unread: unread.get(row.id) ?? 0 }));
  }, [found, conversations]);
  return { found: rows, isSearching: view.isLoading };
}
