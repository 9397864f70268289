import { useEffect, useRef } from 'react';

/** Calls `onSeen` when the end of a list comes on the screen, and again after each change of `count` while it is there. */
export function EndOfList({ count, onSeen }: { count: number; onSeen: () => void }) {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(onSeen);
  useEffect(() => {
    latest.current = onSeen;
  });
  useEffect(() => {
    // A new observer reports again, for the longer list.
    void count;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
    });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, [count]);
  return <div ref={end} style={{ height: 1 }} />;
}
