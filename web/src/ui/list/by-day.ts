import { daysBetween } from '../../i18n/times.ts';

/** Groups entries, which are in the order of their time, by day. */
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
