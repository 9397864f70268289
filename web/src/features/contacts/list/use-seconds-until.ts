import { useEffect, useState } from 'react';

/** Whole seconds until a moment, in epoch milliseconds; counts down to 1, since the last one is still a wait. */
export function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(ticking);
  }, []);
  return Math.max(1, Math.ceil((at - now) / 1_000));
}
