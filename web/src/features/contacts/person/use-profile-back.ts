import { useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { backFromProfile } from '../../../paths.ts';
import { previousUrl } from '../../../ui/page/previous-url.ts';
import { parsePeopleQuery, peoplePath } from '../model/people-address.ts';

/** Where the arrow back of a profile leads: to the chats from which it was opened, else to the list beside it. */
export function useProfileBack(userId: string): string {
  const [origin] = useState(() => backFromProfile(userId, previousUrl()));
  const list = peoplePath(parsePeopleQuery(useSearch()));
  return origin ?? list;
}
