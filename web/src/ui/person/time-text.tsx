import { useSyncExternalStore } from 'react';
import { LOCALES } from '../../i18n/languages.ts';
import { splitSentence } from '../../i18n/split-sentence.ts';
import { useLanguage } from '../../i18n/texts.tsx';
import { type Times, timesIn } from '../../i18n/times.ts';

interface TimeTextProps {
  /** Epoch milliseconds. */
  at: number;
  /** `clock` never changes; the others are updated each minute. */
  as: 'clock' | 'brief' | 'day' | 'ago';
}

/** A moment, short, with date and time in full as a tooltip. */
export function TimeText({ at, as }: TimeTextProps) {
  const times = useTimes();
  const now = useMinute();
  return (
    <time dateTime={new Date(at).toISOString()} title={times.full(at)}>
      {as === 'clock' ? times.clock(at) : times[as](at, now)}
    </time>
  );
}

interface TimeSentenceProps {
  /** Makes the sentence from how long ago it was. */
  of: (ago: string) => string;
  /** Epoch milliseconds. */
  at: number;
}

/** A sentence with a moment in it: `Signed in 3 days ago`. */
export function TimeSentence({ of, at }: TimeSentenceProps) {
  const [before, after] = splitSentence(of);
  return (
    <>
      {before}
      <TimeText at={at} as="ago" />
      {after}
    </>
  );
}

export function useTimes(): Times {
  return timesIn(LOCALES[useLanguage().language]);
}

const MINUTE_MS = 60_000;
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;
let minute = Date.now();

/** The time in epoch milliseconds, updated once a minute and when the page becomes visible. One timer serves all components. */
export function useMinute(): number {
  return useSyncExternalStore(subscribeMinute, () => minute);
}

/** The day in words, as `Times.day` has it. A component that uses it renders again only when the words change. */
export function useDay(at: number): string {
  const times = useTimes();
  return useSyncExternalStore(subscribeMinute, () => times.day(at, minute));
}

function subscribeMinute(listener: () => void): () => void {
  if (listeners.size === 0) {
    minute = Date.now();
    ticking = setInterval(updateMinute, MINUTE_MS);
    document.addEventListener('visibilitychange', updateMinute);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    document.removeEventListener('visibilitychange', updateMinute);
  };
}

function updateMinute(): void {
  minute = Date.now();
  for (const listener of [...listeners]) listener();
}
