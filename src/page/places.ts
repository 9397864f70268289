/** The places of the page: its script reads the path and shows what belongs there. */
export const PLACES = [
  '/',
  '/chat/:id',
  '/people',
  '/people/:id',
  '/settings',
  '/settings/:section',
  '/sign-in',
  '/sign-up',
];
