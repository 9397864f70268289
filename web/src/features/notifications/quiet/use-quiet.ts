import type { Quiet } from 'doorman-client';
import { useEffect } from 'react';
import { useStores } from '../../../data/hooks.ts';
import { type FetchedView, useFetched } from '../../../ui/list/use-fetched.ts';

/** The user's quiet hours, fetched again when they are changed, here or on another device. */
export function useQuiet(): FetchedView<Quiet> {
  const { doorman } = useStores();
  const fetched = useFetched(() => doorman.api.quiet());
  const { update } = fetched;
  useEffect(() => doorman.on('quiet', update), [doorman, update]);
  return fetched;
}
