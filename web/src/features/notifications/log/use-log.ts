import type { PushLogEntry } from 'doorman-client';
import { useEffect } from 'react';
import { useStores } from '../../../data/hooks.ts';
import { type FetchedView, useFetched, useUpdates } from '../../../ui/list/use-fetched.ts';

/** No event says that the log has grown. Four calls a minute of the 60 that a user has. */
const UPDATE_MS = 15_000;
/** By then a device has seen the message, or its push was decided on. */
const DECIDED_MS = 3_000;
/** By then the push was sent, also after the 5 s that an attentive device has, and a receipt may have come. */
const REPORTED_MS = 9_000;

/** The push log, kept up to date. */
export function useLog(): FetchedView<readonly PushLogEntry[]> {
  const { doorman } = useStores();
  const fetched = useFetched<readonly PushLogEntry[]>(doorman.api.pushLog);
  const { update } = fetched;
  useUpdates(update, UPDATE_MS);
  useEffect(() => {
    let decided: ReturnType<typeof setTimeout> | undefined;
    let reported: ReturnType<typeof setTimeout> | undefined;
    const onDecided = () => {
      decided = undefined;
      update();
    };
    // Many messages cause one call in 3 s.
    const onEvent = () => {
      decided ??= setTimeout(onDecided, DECIDED_MS);
      clearTimeout(reported);
      reported = setTimeout(update, REPORTED_MS);
    };
    const endings = [doorman.on('message', onEvent), doorman.on('marked', onEvent)];
    return () => {
      for (const end of endings) end();
      clearTimeout(decided);
      clearTimeout(reported);
    };
  }, [doorman, update]);
  return fetched;
}
