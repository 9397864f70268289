import type { Quiet, QuietBody } from 'doorman-client';
import { useEffect, useRef } from 'react';
import { useStores } from '../../../data/hooks.ts';
import { type FetchedView, useFetched } from '../../../ui/list/use-fetched.ts';

/** The user's quiet hours, as they are changed here or on another device. */
export function useQuiet(): { fetched: FetchedView<Quiet>; change: (body: QuietBody) => Promise<void> } {
  const { doorman } = useStores();
  const fetched = useFetched(() => doorman.api.quiet());
  /** How many events and snapshots came. */
  const heard = useRef(0);
  const { extend } = fetched;
  useEffect(() => {
    const take = ({ quiet }: { quiet: Quiet }) => {
      heard.current++;
      extend(async () => quiet);
    };
    const ends = [
      doorman.on('quiet', ({ seq: _seq, ...quiet }) => take({ quiet })),
      doorman.on('snapshot', take),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [doorman, extend]);

  async function change(body: QuietBody): Promise<void> {
    const before = heard.current;
    const quiet = await doorman.api.setQuiet(body);
    // What an event has brought since then includes this change, or is newer.
    if (heard.current === before) extend(async () => quiet);
  }
  return { fetched, change };
}
