import type { PersonView } from '../model/views.ts';
import { beginsWord, fold, isNamed } from './name-filter.ts';

export type Kind = 'chats' | 'friends' | 'people';

export interface Found {
  readonly id: string;
  readonly kind: Kind;
}

interface Sources {
  /** In their order in the list. */
  readonly chats: readonly string[];
  readonly friends: readonly string[];
  /** Of the directory, and others whose names the device has. */
  readonly people: readonly string[];
  readonly person: (id: string) => PersonView;
  readonly ownId: string;
}

/**
 * The users that a search finds, in every list of the page: each once, those with a conversation first, then friends, then
 * others. Of each kind, names with a word that begins with the text come first. Blocked users are found, as their conversation
 * and their profile can be opened; the user themselves and deleted accounts are not. An empty text finds all.
 */
export function findPeople(typed: string, { person, ownId, ...sources }: Sources): readonly Found[] {
  const folded = fold(typed);
  const seen = new Set([ownId]);
  const isFound = (id: string) => {
    const one = person(id);
    return one.state !== 'gone' && (folded === '' || isNamed(one, folded));
  };
  const find = (kind: Kind) => {
    const found = sources[kind].filter((id) => !seen.has(id) && isFound(id));
    const ids = [...new Set(found)];
    for (const id of ids) seen.add(id);
    const rest = folded === '' ? [] : ids.filter((id) => !beginsWord(person(id), folded));
    const isLater = new Set(rest);
    return [...ids.filter((id) => !isLater.has(id)), ...rest].map((id) => ({ id, kind }));
  };
  return [...find('chats'), ...find('friends'), ...find('people')];
}
