import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useContacts } from '../model/hooks.ts';
import type { PersonView } from '../model/views.ts';

/** Names and avatars of several users, in the same order; the same array until one of them changes. */
export function usePeople(ids: readonly string[]): readonly PersonView[] {
  const { people } = useContacts();
  const readables = useMemo(() => ids.map((id) => people.person(id)), [people, ids]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = readables.map((readable) => readable.subscribe(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [readables],
  );
  const read = useMemo(() => {
    let before: readonly PersonView[] = [];
    return () => {
      const now = readables.map((readable) => readable.getSnapshot());
      if (now.length !== before.length || now.some((person, i) => person !== before[i])) before = now;
      return before;
    };
  }, [readables]);
  return useSyncExternalStore(subscribe, read);
}
