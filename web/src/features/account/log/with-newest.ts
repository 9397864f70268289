import type { AccountLogPage } from 'doorman-client';

/** The first page of the log, followed by what was loaded after its last entry; alone if that is not known. */
export function withNewest(first: AccountLogPage, known: AccountLogPage | undefined): AccountLogPage {
  const last = first.items.at(-1)?.id;
  const at = known?.items.findIndex(({ id }) => id === last) ?? -1;
  if (known === undefined || at === -1) return first;
  return { ...known, items: [...first.items, ...known.items.slice(at + 1)] };
}
