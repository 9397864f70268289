import { daysBetween } from '../../../i18n/times.ts';

/** Entries by the day on which they were made, in the order in which they come. */
export function byDay<Entry extends { readonly at: number }>(entries: readonly Entry[]): Entry[][] {
  const days: Entry[][] = [];
  for (const entry of entries) {
    const day = days.at(-1);
    const first = day?.[0];
    if (day && first && daysBetween(entry.at, first.at) === 0) day.push(entry);
    else days.push([entry]);
  }
  return days;
}
