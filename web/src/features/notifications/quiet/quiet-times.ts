import type { QuietWindow } from 'doorman-client';

/** What a user has chosen for every week. */
export type QuietKind = 'off' | 'nights' | 'own';

export const EVERY_DAY: readonly number[] = [1, 2, 3, 4, 5, 6, 7];
export const NIGHTS: QuietWindow = { days: [...EVERY_DAY], from: '22:00', to: '07:00' };
/** As the service takes at most. */
export const MOST_WINDOWS = 14;

export function kindOf(windows: readonly QuietWindow[]): QuietKind {
  const [first, ...others] = windows;
  if (!first) return 'off';
  const isNights =
    others.length === 0 &&
    first.from === NIGHTS.from &&
    first.to === NIGHTS.to &&
    EVERY_DAY.every((day) => first.days.includes(day));
  return isNights ? 'nights' : 'own';
}

/** 8:00 of the next day of this device's calendar, epoch milliseconds. */
export function tomorrowMorning(now: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, 8).getTime();
}

export function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

type WindowFault = 'daysMissing' | 'timeMissing' | 'timesEqual';

/** Why the service would refuse a window; `undefined` if it takes it. */
export function windowFault({ days, from, to }: QuietWindow): WindowFault | undefined {
  if (days.length === 0) return 'daysMissing';
  if (from === '' || to === '') return 'timeMissing';
  return from === to ? 'timesEqual' : undefined;
}
