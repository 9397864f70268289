import { RecentMap } from '../../collections/recent-map.ts';
import type { Quiet, QuietWindow } from '../../events/log-events.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How many days of windows are joined. A quiet time without an end counts as ending then, and is looked at again. */
const JOINED_DAYS = 8;

/** One for each time zone in use, by its name in lower case: to make one takes 100 times as long as to use it. */
const formats = new RecentMap<Intl.DateTimeFormat>({ idleMs: Number.POSITIVE_INFINITY, maxKeys: 500 });

/**
 * When the quiet time that includes `now` ends, epoch milliseconds; `undefined` if it is not quiet. Windows that overlap or touch are one
 * quiet time. A window begins when its local time comes first and ends when its end comes last, so a time that comes twice is quiet both
 * times; a time that is skipped counts as the moment after the gap.
 */
export function quietUntil({ until, time_zone, windows }: Quiet, now: number): number | undefined {
  const end = endOfWindows(windows, time_zone, Math.max(until, now));
  return end > now ? end : undefined;
}

/** Whether `Intl` knows the zone. It also knows offsets such as +01:00, which are no zones: they have no summer time. */
export function isTimeZone(name: string): boolean {
  return /^[a-z][\w/+-]*$/i.test(name) && findFormat(name) !== undefined;
}

/** @returns `from` itself if no window includes it */
function endOfWindows(windows: readonly QuietWindow[], timeZone: string, from: number): number {
  const format = windows.length > 0 && findFormat(timeZone);
  // A zone that another version of Node knew has no windows, and stops no decision.
  if (!format) return from;
  const offsets = new Map<number, number>();
  const offsetOf = (at: number) => {
    const offset = offsets.get(at) ?? offsetAt(format, at);
    offsets.set(at, offset);
    return offset;
  };
  const inOrder = windows.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  // Days and times of the zone are counted as if they were those of UTC.
  const today = Math.floor((from + offsetOf(from)) / DAY_MS);
  let end = from;
  for (let day = today - 1; day < today + JOINED_DAYS; day++)
    for (const { days, from: begins, to: ends } of inOrder) {
      if (!days.includes(weekdayOf(day))) continue;
      // In the order of their beginnings: those that follow begin later still.
      if (momentsOf(offsetOf, day * DAY_MS + msOf(begins)).first > end) return end;
      const lastDay = ends < begins ? day + 1 : day;
      end = Math.max(end, momentsOf(offsetOf, lastDay * DAY_MS + msOf(ends)).last);
    }
  return end;
}

/** When a local time comes first and last, which is the same but for times that come twice. */
function momentsOf(offsetOf: (at: number) => number, local: number): { first: number; last: number } {
  const before = offsetOf(local - DAY_MS);
  const after = offsetOf(local + DAY_MS);
  const [byBefore, byAfter] = [local - before, local - after];
  const isBefore = offsetOf(byBefore) === before;
  const isAfter = offsetOf(byAfter) === after;
  if (isBefore || isAfter)
    return { first: isBefore ? byBefore : byAfter, last: isAfter ? byAfter : byBefore };
  let [low, high] = [byAfter, byBefore];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetOf(middle) === before) low = middle;
    else high = middle;
  }
  return { first: high, last: high };
}

/** 1 is Monday. @param day days since 1970-01-01, a Thursday */
function weekdayOf(day: number): number {
  return ((day + 3) % 7) + 1;
}

/** @param time such as 22:00 */
function msOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/** By how much the zone is ahead of UTC, milliseconds. */
function offsetAt(format: Intl.DateTimeFormat, at: number): number {
  const [, sign, hours, minutes, seconds = 0] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(at)) ?? [];
  if (!sign) return 0;
  return Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

function findFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  // A name may be written in any case.
  const key = timeZone.toLowerCase();
  const known = formats.get(key);
  if (known) return known;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formats.set(key, format, 0);
    return format;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
