import { useMemo, useSyncExternalStore } from 'react';
import { usePage } from '../state/hooks.ts';
import type { ConversationView } from '../state/views.ts';
import { fold, isNamed } from './name-search.ts';

const EVERYBODY = { subscribe: () => () => {}, get: () => '' };

/** The conversations with people of whose name a part was typed; more may turn up while names come in. */
export function useNamed(conversations: readonly ConversationView[], typed: string) {
  const { people } = usePage();
  const folded = fold(typed);
  const found = useMemo(() => {
    if (folded === '') return EVERYBODY;
    const persons = conversations.map(({ peer }) => people.person(peer));
    return {
      subscribe: (listener: () => void) => {
        const ends = persons.map((person) => person.subscribe(listener));
        return () => {
          for (const end of ends) end();
        };
      },
      // A text is the same as long as the same people are found, which a list would not be.
      get: () => persons.map((person) => (isNamed(person.get(), folded) ? '+' : '-')).join(''),
    };
  }, [conversations, folded, people]);
  const marks = useSyncExternalStore(found.subscribe, found.get);
  return useMemo(
    () => (folded === '' ? conversations : conversations.filter((_, i) => marks[i] === '+')),
    [conversations, folded, marks],
  );
}
