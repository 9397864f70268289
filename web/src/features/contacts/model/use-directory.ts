import { useEffect, useState } from 'react';
import { useReadable } from '../../../data/hooks.ts';
import { Directory, type DirectorySearch } from './directory.ts';
import { useContacts } from './hooks.ts';
import type { DirectoryQueryView, DirectoryView } from './views.ts';

/** A search of the component's own. @param query what the search field has at this render; requests wait for a pause in typing */
export function useDirectory(query: DirectoryQueryView): { view: DirectoryView; search: DirectorySearch } {
  const { people } = useContacts();
  const [search] = useState(() => people.newSearch(Directory));
  const { q, isOnlineOnly } = query;
  useEffect(() => search.setQuery({ q, isOnlineOnly }), [search, q, isOnlineOnly]);
  useEffect(() => search.open(), [search]);
  return { view: useReadable(search), search };
}
