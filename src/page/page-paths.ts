/** The paths at which the page is served: its script shows what belongs to the path. */
export const PAGE_PATHS = [
  '/',
  '/chat/:id',
  '/people',
  '/people/:id',
  '/settings',
  '/settings/:section',
  '/sign-in',
  '/sign-up',
];
