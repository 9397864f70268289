import { useEffect, useState } from 'react';

/** Whole seconds until `at`, epoch milliseconds; counts down to 1, which lasts until the wait ends. */
export function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(ticking);
  }, []);
  return Math.max(1, Math.ceil((at - now) / 1_000));
}
