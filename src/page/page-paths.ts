/** The paths at which the page is served: its script shows what belongs to the path. */
export const PAGE_PATHS = [
  '/',
  '/chat/:id',
  '/people',
  '/people/:id',
  '/new',
  '/settings',
  '/settings/profile',
  '/settings/notifications',
  '/settings/log',
  '/settings/security',
  '/settings/blocked',
  '/sign-in',
  '/sign-up',
  '/set-password',
];
