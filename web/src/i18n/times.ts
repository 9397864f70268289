/** Formats of moments in one language. Moments are epoch milliseconds. */
export interface Times {
  /** `14:03` */
  clock(at: number): string;
  /** `14:03 – 14:40`, for two moments of one day. */
  clockSpan(from: number, to: number): string;
  /** For a list: today's clock, `Yesterday`, a weekday within a week, then a date, with the year if it is another one. */
  brief(at: number, now: number): string;
  /** The day: `Today`, `Yesterday`, then a weekday with its date, or a date of another year. */
  day(at: number, now: number): string;
  /** `5 minutes ago`; within a minute `just now`. Never in the future, as clocks of two machines differ. */
  ago(at: number, now: number): string;
  /** Date and time in full, for a tooltip. */
  full(at: number): string;
  /** Date and time without words, to be read anywhere and at any time: `21 Nov 2026, 14:03`. */
  stamp(at: number): string;
  /** `30 seconds` */
  duration(seconds: number): string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Where Intl has no natural word: "now" does not answer "how long ago?", and the long Chinese second is 秒钟. */
const OWN_WORDS: Record<string, { justNow: string; unitDisplay: 'long' | 'short' }> = {
  'zh-CN': { justNow: '刚刚', unitDisplay: 'short' },
};

const cache = new Map<string, Times>();

/** @param locale for Intl; the machine's own time zone is used */
export function timesIn(locale: string): Times {
  const known = cache.get(locale);
  if (known) return known;
  const times = makeTimes(locale);
  cache.set(locale, times);
  return times;
}

/** Whole days from `at` to `now` by the local calendar: 0 today, 1 yesterday. */
export function daysBetween(at: number, now: number): number {
  // Rounded, as a day may have 23 or 25 hours.
  return Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

function makeTimes(locale: string): Times {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);
  const clock = format({ hour: 'numeric', minute: '2-digit' });
  const weekday = format({ weekday: 'short' });
  const dayMonth = format({ month: 'short', day: 'numeric' });
  const wholeDate = format({ year: 'numeric', month: 'short', day: 'numeric' });
  const longDay = format({ weekday: 'long', month: 'long', day: 'numeric' });
  const longDate = format({ year: 'numeric', month: 'long', day: 'numeric' });
  const full = format({ dateStyle: 'full', timeStyle: 'short' });
  const { justNow, unitDisplay } = OWN_WORDS[locale] ?? { justNow: 'just now', unitDisplay: 'long' };
  // In English only the British order and clock are read alike by all.
  const stamp = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

  const isThisYear = (at: number, now: number) => new Date(at).getFullYear() === new Date(now).getFullYear();
  const nearDay = (days: number) => capital(relative.format(-days, 'day'), locale);

  return {
    clock: (at) => clock.format(at),
    clockSpan: (from, to) => clock.formatRange(from, to),
    brief: (at, now) => {
      const days = daysBetween(at, now);
      if (days <= 0) return clock.format(at);
      if (days === 1) return nearDay(1);
      if (days < 7) return weekday.format(at);
      return isThisYear(at, now) ? dayMonth.format(at) : wholeDate.format(at);
    },
    day: (at, now) => {
      const days = daysBetween(at, now);
      if (days <= 1) return nearDay(Math.max(0, days));
      return isThisYear(at, now) ? longDay.format(at) : longDate.format(at);
    },
    ago: (at, now) => {
      const passed = Math.max(0, now - at);
      if (passed < MINUTE_MS) return justNow;
      if (passed < HOUR_MS) return spaced(relative.format(-Math.floor(passed / MINUTE_MS), 'minute'));
      if (passed < DAY_MS) return spaced(relative.format(-Math.floor(passed / HOUR_MS), 'hour'));
      const days = daysBetween(at, now);
      if (days < 30) return spaced(relative.format(-days, 'day'));
      return isThisYear(at, now) ? dayMonth.format(at) : wholeDate.format(at);
    },
    full: (at) => full.format(at),
    stamp: (at) => stamp.format(at),
    duration: (seconds) => {
      const isMinutes = seconds > 90;
      const amount = isMinutes ? Math.ceil(seconds / 60) : Math.max(1, Math.ceil(seconds));
      const unit = isMinutes ? 'minute' : 'second';
      return spaced(new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay }).format(amount));
    },
  };
}

/** A space between a number and a Chinese character, as in all other texts of the page. */
function spaced(text: string): string {
  return text.replace(/(\d)(\p{Script=Han})/u, '$1 $2');
}

function capital(text: string, locale: string): string {
  return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1);
}
