import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useReadable } from '../../../data/hooks.ts';
import { noticePlace } from '../../../ui/page/notice-place.tsx';
import { TimeText } from '../../../ui/person/time-text.tsx';
import styles from './lines.module.css';

/** The day stays for this time after the list has moved; at rest it would cover what the user reads. */
const REST_MS = 1_200;

/** To be called when the list moves. @param at of the topmost message, epoch milliseconds; `undefined` where its day is in the list */
export type ShowDay = (at: number | undefined) => void;

/** The day at the upper edge of the messages while they move, below the banners that lie there. For screen readers it is in the list, as a heading. */
export function StickyDay({ show }: { show: Ref<ShowDay> }) {
  const place = useReadable(noticePlace);
  /** The beginning of a day, epoch milliseconds. It stays while the text fades. */
  const [day, setDay] = useState<number>();
  const [isShown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useImperativeHandle(
    show,
    () => (at) => {
      clearTimeout(timer.current);
      setShown(at !== undefined);
      if (at !== undefined) setDay(new Date(at).setHours(0, 0, 0, 0));
      timer.current = setTimeout(() => setShown(false), REST_MS);
    },
    [],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  if (!place) return null;
  return createPortal(
    <div
      className={styles.sticky}
      data-shown={isShown || undefined}
      aria-hidden="true"
      data-testid="sticky-day"
    >
      {day !== undefined && <TimeText at={day} as="day" />}
    </div>,
    place,
  );
}
