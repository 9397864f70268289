import { BlockedIcon } from '@primer/octicons-react';
import { type ReactNode, useId } from 'react';
import type { Found, Kind } from '../../features/contacts/list/find-people.ts';
import { isUsername } from '../../features/contacts/list/name-filter.ts';
import { useIsBlocked, usePerson } from '../../features/contacts/model/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { CountBadge } from '../../ui/list/list-row.tsx';
import { PersonName } from '../../ui/person/name.tsx';
import { PersonAvatar } from '../../ui/person/person-avatar.tsx';
import styles from './go-to-dialog.module.css';

/** A user found, and how many of their messages are unread. */
export interface FoundRow extends Found {
  readonly unread: number;
}

interface GoToListProps {
  id: string;
  found: readonly FoundRow[];
  /** The index of the chosen row. */
  at: number;
  onChoose: (index: number) => void;
  onOpen: (index: number) => void;
}

const KINDS: readonly Kind[] = ['chats', 'friends', 'people'];

export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** The users found, in a group for each kind. */
export function GoToList({ id, found, ...list }: GoToListProps) {
  const texts = useTexts();
  const titles: Record<Kind, string> = {
    chats: texts.shell.chats,
    friends: texts.people.friends,
    people: texts.shell.people,
  };
  const rows = found.map((row, index) => ({ row, index }));
  return (
    <div className={styles.list} role="listbox" id={id} aria-label={texts.people.list}>
      {KINDS.map((kind) => {
        const ofKind = rows.filter(({ row }) => row.kind === kind);
        if (ofKind.length === 0) return null;
        return (
          <Group key={kind} title={titles[kind]}>
            {ofKind.map(({ row, index }) => (
              <Option key={row.id} listId={id} row={row} index={index} {...list} />
            ))}
          </Group>
        );
      })}
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  const titleId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields.
    <div role="group" aria-labelledby={titleId}>
      <div className={styles.title} id={titleId} role="presentation">
        {title}
      </div>
      {children}
    </div>
  );
}

interface OptionProps extends Omit<GoToListProps, 'id' | 'found'> {
  listId: string;
  row: FoundRow;
  index: number;
}

function Option({ listId, row, index, at, onChoose, onOpen }: OptionProps) {
  const { shell: texts, people } = useTexts();
  const person = usePerson(row.id);
  const isBlocked = useIsBlocked(row.id);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
    <div
      className={styles.option}
      role="option"
      id={optionId(listId, index)}
      aria-selected={index === at}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => onChoose(index)}
      onClick={() => onOpen(index)}
      data-testid={`go-to-${row.id}`}
    >
      <PersonAvatar person={person} size={36} />
      <span className={styles.text}>
        <PersonName person={person} />
        {!isUsername(person) && <bdi className={styles.username}>@{person.username}</bdi>}
      </span>
      {isBlocked && <BlockedIcon aria-label={people.blocked} />}
      <CountBadge count={row.unread} label={texts.unread(row.unread)} />
    </div>
  );
}
