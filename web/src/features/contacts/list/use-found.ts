import { useMemo } from 'react';
import { useReadable, useSession } from '../../../data/hooks.ts';
import { useContacts, useFriends } from '../model/hooks.ts';
import type { DirectoryView } from '../model/views.ts';
import { type Found, findPeople } from './find-people.ts';

const NONE: readonly string[] = [];

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
  const session = useSession();
  const { friends } = useFriends();
  const { people } = useContacts();
  const known = useReadable(people.known);
  const ownId = session.state === 'signed_in' ? session.session.userId : '';
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
