import { useSearch } from 'wouter/use-browser-location';
import { useKept } from '../../../data/hooks.ts';
import type { PathInfo } from '../../../paths.ts';
import { directoryMemory } from '../model/directory-memory.ts';
import { useFriends } from '../model/hooks.ts';
import { parsePeopleQuery, peoplePath } from '../model/people-address.ts';

/**
 * Where the navigation leads for people: to friend requests that the user has not seen, as the badge promises, else to the list
 * as they left it; from a profile to the list beside it, and from the list to everyone.
 */
export function usePeopleHref({ section, isDeep }: PathInfo): string {
  const { asked } = useFriends();
  const memory = useKept(directoryMemory);
  const beside = parsePeopleQuery(useSearch());
  if (section === 'people') return peoplePath(isDeep ? beside : {});
  const hasNewRequests = asked.some(({ id }) => !memory.seenRequests.has(id));
  return peoplePath(hasNewRequests ? { show: 'requests' } : memory.query);
}
