import { useCallback, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useReadable } from '../../../data/hooks.ts';
import { type Readable, Store } from '../../../data/store.ts';
import { noticePlace } from '../../../ui/page/notice-place.tsx';
import { TimeText } from '../../../ui/person/time-text.tsx';
import styles from './lines.module.css';

/** The day stays for this time after the list has moved; at rest it would cover what the user reads. */
const REST_MS = 1_200;

/** The beginning of a day, epoch milliseconds; `undefined` at rest. */
type MovingDay = Readable<number | undefined>;

/** The day of the topmost message while the list moves. A store, so that its changes render `StickyDay` alone. */
export function useMovingDay(): { day: MovingDay; show: (at: number | undefined) => void } {
  const [day] = useState(() => new Store<number | undefined>(undefined));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = useCallback(
    (at: number | undefined) => {
      clearTimeout(timer.current);
      day.set(at && new Date(at).setHours(0, 0, 0, 0));
      timer.current = setTimeout(() => day.set(undefined), REST_MS);
    },
    [day],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return { day, show };
}

/** The day at the upper edge of the messages while they move, below the banners that lie there. For screen readers it is in the list, as a heading. */
export function StickyDay({ day }: { day: MovingDay }) {
  const at = useReadable(day);
  const place = useReadable(noticePlace);
  // It keeps its text while it fades.
  const [latest, setLatest] = useState(at);
  if (at !== undefined && at !== latest) setLatest(at);
  if (!place) return null;
  return createPortal(
    <div
      className={styles.sticky}
      data-shown={at !== undefined || undefined}
      aria-hidden="true"
      data-testid="sticky-day"
    >
      {latest !== undefined && <TimeText at={latest} as="day" />}
    </div>,
    place,
  );
}
