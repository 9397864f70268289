import { useEffect, useState } from 'react';
import { useIsOffline, useReadable, useStores } from '../../../data/hooks.ts';
import { useContacts } from '../../contacts/model/hooks.ts';
import { edit } from '../messages/message-changes.ts';
import { useChats } from '../model/hooks.ts';
import { findOnDevice } from './find-on-device.ts';
import { type Hit, MessageSearch, type MessageSearchView } from './message-search.ts';

/**
 * A search in messages of the component's own. Without a connection it looks among those that the device has.
 *
 * @param q see `toMessageQuery`; requests wait for a pause in typing
 * @param options.peer the only conversation that is searched
 * @param options.debounceMs 0 for a query that the user has not typed here
 */
export function useMessageSearch(
  q: string,
  { peer, debounceMs }: { peer?: string; debounceMs?: number | undefined } = {},
): { view: MessageSearchView; search: MessageSearch } {
  const { doorman } = useStores();
  const chats = useChats();
  const { people } = useContacts();
  const isOffline = useIsOffline();
  const [search] = useState(
    () =>
      new MessageSearch({
        search: doorman.api.search,
        findOnDevice: (text, of) => findOnDevice(chats, text, of),
        onPeople: (found) => people.names.add(found),
      }),
  );
  useEffect(
    () => search.setQuery({ q, peer, isOffline }, debounceMs),
    [search, q, peer, isOffline, debounceMs],
  );
  useEffect(() => () => search.close(), [search]);
  useEffect(() => {
    const at = (peer: string, n: number, change: (hit: Hit) => Hit | undefined) =>
      search.change((hit) => (hit.peer === peer && hit.n === n ? change(hit) : hit));
    const endings = [
      doorman.on('unsent', ({ peer, n }) => at(peer, n, () => undefined)),
      doorman.on('edited', ({ peer, n, body, at: editedAt }) => {
        if (body !== undefined) at(peer, n, (hit) => ({ ...edit(body, editedAt)(hit), peer }));
      }),
      doorman.on('conversation', ({ peer, clearedN }) =>
        search.change((hit) => (hit.peer === peer && hit.n <= clearedN ? undefined : hit)),
      ),
      doorman.on('snapshot', () => search.again()),
    ];
    return () => {
      for (const end of endings) end();
    };
  }, [doorman, search]);
  return { view: useReadable(search), search };
}
