export const FILTERS = ['all', 'online', 'friends', 'requests'] as const;
export type Filter = (typeof FILTERS)[number];

/** What the list of people shows, as its address says: `/people?show=friends&q=al`. The address of a profile says it too. */
export interface PeopleQuery {
  readonly show: Filter;
  /** A part of a username or nickname; empty: everyone. */
  readonly q: string;
}

/** The longest query that the service accepts; no name is longer. */
const MAX_Q = 64;
/** Far longer than a query, with white space around it; the rest is not looked at. */
const MAX_TYPED = 1_000;
/** Control characters and halves of surrogate pairs: the service refuses them, and no name has them. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cs}]/gu;

/** The query in the text of the search field: `@ada`, as the page shows usernames, means `ada`. */
export function toQuery(typed: string): string {
  const text = typed
    .slice(0, MAX_TYPED)
    .replace(NOT_IN_NAMES, '')
    .trim()
    .replace(/^[@\s]+(?=[^@\s])/u, '');
  return [...text].slice(0, MAX_Q).join('').trim();
}

function isFilter(text: string): text is Filter {
  return FILTERS.some((filter) => filter === text);
}

/** @param search as in `URL.search`; what it does not say, or says in another way, is that of `/people` */
export function parsePeopleQuery(search: string): PeopleQuery {
  const parameters = new URLSearchParams(search);
  const show = parameters.get('show') ?? '';
  return { show: isFilter(show) ? show : 'all', q: toQuery(parameters.get('q') ?? '') };
}

/** @returns with its `?`; empty for a list of everyone */
export function printPeopleQuery({ show, q }: PeopleQuery): string {
  const parameters = new URLSearchParams();
  if (show !== 'all') parameters.set('show', show);
  if (q !== '') parameters.set('q', q);
  return parameters.size === 0 ? '' : `?${parameters}`;
}

export function peoplePath({ show = 'all', q = '' }: Partial<PeopleQuery>): string {
  return `/people${printPeopleQuery({ show, q })}`;
}
