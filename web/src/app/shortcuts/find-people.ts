import { fold, isNamed } from '../../features/chat/conversations/name-search.ts';
import type { PersonView } from '../../features/contacts/model/views.ts';

export type Kind = 'chats' | 'friends' | 'people';

export interface Found {
  readonly id: string;
  readonly kind: Kind;
}

/** More rows than anyone reads; a further letter finds the others. */
const MAX_FOUND = 40;

interface Sources {
  /** In their order in the list. */
  readonly chats: readonly string[];
  readonly friends: readonly string[];
  /** Of the directory. */
  readonly people: readonly string[];
  readonly person: (id: string) => PersonView;
  /** The user themselves, and users who cannot be written to. */
  readonly isLeftOut: (id: string) => boolean;
}

/**
 * The users whose name contains `typed`, each once: those with a conversation, then friends, then others. Of each kind, names
 * with a word that begins with it come first. A name that is not known yet is found while nothing is typed.
 */
export function findPeople(typed: string, { person, isLeftOut, ...sources }: Sources): readonly Found[] {
  const folded = fold(typed);
  const seen = new Set<string>();
  const find = (kind: Kind) => {
    const found = sources[kind].filter(
      (id) => !isLeftOut(id) && !seen.has(id) && isFound(person(id), folded),
    );
    for (const id of found) seen.add(id);
    const rank = (id: string) => (beginsWord(person(id), folded) ? 0 : 1);
    return found.toSorted((one, other) => rank(one) - rank(other)).map((id) => ({ id, kind }));
  };
  return [...find('chats'), ...find('friends'), ...find('people')].slice(0, MAX_FOUND);
}

function isFound(person: PersonView, folded: string): boolean {
  return person.state !== 'gone' && (folded === '' || isNamed(person, folded));
}

function beginsWord({ name, username }: PersonView, folded: string): boolean {
  return folded === '' || ` ${fold(name)}`.includes(` ${folded}`) || fold(username).startsWith(folded);
}
