import { useState } from 'react';
import { useConnection } from '../../../data/hooks.ts';

/**
 * Whether a list cannot be loaded because there is no connection: from the first request that fails until one succeeds, also
 * while the list is tried again.
 *
 * @param failure the error word of the list
 * @param isSettled the list shows the answer to its query
 */
export function useCutOff(failure: string | undefined, isSettled: boolean): boolean {
  const isLive = useConnection().state === 'live';
  const [isCutOff, setCutOff] = useState(false);
  if (!isCutOff && failure === 'unreachable' && !isLive) setCutOff(true);
  // With a connection, a failure has another cause, and a button to try again.
  if (isCutOff && (isSettled || (failure !== undefined && isLive))) setCutOff(false);
  return isCutOff;
}
