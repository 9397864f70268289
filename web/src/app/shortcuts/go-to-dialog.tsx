import { SearchIcon } from '@primer/octicons-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useChats, useConversations } from '../../features/chat/model/hooks.ts';
import { oneLine } from '../../features/chat/text/message-body.ts';
import { useFound } from '../../features/contacts/list/use-found.ts';
import { toQuery } from '../../features/contacts/model/people-address.ts';
import { useDirectory } from '../../features/contacts/model/use-directory.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { chatPath } from '../../paths.ts';
import { Dialog } from '../../ui/controls/dialog.tsx';
import { TextInput } from '../../ui/fields/fields.tsx';
import { Clipped, ClippedLine } from '../../ui/person/name.tsx';
import styles from './go-to-dialog.module.css';
import { type FoundRow, GoToList, optionId } from './go-to-list.tsx';
import { readSharedText, withSharedText } from './shared-text.ts';
import { useShortcutTexts } from './texts.ts';

/** More rows than anyone reads; a further letter finds the others. */
const MAX_SHOWN = 40;

interface GoToDialogProps {
  /** What another app shares, as in `readSharedText`: it is added to the draft; undefined: the dialog only goes there. */
  shared?: string;
  onClose: () => void;
}

/** Opens the conversation with anyone. */
export function GoToDialog({ shared, onClose }: GoToDialogProps) {
  const { goTo } = useShortcutTexts();
  const { newMessage } = useTexts().shell;
  const title = shared === undefined ? goTo : newMessage;
  const [message] = useState(() => readSharedText(shared ?? ''));
  return (
    <Dialog isOpen onClose={onClose} title={title} testId="go-to">
      {message && <Message text={message} />}
      <GoTo title={title} message={message} onClose={onClose} />
    </Dialog>
  );
}

interface GoToProps {
  title: string;
  message: string;
  onClose: () => void;
}

/** By ARIA's combobox pattern: the focus stays in the field, the arrow keys choose a row of the list. */
function GoTo({ title, message, onClose }: GoToProps) {
  const { people: texts, shell } = useTexts();
  const [, navigate] = useLocation();
  const chats = useChats();
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
    if (message !== '') {
      const draft = chats.drafts.of(person.id);
      draft.set(withSharedText(draft.getSnapshot(), message));
    }
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

/** What the conversation will have as its draft. */
function Message({ text }: { text: string }) {
  const texts = useTexts().chat;
  return (
    <p className={styles.message} data-testid="shared-text">
      <ClippedLine>
        <span>{texts.draft}</span>
        <Clipped>{oneLine(text)}</Clipped>
      </ClippedLine>
    </p>
  );
}

/** `isSearching`: the directory has not answered. */
function useRows(typed: string): { found: readonly FoundRow[]; isSearching: boolean } {
  const conversations = useConversations();
  const q = toQuery(typed);
  const { view } = useDirectory({ q, isOnlineOnly: false });
  const chats = useMemo(() => conversations.map(({ peer }) => peer), [conversations]);
  const found = useFound(q, view, { chats });
  const rows = useMemo(() => {
    const unread = new Map(conversations.map((one) => [one.peer, one.unread]));
    return found.slice(0, MAX_SHOWN).map((row) => ({ ...row, unread: unread.get(row.id) ?? 0 }));
  }, [found, conversations]);
  return { found: rows, isSearching: view.isLoading };
}
