import { useMemo } from 'react';
import { useOwnId, useReadable } from '../../../data/hooks.ts';
import type { Readable } from '../../../data/store.ts';
import { useContacts, useFriends } from '../model/hooks.ts';
import type { People } from '../model/people.ts';
import type { DirectoryView, PersonView } from '../model/views.ts';
import { type Found, findPeople } from './find-people.ts';

const NONE: readonly string[] = [];
const NO_NAMES: Readable<readonly PersonView[]> = { getSnapshot: () => NO_PEOPLE, subscribe: () => () => {} };
const NO_PEOPLE: readonly PersonView[] = [];

/** All names that the device has. Without a search none: they change with each page of the directory. */
export function namesToSearch(people: Pick<People, 'known'>, q: string | undefined): People['known'] {
  return q === undefined ? NO_NAMES : people.known;
}

/**
 * The users that a search finds: among the conversations, the friends, what the directory has found, and everyone else whose name
 * the device has.
 *
 * @param q see `toQuery`; undefined: no search
 * @param view the search of the directory for `q`
 * @param options.chats the peers of the conversations, in their order; the same array until they change
 * @param options.hasPages the list loads further pages of the directory: they are added at its end, so names of the device come
 *   after the last one
 */
export function useFound(
  q: string | undefined,
  view: DirectoryView,
  { chats = NONE, hasPages = false }: { chats?: readonly string[]; hasPages?: boolean },
): readonly Found[] {
  const { friends } = useFriends();
  const { people } = useContacts();
  const known = useReadable(namesToSearch(people, q));
  const ownId = useOwnId();
  const { entries, hasMore } = view;
  return useMemo(() => {
    if (q === undefined) return [];
    const others = q === '' || (hasPages && hasMore) ? [] : known;
    const names = new Map(known.map((one) => [one.id, one]));
    return findPeople(q, {
      chats,
      friends: friends.map(({ id }) => id),
      people: [...entries, ...others].map(({ id }) => id),
      person: (id) => names.get(id) ?? people.person(id).getSnapshot(),
      ownId,
    });
  }, [q, chats, friends, entries, hasMore, hasPages, known, people, ownId]);
}
