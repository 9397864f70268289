import type { AccountLogPage } from 'doorman-client';
import { useStores } from '../../../data/hooks.ts';
import { type FetchedView, useFetched, useUpdates } from '../../../ui/list/use-fetched.ts';
import { withNewest } from './with-newest.ts';

const PAGE = 50;
/** No event says that the log has grown. */
const UPDATE_MS = 60_000;

/** The account log, as far as it is loaded, and what loads more of it. */
export function useAccountLog(): { fetched: FetchedView<AccountLogPage>; more: () => void } {
  const { api } = useStores().doorman;
  const fetched = useFetched(
    async (): Promise<AccountLogPage> => withNewest(await api.accountLog({ limit: PAGE }), fetched.value),
  );
  useUpdates(fetched.update, UPDATE_MS);
  const { value, extend } = fetched;
  const more = () => {
    if (value?.next === undefined) return;
    const { items, next: before } = value;
    extend(async () => {
      const page = await api.accountLog({ limit: PAGE, before });
      return { ...page, items: [...items, ...page.items] };
    });
  };
  return { fetched, more };
}
